// --http on run, elect and poll: where it listens, who may look, what the probes say, and that whoever misbehaves is held off.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "cli/endpoint.hpp"
#include "http/listener.hpp"
#include "support/directory.hpp"

namespace tenure::test {
namespace {

const std::string token = "0123456789abcdef0123";

Words run_words(const Words& urls, const Words& options = {}, const Words& command = stay()) {
  return Words{"run", "job"} + redis_options(urls) + options + Words{"--"} + command;
}

std::string token_file(const Directory& directory, mode_t mode = 0600) {
  std::string path = directory.path() / "token";
  std::ofstream(path) << token << '\n';
  chmod(path.c_str(), mode);
  return path;
}

// Nobody has that name, and nobody stands in a queue for it.
void expect_untouched(RedisServer& redis) { EXPECT_EQ(keys(redis), only_record); }

TEST(Http, RunElectAndPollAnswerProbes) {
  ReadyRedis redis;
  for (const auto& words : {run_words({redis.url()}), Words{"elect", "a"} + redis_options({redis.url()}),
                            Words{"elect", "b", "--observe"} + redis_options({redis.url()}),
                            Words{"elect", "c"} + redis_options({redis.url()}) + Words{"--"} + stay(),
                            Words{"poll"} + redis_options({redis.url()})}) {
    const ServingTenure tenure(words);
    const auto alive = tenure.get("/livez");
    EXPECT_EQ(alive.status, 200);
    EXPECT_EQ(alive.body, "ok\n");
    const auto ready = tenure.get("/readyz");
    EXPECT_EQ(ready.status, 200);
    EXPECT_EQ(ready.body, "ready: 1 of 1 node gives leases, 1 is needed\n");
    EXPECT_EQ(tenure.get("/api/v1/self").header("Content-Type"), "application/json");
    EXPECT_EQ(tenure.get("/nothing").status, 404);
    tenure.process().send(SIGTERM);
    EXPECT_TRUE(tenure.process().wait());
  }
}

TEST(Http, OnlyAPortMeansLoopback) {
  ReadyRedis redis;
  for (const auto* address : {"0", ":0", "localhost:0"}) {
    const ServingTenure tenure(run_words({redis.url()}, {}, {"sleep", "60"}), address);
    EXPECT_TRUE(has(tenure.process().err(), "tenure: serving http://127.0.0.1:")) << tenure.process().err();
    EXPECT_EQ(tenure.get("/livez").status, 200);
  }
}

TEST(Http, APortThatIsTakenIsToldBeforeAnythingStarts) {
  ReadyRedis redis;
  const auto taken = http::Listener::open({});
  ASSERT_TRUE(taken);
  const std::string address = taken->address().text();
  for (const auto& words : {run_words({redis.url()}, {"--http", address}, shell("echo started")),
                            Words{"elect", "a", "--http", address} + redis_options({redis.url()}),
                            Words{"poll", "--http", address} + redis_options({redis.url()}),
                            Words{"web", "--http", address} + redis_options({redis.url()})}) {
    const Result result = tenure(words);
    EXPECT_EQ(result.code, 69);
    EXPECT_EQ(result.err,
              "tenure: --http: cannot listen on " + address + ": another process listens there\n");
    EXPECT_EQ(result.out, "");
  }
  expect_untouched(redis);
}

TEST(Http, AnAddressThatOthersReachNeedsATokenOrTheWordThatItIsOpen) {
  ReadyRedis redis;
  for (const auto* address : {"0.0.0.0:0", "*:0", "[::]:0", "192.0.2.1:9090"}) {
    for (const auto& words : {run_words({redis.url()}, {"--http", address}, shell("echo started")),
                              Words{"elect", "a", "--http", address} + redis_options({redis.url()}),
                              Words{"poll", "--http", address} + redis_options({redis.url()}),
                              Words{"web", "--http", address} + redis_options({redis.url()})}) {
      const Result result = tenure(words);
      EXPECT_EQ(result.code, 64);
      EXPECT_TRUE(has(result.err, "can be reached from other machines: give --http-token-file FILE"))
          << result.err;
      EXPECT_TRUE(has(result.err, "--http-open")) << result.err;
      EXPECT_EQ(result.out, "");
    }
  }
  expect_untouched(redis);
  const ServingTenure open(run_words({redis.url()}, {"--http-open"}), "0.0.0.0:0");
  EXPECT_EQ(open.get("/api/v1/self", "Host: 192.0.2.1\r\n").status, 200);
  EXPECT_EQ(open.get("/api/v1/self", "Host: evil.example\r\n").status, 421);
}

TEST(Http, WhatMakesNoSenseIsRefused) {
  const Directory directory("token");
  const std::string file = token_file(directory);
  const auto refused = [](const Words& options) {
    const Result result = tenure(Words{"run", "job"} + options + Words{"--", "true"});
    EXPECT_EQ(result.code, 64);
    return result.err;
  };
  EXPECT_TRUE(has(refused({"--http", "web-1:9090"}), "\"web-1:9090\" is not an address to listen on"));
  EXPECT_TRUE(
      has(refused({"--http", "192.0.2.1:0", "--http-open"}), "this machine does not have that address"));
  EXPECT_TRUE(has(refused({"--http-open"}), "--http-open goes with --http"));
  EXPECT_TRUE(has(refused({"--http-token-file", file}), "--http-token-file goes with --http"));
  EXPECT_TRUE(
      has(refused({"--http", "0", "--http-open", "--http-token-file", file}), "contradict each other"));
  EXPECT_TRUE(has(refused({"--http", "0", "--http-token-file", file + "x"}), "--http-token-file: "));
}

TEST(Http, OnlyWhoShowsTheTokenSeesMoreThanTheProbes) {
  ReadyRedis redis;
  const Directory directory("token");
  const ServingTenure tenure(run_words({redis.url()}, {"--http-token-file", token_file(directory)}),
                             "0.0.0.0:0");
  const std::string host = "Host: localhost\r\n";
  const std::string right = host + "Authorization: Bearer " + token + "\r\n";
  const std::string wrong = host + "Authorization: Bearer " + token.substr(1) + "x\r\n";
  for (const auto* path : {"/api/v1/self", "/api/v1/nodes"}) {
    EXPECT_EQ(tenure.get(path, right).status, 200) << path;
    for (const auto& headers : {host, wrong, host + "Authorization: " + token + "\r\n"}) {
      const auto refused = tenure.get(path, headers);
      EXPECT_EQ(refused.status, 401) << path;
      EXPECT_FALSE(has(refused.body, "job"));
    }
  }
  EXPECT_EQ(tenure.get("/livez", host).status, 200);
  EXPECT_EQ(tenure.get("/readyz", host).body, "ready\n");
  EXPECT_TRUE(has(tenure.get("/readyz", right).body, "1 of 1 node"));
  redis.kill();
  EXPECT_TRUE(wait_until([&] { return tenure.get("/readyz", host).status == 503; }));
  EXPECT_FALSE(has(tenure.get("/readyz", host).body, redis.url()));
  EXPECT_TRUE(has(tenure.get("/readyz", right).body, redis.url()));
}

TEST(Http, ATokenThatOthersCanReadIsWarnedOf) {
  ReadyRedis redis;
  const Directory directory("token");
  const std::string file = token_file(directory, 0644);
  const ServingTenure tenure(run_words({redis.url()}, {"--http-token-file", file}));
  EXPECT_TRUE(has(tenure.process().err(),
                  "tenure: warning: " + file + " holds a token, and others can read it: chmod 600\n"))
      << tenure.process().err();
  EXPECT_FALSE(has(tenure.process().err(), token));
}

TEST(Http, APageOfAStrangerCannotLookByGivingItsNameOurAddress) {
  ReadyRedis redis;
  const ServingTenure tenure(run_words({redis.url()}));
  for (const auto* path : {"/livez", "/readyz", "/api/v1/self", "/nothing"}) {
    const auto refused = tenure.get(path, "Host: evil.example:9090\r\nOrigin: http://evil.example:9090\r\n");
    EXPECT_EQ(refused.status, 421) << path;
    EXPECT_TRUE(has(refused.body, "is not this machine")) << refused.body;
  }
  EXPECT_EQ(tenure.get("/api/v1/self", "").status, 400);
  // And what it may load by our own name it may not read.
  EXPECT_FALSE(has(tenure.get("/api/v1/self", "Host: localhost\r\nOrigin: http://evil.example\r\n").head,
                   "Access-Control"));
}

TEST(Http, OnlyReadsAreAnswered) {
  ReadyRedis redis;
  const ServingTenure tenure(run_words({redis.url()}));
  for (const auto* method : {"POST", "PUT", "DELETE", "PATCH", "OPTIONS"}) {
    EXPECT_EQ(HttpClient(tenure.port()).ask(method, "/api/v1/self").status, 405) << method;
  }
  const auto head = HttpClient(tenure.port()).ask("HEAD", "/livez");
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.header("Content-Length"), "3");
  EXPECT_EQ(HttpClient(tenure.port()).get("/livez", "Host: localhost\r\nContent-Length: 4\r\n").status, 413);
}

TEST(Http, HalfRequestsAndOversizedOnesKeepNobodyOut) {
  ReadyRedis redis;
  const ServingTenure tenure(run_words({redis.url()}));
  std::vector<HttpClient> half;
  for (int i = 0; i < 300; ++i) {
    half.emplace_back(tenure.port());
    half.back().send("GET /livez HTTP/1.1\r\nHost: 127");
  }
  for (const std::size_t size : {9'000U, 100'000U}) {
    EXPECT_EQ(tenure.get("/livez", "Host: localhost\r\nX: " + std::string(size, 'x') + "\r\n").status, 431);
  }
  EXPECT_EQ(tenure.get("/livez").status, 200);
  EXPECT_EQ(tenure.get("/readyz").status, 200);
  EXPECT_EQ(half.front().receive_all(), 0U);  // it made room
  half.back().send(".0.0.1\r\n\r\n");
  EXPECT_EQ(half.back().receive().status, 200);
}

TEST(Http, ReadyzSaysWhichNodesAreAwayAndWhenTheyAreBack) {
  std::vector<RedisServer> nodes(3);
  make_ready(urls_of(nodes), {"--ttl-max", "1s"});
  const ServingTenure tenure(Words{"elect", "a", "--lease", "1s", "--ttl-max", "1s"} +
                             redis_options(urls_of(nodes)));
  ASSERT_TRUE(tenure.comes_to("/readyz", 200, "ready: 3 of 3 nodes give leases, 2 are needed\n"));
  nodes[0].kill();
  // One of three is no harm, and is named.
  ASSERT_TRUE(tenure.comes_to("/readyz", 200,
                              "ready: 2 of 3 nodes give leases, 2 are needed\n" + nodes[0].url() + ": "));
  nodes[1].kill();
  ASSERT_TRUE(tenure.comes_to("/readyz", 503,
                              "not ready: 1 of 3 nodes give leases, 2 are needed\n" + nodes[0].url()));
  EXPECT_TRUE(has(tenure.get("/readyz").body, "\n" + nodes[1].url() + ": "));
  EXPECT_EQ(tenure.get("/livez").status, 200);  // to start again would not help
  // They have forgotten everything, and come back by way of a quarantine.
  nodes[0].restart();
  nodes[1].restart();
  EXPECT_TRUE(tenure.comes_to("/readyz", 200, "ready: 3 of 3")) << tenure.get("/readyz").body;
}

TEST(Http, ReadyzSaysThatTheNodesAreInQuarantineAndWhenItIsOver) {
  RedisServer redis;  // new to Tenure: the first client waits for a quarantine
  const ServingTenure tenure(run_words({redis.url()}, {"--ttl", "5s", "--ttl-max", "5s"}));
  const auto closed = tenure.get("/readyz");
  EXPECT_EQ(closed.status, 503) << closed.body;
  EXPECT_TRUE(tenure.comes_to("/readyz", 503,
                              redis.url() + ": it had no record of Tenure: new, or its data was lost"))
      << tenure.get("/readyz").body;
  EXPECT_TRUE(has(tenure.get("/api/v1/self").body, "\"lease\": null"));
  EXPECT_TRUE(tenure.comes_to("/readyz", 200, "ready: 1 of 1")) << tenure.get("/readyz").body;
  EXPECT_TRUE(tenure.comes_to("/api/v1/self", 200, "\"held\": true"));
}

TEST(Http, ANodeThatHangsHoldsUpNothingElse) {
  std::vector<RedisServer> nodes(3);
  make_ready(urls_of(nodes));
  const ServingTenure tenure(run_words(urls_of(nodes)));
  ASSERT_TRUE(tenure.comes_to("/api/v1/self", 200, "\"held\": true"));
  for (auto& node : nodes) node.pause();
  HttpClient slow(tenure.port());
  bool under_way = false;
  ASSERT_TRUE(wait_until([&] {
    slow.send("GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    EXPECT_EQ(tenure.get("/livez").status, 200);
    under_way = !slow.answered();
    return slow.receive().status == 503;
  }));
  EXPECT_TRUE(under_way) << "others were answered only when that was known";
  EXPECT_TRUE(has(tenure.get("/readyz").body, "not ready: 0 of 3")) << tenure.get("/readyz").body;
  for (auto& node : nodes) node.resume();
  EXPECT_TRUE(tenure.comes_to("/readyz", 200));
}

// A look at such a node takes two seconds at least: whoever waited for it would never be as fast as this once in five times.
TEST(Http, ALookThatIsUnderWayHoldsUpNoEnd) {
  std::vector<RedisServer> nodes(3);
  make_ready(urls_of(nodes));
  RedisServer& hung = nodes.back();
  const auto ends_before_the_look = [&] {
    const ServingTenure tenure(run_words(urls_of(nodes)));
    EXPECT_TRUE(tenure.comes_to("/api/v1/self", 200, "\"held\": true"));
    hung.pause();
    const HttpClient slow(tenure.port());
    slow.send("GET /api/v1/nodes HTTP/1.1\r\nHost: localhost\r\n\r\n");
    EXPECT_EQ(tenure.get("/livez").status, 200);  // behind it, so that it has been read
    tenure.process().send(SIGTERM);
    const bool soon = tenure.process().wait(std::chrono::milliseconds(1'500)).has_value();
    hung.resume();
    EXPECT_TRUE(tenure.process().wait());
    return soon;
  };
  bool soon = false;
  for (int i = 0; i < 5 && !soon; ++i) soon = ends_before_the_look();
  EXPECT_TRUE(soon);
}

// Like a terminal that is held by Ctrl-S.
TEST(Http, LivezSaysThatNobodyReadsTheEvents) {
  ReadyRedis redis;
  const Directory directory("stuck");
  const std::string fifo = directory.path() / "fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  const runtime::Descriptor end(open(fifo.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC));
  std::string page(static_cast<std::size_t>(sysconf(_SC_PAGESIZE)), '.');
  while (write(end.get(), page.data(), page.size()) > 0) {
  }
  const auto free = http::Listener::open({})->address();  // and closed again
  const Process process(shell(std::string("exec ") + paths::program + " elect a --redis " + redis.url() +
                              " --http " + free.text() + " > " + fifo),
                        Process::Options{.environment = plain_environment()});
  ASSERT_TRUE(wait_until([&] { return has(process.err(), free.text()); })) << process.err();
  const auto alive = [&] { return HttpClient(free.port).get("/livez"); };
  EXPECT_EQ(alive().status, 200);
  ASSERT_TRUE(wait_until([&] { return alive().status == 503; }, std::chrono::seconds(20)));
  EXPECT_TRUE(has(alive().body, "the writer of events is stuck: ")) << alive().body;
  // Somebody reads again.
  EXPECT_TRUE(wait_until([&] {
    while (read(end.get(), page.data(), page.size()) > 0) {
    }
    return alive().status == 200;
  }));
}

// As /proc shows it among the open files of a process: "socket:[12345]".
std::string listener_at(std::uint16_t port) {
  std::array<char, 16> wanted{};
  std::snprintf(wanted.data(), wanted.size(), ":%04X", static_cast<unsigned>(port));
  std::ifstream file("/proc/net/tcp");
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string number, local, remote, state, skipped, inode;
    words >> number >> local >> remote >> state;
    for (int i = 0; i < 5; ++i) words >> skipped;
    words >> inode;
    if (local.ends_with(wanted.data()) && state == "0A") return "socket:[" + inode + "]";
  }
  throw std::runtime_error("nobody listens on port " + std::to_string(port));
}

std::string open_files(const std::string& list) {
  std::stringstream text;
  text << std::ifstream(list).rdbuf();
  return text.str();
}

TEST(Http, NeitherTheWatchdogNorTheCommandHasThePort) {
  ReadyRedis redis;
  const Directory directory("sockets");
  const std::string list = directory.path() / "list";
  const ServingTenure tenure(
      run_words({redis.url()}, {},
                shell("cd " + directory.path().string() +
                      "; ls -l /proc/$$/fd > command; ls -l /proc/$PPID/fd > watchdog; "
                      "echo listed; exec sleep 60")));
  ASSERT_TRUE(prints(tenure.process(), "listed"));
  const std::string listener = listener_at(tenure.port());
  ASSERT_EQ(
      result_of(Process(shell("ls -l /proc/" + std::to_string(tenure.process().pid()) + "/fd > " + list)))
          .code,
      0);
  EXPECT_TRUE(has(open_files(list), listener)) << "so that the looks below mean something";
  for (const auto* name : {"command", "watchdog"}) {
    const std::string files = open_files(directory.path() / name);
    EXPECT_TRUE(has(files, "->")) << files;
    EXPECT_FALSE(has(files, listener)) << name << files;
  }
}

TEST(Http, LeaderIsWhatTheKubernetesSidecarServedAndTheTerm) {
  ReadyRedis redis;
  const auto candidate = [&](const std::string& id, const Words& more = {}) {
    return ServingTenure(Words{"elect", "a", "--id", id, "--lease", "3s"} + redis_options({redis.url()}) +
                         more);
  };
  const auto watcher = candidate("watcher", {"--observe"});
  EXPECT_EQ(watcher.get("/leader").body, "{\"name\": \"\", \"term\": null}\n");
  const auto one = candidate("web \"1\"");
  ASSERT_TRUE(one.comes_to("/leader", 200, R"({"name": "web \"1\"", "term": )")) << one.get("/leader").body;
  EXPECT_TRUE(has(one.get("/api/v1/self").body, "\"leads\": true"));
  EXPECT_TRUE(watcher.comes_to("/leader", 200, R"({"name": "web \"1\"", "term": )"));
  EXPECT_TRUE(has(watcher.get("/api/v1/self").body, "\"leads\": false"));
  const auto two = candidate("web-2");
  EXPECT_TRUE(two.comes_to("/leader", 200, R"("name": "web \"1\"")"));
  one.process().send(SIGTERM);
  EXPECT_TRUE(watcher.comes_to("/leader", 200, R"("name": "web-2")"));
  EXPECT_TRUE(two.comes_to("/api/v1/self", 200, "\"leads\": true"));
}

// Its watchdog is forked anew for every campaign.
TEST(Http, WhoLostLeadershipWithACommandServesOnWhileItCampaignsAgain) {
  ReadyRedis redis;
  const ServingTenure tenure(Words{"elect", "a", "--lease", "3s"} + redis_options({redis.url()}) +
                             Words{"--"} + stay());
  ASSERT_TRUE(tenure.comes_to("/api/v1/self", 200, "\"leads\": true"));
  redis.command({"DEL", "a"});
  ASSERT_TRUE(wait_until([&] { return has(tenure.process().err(), "campaigning again"); }))
      << tenure.process().err();
  EXPECT_TRUE(tenure.comes_to("/api/v1/self", 200, "\"leads\": true"));
  EXPECT_TRUE(tenure.comes_to("/leader", 200, "\"term\": 1"));
  tenure.process().send(SIGTERM);
  EXPECT_EQ(tenure.process().exit_code(), 128 + SIGTERM);
}

}  // namespace
}  // namespace tenure::test
