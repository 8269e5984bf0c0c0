// tenure elect: one leads, all are told; a command runs only while its candidate leads. E1–E9, T36–T38, T51.
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <stdexcept>

#include "cli/tenure_program.hpp"
#include "support/paths.hpp"

namespace tenure::test {
namespace {

const std::string name = "myapp:leader";

class ElectTest : public testing::TestWithParam<int> {
 protected:
  ElectTest() : nodes(static_cast<std::size_t>(GetParam())) { make_ready(urls_of(nodes)); }

  // Short, but patient with a machine that has much else to do.
  Words words(const std::string& id, const Words& more = {}) const {
    return Words{"elect", name, "--id", id, "--lease", "3s"} + redis_options(urls_of(nodes)) + more;
  }
  std::unique_ptr<Process> start(const std::string& id, const Words& more = {}) const {
    return start_tenure(words(id, more));
  }
  void delete_key() {
    for (auto& node : nodes) node.command({"DEL", name});
  }

  std::vector<RedisServer> nodes;
};

INSTANTIATE_TEST_SUITE_P(OnOneNodeAndOnThree, ElectTest, testing::Values(1, 3),
                         [](const auto& nodes) { return std::to_string(nodes.param) + "nodes"; });

std::string term_in(const Process& process) {
  if (!prints(process, "elected term="))
    throw std::runtime_error("it was not elected; it says: " + process.err());
  const std::string out = process.out();
  const auto from = out.rfind("elected term=") + 13;
  return out.substr(from, out.find('\n', from) - from);
}

TEST_P(ElectTest, OneLeadsAllAreToldAndTheNextFollowsAtOnce) {  // E1, E2, E7
  const auto one = start("web-1");
  const std::string term = term_in(*one);
  const auto two = start("web-2");
  const auto watcher = start("watcher", {"--observe"});
  EXPECT_TRUE(prints(*two, "leader id=web-1 term=" + term + "\n")) << two->err();
  EXPECT_TRUE(prints(*watcher, "leader id=web-1 term=" + term + "\n")) << watcher->err();
  one->send(SIGTERM);
  EXPECT_EQ(one->exit_code(), 0);
  EXPECT_TRUE(one->out().ends_with("lost reason=stopped term=" + term + "\nno leader\n")) << one->out();
  EXPECT_GT(std::stoul(term_in(*two)), std::stoul(term));
  EXPECT_TRUE(prints(*watcher, "leader id=web-2 ")) << watcher->out();
  two->send(SIGINT);
  EXPECT_EQ(two->exit_code(), 0);
  EXPECT_TRUE(prints(*watcher, "\nno leader\n")) << watcher->out();  // T51
  for (const auto& it : {&one, &two, &watcher}) EXPECT_EQ((*it)->err(), "");
}

TEST_P(ElectTest, WhoeverLeadsAfterAKillHasALargerTerm) {  // E1
  const auto one = start("web-1");
  const std::string term = term_in(*one);
  const auto two = start("web-2");
  ASSERT_TRUE(prints(*two, "leader id=web-1"));
  one->send(SIGKILL);
  EXPECT_GT(std::stoul(term_in(*two)), std::stoul(term));
}

TEST_P(ElectTest, EveryEventIsAJsonObjectOnALineOfItsOwn) {
  const auto one = start("web \"1\"", {"--json"});
  ASSERT_TRUE(prints(*one, "leader"));
  one->send(SIGTERM);
  EXPECT_EQ(one->exit_code(), 0);
  std::istringstream lines(one->out());
  const Words expected{R"({"event": "elected", "name": "myapp:leader", "term": )",
                       R"({"event": "leader", "name": "myapp:leader", "id": "web \"1\"", "term": )",
                       R"({"event": "lost", "name": "myapp:leader", "term": )",
                       R"({"event": "no_leader", "name": "myapp:leader"})"};
  std::string line;
  for (const auto& begin : expected) {
    ASSERT_TRUE(std::getline(lines, line));
    EXPECT_TRUE(line.starts_with(begin)) << line;
    EXPECT_TRUE(line.ends_with("}")) << line;
  }
  EXPECT_FALSE(std::getline(lines, line)) << line;
}

TEST_P(ElectTest, ACommandRunsWhileItLeadsAndItsEndEndsTheElection) {  // E8
  const auto one = start("web-1", Words{"--"} + shell("echo $TENURE_NAME $TENURE_TOKEN; read line; exit 7"));
  ASSERT_TRUE(prints(*one, name + " "));
  EXPECT_EQ(one->exit_code(), 7);  // its input is empty
  EXPECT_TRUE(has(one->err(), "tenure: myapp:leader: we lead (term ")) << one->err();
  EXPECT_EQ(keys(nodes[0]), only_record);
}

TEST_P(ElectTest, ACommandIsEndedWhenLeadershipIsLostAndRunAgainInTheNextTerm) {  // E6, T36
  const auto one = start("web-1", Words{"--"} + stay());
  const long first = number_printed(*one);
  delete_key();
  ASSERT_TRUE(wait_until([&] { return std::ranges::count(one->out(), '\n') == 2; })) << one->err();
  EXPECT_GT(std::stol(one->out().substr(one->out().find('\n'))), first);
  EXPECT_TRUE(has(one->err(), "lost myapp:leader: its key is gone from the store")) << one->err();
  EXPECT_TRUE(has(one->err(), "campaigning again\n")) << one->err();
  one->send(SIGTERM);
  EXPECT_EQ(one->exit_code(), 128 + SIGTERM);
}

TEST_P(ElectTest, AWatchdogEndsTheCommandOfALeaderThatStandsStill) {  // F5, T38
  const auto one = start("web-1", Words{"--"} + shell("sleep 60 & echo $$ $!; wait"));
  ASSERT_TRUE(prints(*one, "\n"));
  pid_t shell_pid = 0;
  pid_t sleep_pid = 0;
  std::istringstream(one->out()) >> shell_pid >> sleep_pid;
  one->send(SIGSTOP);
  const auto two = start("web-2");
  ASSERT_TRUE(prints(*two, "elected")) << two->err();
  EXPECT_NE(kill(shell_pid, 0), 0) << "another leads, and the command still runs";
  EXPECT_NE(kill(sleep_pid, 0), 0);
  one->send(SIGCONT);
  ASSERT_TRUE(wait_until([&] { return has(one->err(), "web-2 leads"); })) << one->err();
}

TEST_P(ElectTest, ACandidateThatWaitsEndsOnASignal) {  // T37
  const auto one = start("web-1");
  term_in(*one);
  const auto two = start("web-2", Words{"--"} + stay());
  ASSERT_TRUE(wait_until([&] { return has(two->err(), "web-1 leads"); })) << two->err();
  two->send(SIGTERM);
  EXPECT_EQ(two->exit_code(), 128 + SIGTERM);
  EXPECT_EQ(two->out(), "");
}

TEST_P(ElectTest, ARedisThatIsNotThereIsWaitedForAndSaid) {
  const int quorum = GetParam() / 2 + 1;
  for (int i = 0; i < quorum; ++i) nodes[static_cast<std::size_t>(i)].kill();
  const auto one = start("web-1");
  ASSERT_TRUE(wait_until([&] { return has(one->err(), "waiting for myapp:leader: "); })) << one->err();
  EXPECT_TRUE(one->running());
  one->send(SIGTERM);
  EXPECT_EQ(one->exit_code(), 0);
}

TEST_P(ElectTest, ANamesakeThatDiedIsNotTakenForOneself) {  // T46
  const auto dead = start("web-1");
  const std::string term = term_in(*dead);
  dead->send(SIGKILL);
  const auto one = start("web-1", Words{"--"} + stay());
  const long mine = number_printed(*one);
  EXPECT_TRUE(has(one->err(), "myapp:leader: web-1 leads (term " + term + ")\n")) << one->err();
  EXPECT_TRUE(wait_until([&] { return has(one->err(), "we lead (term " + std::to_string(mine) + ")\n"); }))
      << one->err();
}

int bytes_in(int pipe) {
  int bytes = 0;
  ioctl(pipe, FIONREAD, &bytes);
  return bytes;
}

// Like a terminal that is held by Ctrl-S after the first line.
TEST(Elect, EndsAndGivesTheNameBackAlsoWhileItsOutputIsStuck) {
  ReadyRedis redis;
  const std::string fifo = testing::TempDir() + "stuck." + std::to_string(getpid());
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  const int end = open(fifo.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
  std::string page(static_cast<std::size_t>(sysconf(_SC_PAGESIZE)), '.');
  while (write(end, page.data(), page.size()) > 0) {
  }
  ASSERT_EQ(read(end, page.data(), page.size()), static_cast<ssize_t>(page.size()));
  const int before = bytes_in(end);
  const Process process(
      shell(std::string("exec ") + paths::program + " elect a --redis " + redis.url() + " > " + fifo),
      Process::Options{.environment = plain_environment()});
  ASSERT_TRUE(wait_until([&] { return bytes_in(end) > before; })) << process.err();
  process.send(SIGTERM);
  EXPECT_EQ(process.exit_code(), 125) << process.err();
  EXPECT_EQ(redis.command({"EXISTS", "a"}).integer, 0);
  close(end);
  unlink(fifo.c_str());
}

TEST(Elect, LengthsThatDoNotFitAreRefusedWithTheirSum) {  // E5
  const Result result =
      tenure({"elect", "a", "--lease", "30s", "--renew", "10s", "--grace", "15s", "--drain", "2s"});
  EXPECT_EQ(result.code, 64);
  EXPECT_EQ(result.err,
            "tenure: renew 10s + node timeout 1s + grace 15s + drain 2s + margin 3002ms = 31002ms does not "
            "fit into "
            "the lease of 30s\n");
}

TEST(Elect, WhatMakesNoSenseIsRefused) {
  for (const auto& [words, why] : std::vector<std::pair<Words, std::string>>{
           {{"elect"}, "NAME is required"},
           {{"elect", "a", "--"}, "no command behind --"},
           {{"elect", "a", "b"}, "\"b\" is one word too many: the command stands behind --"},
           {{"elect", "a", "--observe", "--", "true"}, "--observe never leads"},
           {{"elect", "a", "--json", "--", "true"}, "--json is about the lines"},
           {{"elect", "tenure:record"}, "which Tenure needs for itself"},
           {{"elect", "a", "--lease", "2m"}, "over the cap of 1m"},
           {{"elect", "a", "--renew", "soon"}, "--renew"},
       }) {
    const Result result = tenure(words);
    EXPECT_EQ(result.code, 64) << why;
    EXPECT_TRUE(has(result.err, why)) << result.err;
    EXPECT_EQ(result.out, "");
  }
  const Result missing = tenure({"elect", "a", "--", "/no/such/command"});
  EXPECT_EQ(missing.code, 127) << missing.err;
}

// As a pod that is killed and started again under its name.
TEST(Elect, WhatWasKilledLeadsAgainUnderItsIdWhenItsLeaseHasRunOut) {
  const ReadyRedis redis;
  const Words words{"elect", "leader", "--lease", "2s", "--id", "web-1", "--redis", redis.url()};
  const auto first = start_tenure(words);
  ASSERT_TRUE(prints(*first, "elected term=")) << first->err();
  first->send(SIGKILL);
  ASSERT_TRUE(first->wait());
  const auto again = start_tenure(words);
  EXPECT_TRUE(prints(*again, "elected term=")) << again->err();
  again->send(SIGTERM);
  EXPECT_EQ(again->exit_code(), 0) << again->err();
}

TEST(Elect, EndsWhenNobodyReadsItsLines) {
  const ReadyRedis redis;
  const Process process(shell(std::string("(") + paths::program + " elect a --redis " + redis.url() +
                              "; echo $? >&2) | head -n 1"),
                        Process::Options{.environment = plain_environment()});
  EXPECT_EQ(process.exit_code(), 0);
  ASSERT_TRUE(wait_until([&] { return has(process.err(), "125"); })) << process.err();
  EXPECT_TRUE(has(process.err(), "nobody reads the output any more")) << process.err();
}

}  // namespace
}  // namespace tenure::test
