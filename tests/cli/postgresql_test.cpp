// The program on a PostgreSQL: tenure run and elect do there what they do on Redis, and no password is seen.
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <iterator>

#include "cli/ready_postgres.hpp"
#include "support/directory.hpp"
#include "support/paths.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

class PostgresqlRun : public testing::Test {
 protected:
  Result run(const Words& options, const Words& command = {"true"}) const {
    return tenure(run_words(postgres.url(), options, command));
  }
  std::unique_ptr<Process> start(const Words& options, const Words& command = stay()) const {
    return start_tenure(run_words(postgres.url(), options, command));
  }

  ReadyPostgres postgres;
};

TEST_F(PostgresqlRun, TheCommandSeesItsTokenAndItsExitCodeComesThrough) {
  const Result result = run({}, shell("echo $TENURE_NAME $TENURE_TOKEN; exit 7"));
  EXPECT_EQ(result.code, 7) << result.err;
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(result.out, "job " + postgres.query("SELECT last_value FROM tenure.fence") + "\n");
}

// As its first lines say; and with a token of before it leaves nothing.
TEST_F(PostgresqlRun, TheExampleOfAFencedWriterWritesOnlyWhileItHolds) {
  const std::string psql = "psql '" + postgres.url() + "' -q -v ON_ERROR_STOP=1 -f " +
                           std::string(paths::source_dir) + "/examples/fencing.sql -v token=";
  const Result written = tenure(run_words(postgres.url(), {}, shell(psql + "$TENURE_TOKEN"), "report"));
  EXPECT_EQ(written.code, 0) << written.err;
  EXPECT_EQ(postgres_query(postgres.url(), "SELECT count(*) FROM report"), "1");
  const Result refused = run({}, shell(psql + "5"));
  EXPECT_NE(refused.code, 0);
  EXPECT_NE(refused.err.find("token 5 does not hold report any more"), std::string::npos) << refused.err;
  EXPECT_EQ(postgres_query(postgres.url(), "SELECT count(*) FROM report"), "1");
}

TEST_F(PostgresqlRun, WhoeverDoesNotWaitIsToldOfTheHolder) {
  const auto holder = start({"--id", "web-3"});
  const long token = number_printed(*holder);
  expect_told_of_web_3(run({"-n"}), token);
}

// It is woken, and does not only look when it would anyway.
TEST_F(PostgresqlRun, AWaiterGetsTheNameAsSoonAsItIsGivenBack) {
  const auto holder = start({"--ttl", "60s"});
  const long token = number_printed(*holder);
  const auto waiter = start({"--id", "web-4", "--ttl", "60s"});
  ASSERT_TRUE(wait_until([&] { return has(waiter->err(), "waiting for job"); }));
  ASSERT_TRUE(wait_until([&] { return postgres.query("SELECT count(*) FROM tenure.waiter") == "1"; }));
  const auto released = Clock::now();
  holder->send(SIGTERM);
  EXPECT_GT(number_printed(*waiter), token);
  EXPECT_LT(Clock::now() - released, 3s);
}

TEST_F(PostgresqlRun, TheNameOfAHolderThatWasKilledIsFreeAfterItsTtl) {
  const auto holder = start({"--ttl", "1s"});
  const long token = number_printed(*holder);
  holder->send(SIGKILL);
  const auto next = start({"--wait", "10s"});
  EXPECT_GT(number_printed(*next), token);
}

TEST_F(PostgresqlRun, ItIsFoundInTheEnvironmentAndInAFile) {
  EXPECT_EQ(tenure({"run", "job", "--", "true"}, {"TENURE_STORE=" + postgres.url()}).code, 0);
  EXPECT_EQ(tenure({"run", "job", "--", "true"}, {"TENURE_REDIS=" + postgres.url()}).code, 0);
  const Directory folder("store");
  const std::string file = folder.path() / "nodes";
  std::ofstream(file) << "# one on each line\n" << postgres.url() << "\n";
  EXPECT_EQ(tenure({"run", "job", "--redis-file", file, "--", "true"}).code, 0);
  EXPECT_EQ(tenure({"run", "job", "--", "true"}, {"TENURE_REDIS_FILE=" + file}).code, 0);
}

TEST_F(PostgresqlRun, ClientsOfAnotherCapAreRefusedWithTheOneToUse) {
  const Result result = run({"-n", "--ttl-max", "2m"});
  EXPECT_EQ(result.code, 76);
  EXPECT_TRUE(has(result.err, "the cap of this PostgreSQL is 1m, ours is 2m")) << result.err;
  EXPECT_TRUE(has(result.err, "use --ttl-max 1m")) << result.err;
}

TEST(PostgresqlElect, TheSecondLeadsWhenTheLeaseOfAKilledLeaderIsOver) {
  const ReadyPostgres postgres;
  const auto stand = [&](const std::string& id) {
    return start_tenure(Words{"elect", "myapp:leader", "--id", id, "--lease", "2s"} + store(postgres.url()));
  };
  const auto one = stand("web-1");
  ASSERT_TRUE(prints(*one, "elected term=")) << one->err();
  const auto two = stand("web-2");
  ASSERT_TRUE(prints(*two, "leader id=web-1 ")) << two->err();
  one->send(SIGKILL);
  EXPECT_TRUE(prints(*two, "elected term=")) << two->err();
}

// What a person pastes makes it ready.
TEST(PostgresqlWithoutSchema, RunSaysHowToMakeIt) {
  const PostgresServer postgres;
  for (const Words& options : std::vector<Words>{{"-n"}, {}}) {
    const Result result = tenure(run_words(postgres.url(), options, {"true"}));
    EXPECT_EQ(result.code, 69);
    EXPECT_TRUE(has(result.err, "the schema tenure is not there")) << result.err;
    EXPECT_TRUE(has(result.err, "tenure init --store '" + postgres.url() + "'")) << result.err;
  }
  const Result elect = tenure(Words{"elect", "myapp:leader"} + store(postgres.url()));
  EXPECT_EQ(elect.code, 69);
  EXPECT_TRUE(has(elect.err, "tenure init --store '" + postgres.url() + "'")) << elect.err;
}

TEST(PostgresqlRefuses, WhatMakesNoSenseThere) {
  const std::string url = "postgresql://tenure:gehe!m@127.0.0.1:1/tenure";
  struct Case {
    Words words;
    std::string sentence;
  };
  for (const Case& it : std::vector<Case>{
           {Words{"run", "x", "--tls-ca", "ca.pem"} + store(url) + Words{"--", "true"},
            "--tls-ca is for Redis; a PostgreSQL is told of TLS by its URL"},
           {Words{"run", "x", "--store", url, "--store", "redis://h", "--", "true"},
            "some nodes are Redis and some PostgreSQL; all must be of one kind"},
           {Words{"init", "--store", "postgresql://h/d?password=gehe!m&no=1"}, "is no URL of a PostgreSQL"},
       }) {
    const Result result = tenure(it.words);
    EXPECT_EQ(result.code, 64) << it.sentence;
    EXPECT_TRUE(has(result.err, it.sentence)) << result.err;
    EXPECT_FALSE(has(result.out + result.err, "gehe!m")) << result.err;
  }
  const Result mixed = tenure({"run", "x", "--", "true"}, {"TENURE_STORE=" + url + ",redis://h"});
  EXPECT_EQ(mixed.code, 64);
  EXPECT_TRUE(has(mixed.err, "TENURE_STORE: some nodes are Redis and some PostgreSQL")) << mixed.err;
}

// A pipe can be read once, and would have to be read by both programs.
TEST(PostgresqlRefuses, APipeThatNamesIt) {
  const Process process({"sh", "-c",
                         "echo postgresql://127.0.0.1:1/tenure | \"$0\" run x --redis-file "
                         "/dev/stdin -- true",
                         paths::program},
                        {.environment = plain_environment()});
  EXPECT_EQ(process.exit_code(), 64);
  EXPECT_TRUE(has(process.err(), "names another store than a Redis by a pipe: name it by a plain file"))
      << process.err();
}

class PostgresqlSecrets : public testing::Test {
 protected:
  static std::string file(const Process& process, const std::string& name) {
    std::ifstream in("/proc/" + std::to_string(process.pid()) + "/" + name, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void expect_unseen(const std::string& text) const { EXPECT_FALSE(has(text, "gehe")) << text; }

  const std::string secret = "gehex" + std::to_string(getpid());
  ReadyPostgres postgres{{.tcp = true, .trust = false, .password = secret}};
  const std::string in_query =
      "postgresql://tenure@127.0.0.1:" + std::to_string(postgres.port()) + "/tenure?password=" + secret;
};

TEST_F(PostgresqlSecrets, AreNotSeenInProcOrInTheLog) {
  for (const std::string& url : {postgres.url(), in_query}) {
    const std::string name = url == in_query ? "one" : "other";
    const auto start = [&] {
      return start_tenure(run_words(url, {"--log-level", "debug", "--log-format", "json"}, stay(), name));
    };
    const auto holder = start();
    number_printed(*holder);
    const auto waiter = start();
    ASSERT_TRUE(wait_until([&] { return has(waiter->err(), "waiting for " + name); }));
    for (const auto* process : {holder.get(), waiter.get()}) {
      ASSERT_TRUE(has(file(*process, "cmdline"), "--store"));
      expect_unseen(file(*process, "cmdline"));
    }
    const Process ps({"ps", "axww", "-o", "args"});
    ASSERT_EQ(ps.exit_code(), 0);
    EXPECT_FALSE(has(ps.out(), secret)) << ps.out();  // what other tests have just started is not meant
    holder->send(SIGTERM);
    holder->exit_code();
    number_printed(*waiter);
    expect_unseen(holder->out() + holder->err() + waiter->out() + waiter->err());
  }
}

TEST_F(PostgresqlSecrets, AreShownByNoCommandWhetherItWorksOrNot) {
  const auto wrong = [&](std::string url) { return url.replace(url.find(secret), secret.size(), "gehegex"); };
  for (const std::string& url : {postgres.url(), in_query, wrong(postgres.url()), wrong(in_query)}) {
    for (const Words& words : std::vector<Words>{{"init"},
                                                 {"doctor"},
                                                 {"doctor", "--json"},
                                                 {"lock", "ls"},
                                                 {"lock", "show", "job", "--json"},
                                                 {"lock", "break", "job", "--yes"},
                                                 {"lock", "ls", "oops"}}) {
      const Result result = tenure(words + store(url));
      expect_unseen(result.out + result.err);
    }
    const Result run = tenure(run_words(url, {"-n"}, {"true"}));
    EXPECT_EQ(run.code, has(url, secret) ? 0 : 69) << run.err;
    expect_unseen(run.out + run.err);
  }
}

// What should have been percent-encoded would be taken for a part of the host or the database, and be shown as such.
TEST_F(PostgresqlSecrets, ThatAreWrittenWronglyAreNotShownEither) {
  for (const std::string url :
       {"postgresql://me:a@gehe@h/d", "postgresql://me:a/gehe@h/d", "postgresql://me:a?gehe@h/d?x=1",
        "postgresql://h/d?password=gehe&x=1", "postgresql://me:gehe@h:port:5/d?y=2"}) {
    const Result result = tenure(Words{"doctor"} + store(url));
    EXPECT_EQ(result.code, 64) << url << result.out;
    EXPECT_TRUE(has(result.err, "is no URL of a PostgreSQL")) << result.err;
    expect_unseen(result.out + result.err);
  }
}

}  // namespace
}  // namespace tenure::test
