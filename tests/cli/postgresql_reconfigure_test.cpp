// A set of PostgreSQL servers is changed while it is used, with the same words and exit codes as one of Redis.
#include <gtest/gtest.h>

#include "cli/ready_postgres.hpp"

namespace tenure::test {
namespace {

// One server in use, and two more. The cap is short: a change takes a little longer than that. To reach a server takes a process there,
// so nothing here rests on a single try.
class PostgresqlReconfigure : public testing::Test {
 protected:
  PostgresqlReconfigure() { make_ready_postgres(servers[0].url(), {"--ttl-max", "2s"}); }

  Words with(const std::vector<std::size_t>& which, const std::string& cap = "2s") const {
    Words words;
    for (const std::size_t server : which) words = std::move(words) + store(servers[server].url());
    return words + Words{"--ttl-max", cap};
  }
  Result run(const std::vector<std::size_t>& which, const std::string& cap = "2s") const {
    return tenure(Words{"run", "job", "--wait", "20s", "--ttl", "1s"} + with(which, cap) +
                  Words{"--", "sh", "-c", "echo $TENURE_TOKEN"});
  }
  std::unique_ptr<Process> hold(const std::vector<std::size_t>& which) const {
    auto holder = start_tenure(Words{"run", "held", "--ttl", "1s"} + with(which) + Words{"--"} + stay());
    EXPECT_GT(number_printed(*holder), 0);
    return holder;
  }
  Result reconfigure(const std::vector<std::size_t>& which, const Words& more = {},
                     const std::string& cap = "2s") const {
    return tenure(Words{"reconfigure", "--yes"} + with(which, cap) + more);
  }
  std::string record(std::size_t server) const {
    return servers[server].query("SELECT tenure.shown_record('tenure:')");
  }

  PostgresServer servers[3];
};

TEST_F(PostgresqlReconfigure, AnotherCapIsGivenToAServerInUse) {
  const auto holder = hold({0});
  const Result changed = reconfigure({0}, {}, "1s");
  EXPECT_EQ(changed.code, 0) << changed.err;
  EXPECT_EQ(changed.out, "done: this node decides, with leases of at most 1s\n");
  EXPECT_TRUE(has(changed.err, "nobody gets a new one for 3s\n")) << "the longer of both: " << changed.err;
  EXPECT_EQ(holder->exit_code(), 79) << holder->err();
  const Result old = run({0});
  EXPECT_EQ(old.code, 76);
  EXPECT_TRUE(has(old.err, "use --ttl-max 1s")) << old.err;
  EXPECT_EQ(run({0}, "1s").code, 0);
}

// The new ones have not even the schema.
TEST_F(PostgresqlReconfigure, OneServerBecomesThreeAndTokensGrow) {
  const long before = std::stol(run({0}).out);
  const auto holder = hold({0});
  const Result changed = reconfigure({0, 1, 2});
  EXPECT_EQ(changed.code, 0) << changed.err;
  EXPECT_EQ(changed.out, "done: these 3 nodes decide, with leases of at most 2s\n");
  EXPECT_EQ(holder->exit_code(), 79) << holder->err();
  const Result after = run({0, 1, 2});
  ASSERT_EQ(after.code, 0) << after.err;
  EXPECT_GT(std::stol(after.out), before);
  const Result old = run({0});
  EXPECT_EQ(old.code, 76);
  EXPECT_TRUE(has(old.err, "it belongs to a set of 3 nodes (3-")) << old.err;
}

TEST_F(PostgresqlReconfigure, ThreeServersBecomeOneAndWhoLeftSaysSo) {
  ASSERT_EQ(reconfigure({0, 1, 2}).code, 0);
  const Result alone = reconfigure({0});
  EXPECT_EQ(alone.code, 73);
  EXPECT_TRUE(has(alone.err, "of which you name 1: the others could go on by themselves")) << alone.err;
  ASSERT_EQ(reconfigure({0}, {"--leaving", servers[1].url(), "--leaving", servers[2].url()}).code, 0);
  EXPECT_EQ(run({0}).code, 0);
  const Result old = run({1});
  EXPECT_EQ(old.code, 76);
  EXPECT_TRUE(has(old.err, "it was taken out of its set of nodes by tenure reconfigure")) << old.err;
}

TEST_F(PostgresqlReconfigure, NothingIsChangedUnlessAllServersAnswer) {
  const std::string before = record(0);
  servers[2].kill();
  const Result failed = reconfigure({0, 1, 2});
  EXPECT_EQ(failed.code, 69);
  EXPECT_TRUE(has(failed.err, "nothing was changed: all nodes that are named must answer\n")) << failed.err;
  EXPECT_EQ(record(0), before);
  EXPECT_EQ(servers[1].query("SELECT count(*) FROM pg_namespace WHERE nspname = 'tenure'"), "0");
}

TEST_F(PostgresqlReconfigure, NothingToChangeIsSaid) {
  const Result same = reconfigure({0});
  EXPECT_EQ(same.code, 0);
  EXPECT_EQ(same.out, "nothing to change: this node decides, with leases of at most 2s\n");
  EXPECT_EQ(same.err, "");
}

TEST_F(PostgresqlReconfigure, AServerThatIsGivenTwiceOrWithoutATerminalWithoutYesIsUsage) {
  const Result twice = reconfigure({0}, {"--leaving", servers[0].url()});
  EXPECT_EQ(twice.code, 64);
  EXPECT_TRUE(has(twice.err, "--leaving: ")) << twice.err;
  EXPECT_TRUE(has(twice.err, "is given twice")) << twice.err;
  const Result silent = tenure(Words{"reconfigure"} + with({0}, "3s"));
  EXPECT_EQ(silent.code, 64);
  EXPECT_TRUE(has(silent.err, "add --yes if all leases on these nodes may end")) << silent.err;
}

}  // namespace
}  // namespace tenure::test
