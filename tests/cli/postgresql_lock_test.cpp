// tenure lock on a PostgreSQL: the same tables, sentences and exit codes as on Redis.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>

#include "cli/ready_postgres.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

class PostgresqlLock : public testing::Test {
 protected:
  Result lock(const Words& words) const { return tenure(Words{"lock"} + words + store(postgres.url())); }
  std::unique_ptr<Process> start(const std::string& name, const Words& options) const {
    return start_tenure(run_words(postgres.url(), options, stay(), name));
  }
  std::string owner_of(const std::string& name) const {
    return postgres.query("SELECT owner FROM tenure.lease WHERE ends > clock_timestamp() AND name = '" +
                          name + "'");
  }

  ReadyPostgres postgres;
};

TEST_F(PostgresqlLock, LsShowsLocksElectionsAndWhoWaits) {
  const auto b = start("b", {"--id", "web-3"});
  const std::string token = std::to_string(number_printed(*b));
  const auto a = start("a", {"--id", "web#4"});
  number_printed(*a);
  const auto waiter = start("b", {"--id", "web-5"});
  const auto leader = start_tenure(Words{"elect", "myapp:leader", "--id", "web-6"} + store(postgres.url()));
  ASSERT_TRUE(prints(*leader, "elected")) << leader->err();
  ASSERT_TRUE(wait_until([&] { return postgres.query("SELECT count(*) FROM tenure.waiter") == "1"; }));

  const Result result = lock({"ls"});
  EXPECT_EQ(result.code, 0) << result.err;
  const auto rows = table(result.out);
  ASSERT_EQ(rows.size(), 4U) << result.out;
  EXPECT_EQ(rows[0], (Words{"NAME", "KIND", "STATE", "OWNER", "TOKEN", "LEFT", "WAITING", "NODES"}));
  EXPECT_EQ(rows[1][0], "a");
  EXPECT_EQ(rows[1][3], "web#4");
  EXPECT_EQ(rows[2].size(), 8U);
  EXPECT_EQ(Words(rows[2].begin(), rows[2].begin() + 5), (Words{"b", "lock", "held", "web-3", token}));
  EXPECT_EQ(Words(rows[2].begin() + 6, rows[2].end()), (Words{"1", "1/1"}));
  EXPECT_EQ(Words(rows[3].begin(), rows[3].begin() + 4),
            (Words{"myapp:leader", "election", "held", "web-6"}));
}

TEST_F(PostgresqlLock, LsOfNothingSaysSoAndGoesThroughManyRows) {
  EXPECT_EQ(lock({"ls"}).err,
            "tenure: there are no locks under redlock:, no elections, and no sessions that anybody owns\n");
  EXPECT_EQ(lock({"ls", "--json"}).out, "{\"locks\": [], \"fleets\": []}\n");
  postgres.execute(
      "INSERT INTO tenure.lease (name, owner, nonce, token, ends) SELECT 'redlock:' || n, 'web-3', n, n, "
      "now() + interval '50s' FROM generate_series(1, 2500) n");
  EXPECT_EQ(table(lock({"ls"}).out).size(), 2'501U);
}

TEST_F(PostgresqlLock, ShowOfOneNameTellsItsHolder) {
  const auto holder = start("job", {"--id", "web-3"});
  const std::string token = std::to_string(number_printed(*holder));
  const Result text = lock({"show", "job"});
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_TRUE(text.out.starts_with("job: a lock, held by web-3 for another ")) << text.out;
  EXPECT_TRUE(has(text.out, "(token " + token + ")")) << text.out;
  const Result json = lock({"show", "job", "--json"});
  EXPECT_TRUE(json.out.starts_with(R"({"name": "job", "kind": "lock", "fleet": null, "state": "held", )"))
      << json.out;
  EXPECT_TRUE(has(json.out, R"("views": [{"node": ")" + postgres.url() + R"(", "answers": true)"))
      << json.out;
  const Result free = lock({"show", "nothing"});
  EXPECT_EQ(free.code, 1);
  EXPECT_EQ(free.out, "nothing: free\n");
}

TEST_F(PostgresqlLock, ANameThatIsKeptForAWaiterIsShownSo) {
  postgres.execute(
      "INSERT INTO tenure.lease (name, owner, nonce, token, ends, kept) VALUES ('redlock:job', 'web-3', -5, "
      "0, "
      "now() + interval '50s', true)");
  EXPECT_TRUE(has(lock({"show", "job"}).out, "job: a lock, kept for web-3, which waits for it"))
      << lock({"show", "job"}).out;
  EXPECT_EQ(table(lock({"ls"}).out).at(1).at(2), "kept");
}

TEST_F(PostgresqlLock, LeasesOfAnotherPrefixAreOthers) {
  make_ready_postgres(postgres.url(), {"--prefix", "mine:"});
  const auto holder = start("job", {"--id", "web-3", "--prefix", "mine:"});
  number_printed(*holder);
  EXPECT_EQ(lock({"show", "job"}).code, 1);
  const Result mine = lock({"ls", "--prefix", "mine:"});
  ASSERT_EQ(table(mine.out).size(), 2U) << mine.out << mine.err;
  EXPECT_EQ(table(mine.out)[1][0], "job");
}

TEST_F(PostgresqlLock, BreakTellsTheHolderAndWaitsUntilNobodyBelieves) {
  const auto holder = start("job", {"--id", "web-3", "--ttl", "6s"});
  const std::string token = std::to_string(number_printed(*holder));
  const auto breaker = start_tenure(Words{"lock", "break", "job", "--yes"} + store(postgres.url()));
  ASSERT_TRUE(wait_until([&] { return owner_of("redlock:job").starts_with("broken by "); }));
  EXPECT_EQ(postgres.query("SELECT token FROM tenure.lease"), std::to_string(std::stol(token) + 1));
  const Result refused = tenure(run_words(postgres.url(), {"-n"}, {"true"}));
  EXPECT_EQ(refused.code, 75);
  EXPECT_TRUE(has(refused.err, "job is held by broken by ")) << refused.err;
  EXPECT_EQ(holder->exit_code(), 79) << holder->err();
  EXPECT_TRUE(breaker->running()) << "the name was free before its holder had gone";
  EXPECT_EQ(breaker->exit_code(), 0) << breaker->err();
  EXPECT_TRUE(has(breaker->err(), "tenure: the lock job is held by web-3 for another ")) << breaker->err();
  EXPECT_TRUE(breaker->err().ends_with("tenure: job is free\n")) << breaker->err();
}

TEST_F(PostgresqlLock, BreakUnsafeFreesItAtOnceAndWakesTheNext) {
  const auto holder = start("job", {"--id", "web-3", "--ttl", "9s"});
  const long token = number_printed(*holder);
  const auto waiter = start("job", {"--id", "web-4", "--ttl", "9s"});
  ASSERT_TRUE(wait_until([&] { return postgres.query("SELECT count(*) FROM tenure.waiter") == "1"; }));
  const auto begin = Clock::now();
  const Result result = lock({"break", "job", "--yes", "--unsafe"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(has(result.err, "this is unsafe: web-3 goes on believing")) << result.err;
  EXPECT_GT(number_printed(*waiter), token);
  EXPECT_LT(Clock::now() - begin, 3s);
  EXPECT_EQ(holder->exit_code(), 79) << holder->err();
}

TEST_F(PostgresqlLock, BreakOfWhatNobodyHasOrOfAnElectionChangesNothing) {
  const Result free = lock({"break", "job", "--yes"});
  EXPECT_EQ(free.code, 1);
  EXPECT_EQ(free.err, "tenure: job is free: there is nothing to break\n");
  EXPECT_EQ(postgres.query("SELECT count(*) FROM tenure.lease"), "0");
  const auto leader = start_tenure(Words{"elect", "myapp:leader", "--id", "web-6"} + store(postgres.url()));
  ASSERT_TRUE(prints(*leader, "elected")) << leader->err();
  const Result election = lock({"break", "myapp:leader", "--yes"});
  EXPECT_EQ(election.code, 1);
  EXPECT_TRUE(has(election.err, "myapp:leader is no lock but an election, held by web-6")) << election.err;
}

TEST_F(PostgresqlLock, AServerThatIsAwayIsSaid) {
  postgres.kill();
  for (const Words& words : std::vector<Words>{{"ls"}, {"show", "job"}, {"break", "job", "--yes"}}) {
    const Result result = lock(words);
    EXPECT_EQ(result.code, 69) << words.front();
    EXPECT_EQ(result.out, "");
    EXPECT_TRUE(result.err.starts_with("tenure: " + postgres.url() + ": ")) << result.err;
  }
}

}  // namespace
}  // namespace tenure::test
