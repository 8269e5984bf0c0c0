// Elections as users write them, on one node and on three: E1–E8, T43, T44, T52, T58.
#include <atomic>
#include <stdexcept>
#include <thread>

#include "integration/api.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;

ElectionOptions short_term() { return {.lease = 1500ms, .renew = 300ms, .grace = 400ms, .drain = 300ms}; }

class ElectionTest : public testing::TestWithParam<std::size_t> {
 protected:
  Nodes nodes{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(Nodes, ElectionTest, testing::Values(1, 3), testing::PrintToStringParamName());

TEST_P(ElectionTest, OneLeadsAndACleanStopHandsOverAtOnce) {  // E1, E7
  const Client one = open(nodes, "web-1");
  const Client two = open(nodes, "web-2");
  auto first = one.election("myapp:leader").value();
  auto second = two.election("myapp:leader").value();
  ASSERT_TRUE(first.start());
  ASSERT_TRUE(first.wait_for_leadership(10s));
  ASSERT_TRUE(second.start());
  ASSERT_TRUE(wait_until([&] { return second.current_leader() == Leader{"web-1", *first.term()}; }));
  EXPECT_FALSE(second.is_leader());
  const auto before = BootClock::now();
  const auto term = *first.term();
  EXPECT_TRUE(first.stop());
  ASSERT_TRUE(second.wait_for_leadership(10s));
  EXPECT_LT(BootClock::now() - before, 5s) << "it waited for the lease to run out";
  EXPECT_GT(*second.term(), term);
  EXPECT_FALSE(first.is_leader());
}

TEST(ElectionLengths, TheUsualLeaseFollowsTheCapOfTheClient) {
  const Client client = Client::open({.nodes = {"unix:///nowhere"}, .ttl_max = 10s}).value();
  const auto usual = client.election("myapp:leader");
  ASSERT_TRUE(usual) << usual.error().message;
  EXPECT_FALSE(client.election("myapp:leader", {.lease = 15s})) << "a lease that was chosen does not";
}

TEST_P(ElectionTest, HandlersHearOfEveryTermInOrder) {  // E2, T52
  const Client client = open(nodes, "web-1");
  auto election = client.election("myapp:leader", short_term()).value();
  Record<std::string> told;
  election.on_elected([&](const Lease& term) { told.add("elected " + std::to_string(term.token())); });
  election.on_lost([&](const TermEnd& end) {
    told.add("lost " + std::to_string(end.term) +
             (end.reason == Loss::stepped_down ? " stepped down" : " stopped"));
  });
  election.on_leader_changed(
      [&](const auto&, const auto& now) { told.add(now ? "leader " + now->id : "no leader"); });
  ASSERT_TRUE(election.start());
  ASSERT_TRUE(election.wait_for_leadership(10s));
  const auto first = *election.term();
  election.step_down();
  EXPECT_FALSE(election.is_leader());
  ASSERT_TRUE(election.wait_for_leadership(10s));
  const auto second = *election.term();
  EXPECT_GT(second, first);
  ASSERT_TRUE(election.stop());
  const std::vector<std::string> expected{"elected " + std::to_string(first),
                                          "leader web-1",
                                          "lost " + std::to_string(first) + " stepped down",
                                          "no leader",
                                          "elected " + std::to_string(second),
                                          "leader web-1",
                                          "lost " + std::to_string(second) + " stopped",
                                          "no leader"};
  EXPECT_EQ(told.all(), expected);
  EXPECT_TRUE(nodes.none_has("myapp:leader"));
}

TEST_P(ElectionTest, WorkIsDoneWhileLeadingAndTheNameIsGivenBackAfterIt) {  // E8
  const Client client = open(nodes);
  auto election = client.election("myapp:leader", short_term()).value();
  std::stop_source stop;
  std::atomic<bool> working = false;
  std::atomic<bool> free_too_early = false;
  std::jthread ender([&] {
    wait_until([&] { return working.load(); });
    stop.request_stop();
  });
  EXPECT_TRUE(election.run(stop.get_token(), [&](const Lease& term) {
    working = true;
    EXPECT_TRUE(wait_until([&] { return term.lost().stop_requested(); }));
    EXPECT_EQ(term.loss(), Loss::stopped);
    EXPECT_TRUE(term.held()) << "it is ours while the work drains";
    EXPECT_FALSE(election.is_leader()) << "and nothing new should be begun";
    std::this_thread::sleep_for(100ms);
    free_too_early = nodes.none_has("myapp:leader");
  }));
  EXPECT_FALSE(free_too_early);
  EXPECT_TRUE(nodes.none_has("myapp:leader"));
}

TEST_P(ElectionTest, WorkThatReturnsByItselfEndsTheElectionAndWhatItThrowsComesOut) {  // E8, T21
  const Client client = open(nodes);
  auto election = client.election("myapp:leader", short_term()).value();
  int times = 0;
  EXPECT_TRUE(election.run({}, [&](const Lease&) { times += 1; }));
  EXPECT_EQ(times, 1);
  EXPECT_THROW((void)election.run({}, [](const Lease&) { throw std::runtime_error("no more"); }),
               std::runtime_error);
  EXPECT_TRUE(nodes.none_has("myapp:leader"));
}

TEST_P(ElectionTest, AnObserverSeesLeadersComeAndGo) {  // E2, T51
  const Client watcher = open(nodes, "watcher");
  auto observed = watcher.election("myapp:leader", {.lease = 1500ms, .observe = true}).value();
  ASSERT_TRUE(observed.start());
  const Client client = open(nodes, "web-1");
  auto election = client.election("myapp:leader", short_term()).value();
  for (int round = 0; round < 2; ++round) {
    ASSERT_TRUE(wait_until([&] { return !observed.current_leader(); }));
    ASSERT_TRUE(election.start());
    ASSERT_TRUE(wait_until([&] { return observed.current_leader().value_or(Leader{}).id == "web-1"; }));
    election.stop();
  }
  EXPECT_FALSE(observed.is_leader());
}

}  // namespace
}  // namespace tenure::test
