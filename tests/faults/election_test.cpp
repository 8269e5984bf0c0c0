// Elections while Redis is away, loses its data, or is tampered with: never two leaders, and a leader that can know
// nothing any more has stopped before another can lead. E6.
#include <algorithm>
#include <csignal>

#include "support/candidate.hpp"
#include "support/candidate_process.hpp"
#include "support/forwarder.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;

using Story = std::vector<std::string>;

class ElectionFaultTest : public testing::TestWithParam<std::size_t> {
 protected:
  static constexpr core::Ttl cap{3'000};

  // A majority of them.
  template <class What>
  void on_most(const What& what) {
    for (std::size_t i = 0; i < nodes.size() / 2 + 1; ++i) what(nodes[i]);
  }
  void watch(Candidate& it) { eyes.emplace_back(oracle, it.client.id(), it.election); }
  // One leads, the other follows.
  void start() {
    watch(one);
    watch(two);
    ASSERT_TRUE(one.election.start());
    ASSERT_TRUE(one.wins());
    ASSERT_TRUE(two.election.start());
    ASSERT_TRUE(wait_until([&] { return two.leaders.all() == Story{"leader web-1"}; }));
  }
  void judge() {
    eyes.clear();
    oracle.judge();
  }

  Nodes nodes{GetParam(), cap};
  Oracle oracle;
  Record<std::string> order;
  Candidate one{nodes, "web-1"};
  Candidate two{nodes, "web-2"};
  std::deque<Eye> eyes;
};

INSTANTIATE_TEST_SUITE_P(Nodes, ElectionFaultTest, testing::Values(1, 3), testing::PrintToStringParamName());

TEST_P(ElectionFaultTest, F3_ARedisThatHangsForLessThanTheGraceChangesNothing) {  // E6
  start();
  const auto term = one.election.term();
  const auto failures = [&] {
    return std::ranges::count_if(
        one.logged.all(), [](const auto& line) { return line.starts_with("myapp:leader is uncertain"); });
  };
  for (int round = 0; round < 2; ++round) {
    ASSERT_TRUE(one.is_renewed());
    const auto before = failures();
    on_most([](RedisServer& it) { it.pause(); });
    const bool uncertain = wait_until([&] { return failures() > before; });
    on_most([](RedisServer& it) { it.resume(); });
    EXPECT_TRUE(uncertain) << round;
  }
  ASSERT_TRUE(one.is_renewed());
  EXPECT_TRUE(one.election.is_leader());
  EXPECT_EQ(one.election.term(), term);
  EXPECT_EQ(one.told.all(), Story{"elected"});
  EXPECT_EQ(two.told.all(), Story{});
  judge();
}

TEST_P(ElectionFaultTest, F3_ARedisThatHangsForLongerEndsTheTermBeforeAnotherCanBegin) {  // E6, T42
  one.election.on_lost([&](const TermEnd& end) {
    order.add("one: " + end.message + (end.drained ? "" : ", and its work goes on"));
  });
  two.election.on_elected([&](const Lease&) { order.add("two: elected"); });
  start();
  const auto term = one.election.term();
  on_most([](RedisServer& it) { it.pause(); });
  const bool told = wait_until([&] { return !order.all().empty(); });
  EXPECT_FALSE(one.election.is_leader());
  on_most([](RedisServer& it) { it.resume(); });
  ASSERT_TRUE(told);
  ASSERT_TRUE(wait_until([&] { return one.election.is_leader() || two.election.is_leader(); }, 20s));
  EXPECT_GT(std::max(one.election.term(), two.election.term()), term);
  EXPECT_EQ(order.all().at(0), "one: it could not be renewed in time");
  judge();
}

TEST_P(ElectionFaultTest, F1_ARestartWithoutDataLeavesTheLeaderItsTerm) {  // T49, B4
  start();
  const auto term = one.election.term();
  ASSERT_TRUE(one.is_renewed());
  on_most([](RedisServer& it) { it.restart(); });
  ASSERT_TRUE(wait_until([&] { return record_state(nodes[0]) == "quarantined"; }));
  ASSERT_TRUE(wait_until([&] { return record_state(nodes[0]) == "open"; }, 20s));
  EXPECT_EQ(one.election.term(), term);
  EXPECT_EQ(one.told.all(), Story{"elected"});
  EXPECT_EQ(two.told.all(), Story{});
  ASSERT_TRUE(one.election.stop());
  ASSERT_TRUE(two.wins());
  EXPECT_GT(two.election.term(), term) << "terms never go back";
  judge();
}

TEST_P(ElectionFaultTest, F9_FlushallLeavesTheLeaderItsTerm) {  // T49
  start();
  const auto term = one.election.term();
  for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i].command({"FLUSHALL"});
  ASSERT_TRUE(wait_until([&] { return record_state(nodes[0]) == "quarantined"; }));
  ASSERT_TRUE(wait_until([&] { return record_state(nodes[0]) == "open"; }, 20s));
  EXPECT_EQ(one.election.term(), term);
  EXPECT_EQ(one.told.all(), Story{"elected"});
  ASSERT_TRUE(one.election.stop());
  ASSERT_TRUE(two.wins());
  EXPECT_GT(two.election.term(), term);
  judge();
}

TEST_P(ElectionFaultTest, F1_WhenTheLeaderDiesWithTheDataTheNextTermIsLarger) {  // T49, S3
  CandidateProcess leader(nodes, "web-0", cap);
  ASSERT_TRUE(wait_until([&] { return leader.has_said("leads "); }, 20s));
  watch(two);
  ASSERT_TRUE(two.election.start());
  ASSERT_TRUE(wait_until([&] { return two.leaders.all() == Story{"leader web-0"}; }));
  leader.process().send(SIGKILL);
  ASSERT_TRUE(leader.process().wait());
  for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i].restart();
  ASSERT_TRUE(two.wins(30s));
  EXPECT_GT(*two.election.term(), leader.term());
  EXPECT_TRUE(two.has_logged("data was lost")) << "it says why it cannot campaign";
  for (auto& it : leader.terms()) oracle.note(std::move(it));
  judge();
}

TEST_P(ElectionFaultTest, AKeyDeletedByHandEndsTheTerm) {  // T33
  start();
  const auto term = one.election.term();
  ASSERT_TRUE(wait_until([&] { return nodes.all_show(leader_key, nodes.values(leader_key).at(0)); }));
  for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i].command({"DEL", leader_key});
  ASSERT_TRUE(wait_until([&] { return one.told.all().size() >= 2; }, 20s));
  const std::string lost = one.told.all().at(1);
  // Had another taken it by the time of the renewal?
  EXPECT_TRUE(lost == "lost missing, not drained" || lost == "lost taken, not drained") << lost;
  ASSERT_TRUE(wait_until([&] { return one.election.is_leader() || two.election.is_leader(); }, 20s));
  EXPECT_GT(std::max(one.election.term(), two.election.term()), term);
}

TEST(ElectionFault, AKeyDeletedByHandIsMissingToALeaderThatIsAlone) {  // T33
  Nodes nodes(1);
  Candidate one(nodes, "web-1");
  ASSERT_TRUE(one.election.start());
  ASSERT_TRUE(one.wins());
  nodes[0].command({"DEL", leader_key});
  ASSERT_TRUE(wait_until([&] { return one.told.all().size() == 3; }, 20s));
  EXPECT_EQ(one.told.all(), (Story{"elected", "lost missing, not drained", "elected"}));
}

// The leader behind a network of its own.
TEST(ElectionFault, F6_ALeaderThatIsCutOffStopsBeforeAnotherLeads) {  // E6
  Nodes nodes(1);
  Forwarder wire(nodes[0].socket_path());
  auto behind = options_for(nodes, "web-1");
  behind.nodes = {redis::to_text(wire.address())};
  Candidate one(behind, three_seconds());
  Candidate two(nodes, "web-2");
  Oracle oracle;
  std::uint64_t term = 0;
  {
    std::deque<Eye> eyes;
    eyes.emplace_back(oracle, "web-1", one.election);
    eyes.emplace_back(oracle, "web-2", two.election);
    ASSERT_TRUE(one.election.start());
    ASSERT_TRUE(one.wins());
    term = *one.election.term();
    ASSERT_TRUE(two.election.start());
    ASSERT_TRUE(wait_until([&] { return two.leaders.all() == Story{"leader web-1"}; }));
    // For a moment: it connects anew, and nobody hears of it.
    wire.cut();
    wire.mend();
    ASSERT_TRUE(one.is_renewed());
    EXPECT_EQ(one.election.term(), term);
    EXPECT_EQ(one.told.all(), Story{"elected"});

    wire.cut();
    ASSERT_TRUE(wait_until([&] { return one.told.all() == Story({"elected", "lost not_renewed"}); }));
    EXPECT_EQ(two.told.all(), Story{}) << "the lease has not run out yet";
    ASSERT_TRUE(two.wins());
    EXPECT_GT(*two.election.term(), term);
    wire.mend();
    ASSERT_TRUE(
        wait_until([&] { return one.election.current_leader() == Leader{"web-2", *two.election.term()}; }));
    EXPECT_FALSE(one.election.is_leader());
    ASSERT_TRUE(two.election.stop());
    ASSERT_TRUE(one.wins());
  }
  oracle.judge();
}

TEST(ElectionFault, F2_ARestartWithItsDataChangesNothing) {
  Nodes nodes(1, core::Ttl(3'000), {.arguments = {"--appendonly", "yes", "--appendfsync", "no"}});
  Candidate one(nodes, "web-1");
  Candidate two(nodes, "web-2");
  ASSERT_TRUE(one.election.start());
  ASSERT_TRUE(one.wins());
  const auto term = one.election.term();
  ASSERT_TRUE(two.election.start());
  ASSERT_TRUE(wait_until([&] { return two.leaders.all() == Story{"leader web-1"}; }));
  ASSERT_TRUE(one.is_renewed());
  nodes[0].restart();
  ASSERT_TRUE(wait_until([&] { return record_state(nodes[0]) == "open"; }, 20s));
  ASSERT_TRUE(one.is_renewed());
  EXPECT_EQ(one.election.term(), term);
  EXPECT_EQ(one.told.all(), Story{"elected"});
  EXPECT_EQ(two.told.all(), Story{});
  ASSERT_TRUE(one.election.stop());
  EXPECT_TRUE(two.wins());
}

TEST(ElectionFault, ACandidateWaitsForARedisThatIsNotThereAndSaysSoOnce) {
  Nodes nodes(1, core::Ttl(3'000));
  nodes[0].kill();
  Candidate one(nodes, "web-1");
  ASSERT_TRUE(one.election.start());
  ASSERT_TRUE(wait_until([&] { return !one.logged.all().empty(); }));
  EXPECT_FALSE(one.election.wait_for_leadership(1s));
  EXPECT_EQ(one.logged.all().size(), 1U) << one.logged.all().back();
  nodes[0].restart();
  EXPECT_TRUE(one.wins());
}

}  // namespace
}  // namespace tenure::test
