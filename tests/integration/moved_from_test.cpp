// Handles that were moved from hold nothing, and all calls on them are safe.
#include "integration/api.hpp"

namespace tenure::test {
namespace {

// Moved from on purpose throughout.
// NOLINTBEGIN(bugprone-use-after-move)

TEST(MovedFrom, ALeaseHoldsNothing) {
  Nodes nodes(1);
  const Client client = open(nodes);
  auto lease = client.lock("a").try_acquire().value();
  const Lease mine = std::move(lease);
  EXPECT_FALSE(lease.held());
  EXPECT_EQ(lease.token(), 0U);
  EXPECT_EQ(lease.name(), "");
  EXPECT_EQ(lease.deadline(), BootClock::time_point{});
  EXPECT_EQ(lease.ttl(), BootClock::duration::zero());
  EXPECT_EQ(lease.grace(), BootClock::duration::zero());
  EXPECT_TRUE(lease.lost().stop_requested()) << "who waits for its loss does not wait for ever";
  EXPECT_EQ(lease.loss(), std::nullopt);
  ASSERT_FALSE(lease.extend());
  EXPECT_EQ(lease.extend().error().code, Refusal::Code::lost);
  EXPECT_NE(lease.extend().error().message.find("moved from"), std::string::npos);
  ASSERT_FALSE(lease.release());
  EXPECT_EQ(lease.release().error().code, Refusal::Code::usage);
  EXPECT_TRUE(mine.held());
  EXPECT_FALSE(mine.lost().stop_requested());
}

TEST(MovedFrom, ALockAndAClientAreStillTheSame) {
  Nodes nodes(1);
  Client client = open(nodes, "web-1");
  // A copy, which is what is shown.
  const Client other = std::move(client);  // NOLINT(performance-move-const-arg)
  EXPECT_EQ(client.id(), "web-1");
  Lock lock = client.lock("a");
  const Lock copy = std::move(lock);  // NOLINT(performance-move-const-arg)
  EXPECT_EQ(lock.name(), "a");
  EXPECT_TRUE(lock.try_acquire());
  EXPECT_TRUE(copy.try_acquire());
}

TEST(MovedFrom, AnElectionTakesNoPart) {
  Nodes nodes(1);
  const Client client = open(nodes);
  auto election = client.election("a").value();
  Election mine = std::move(election);
  const auto refused = [](const auto& answer) {
    return !answer && answer.error().code == Refusal::Code::usage &&
           answer.error().message.find("moved from") != std::string::npos;
  };
  EXPECT_TRUE(refused(election.start()));
  EXPECT_TRUE(election.stop()) << "what takes no part is stopped";
  election.step_down();
  election.on_elected([](const Lease&) {});
  election.on_lost([](const TermEnd&) {});
  election.on_leader_changed([](const auto&, const auto&) {});
  election.on_hindered([](const Refusal&) {});
  EXPECT_TRUE(refused(election.run({}, [](const Lease&) { ADD_FAILURE() << "it never leads"; })));
  EXPECT_FALSE(election.is_leader());
  EXPECT_TRUE(refused(election.wait_for_leadership()));
  EXPECT_EQ(election.term(), std::nullopt);
  EXPECT_EQ(election.current_leader(), std::nullopt);
  EXPECT_EQ(election.name(), "");
  EXPECT_EQ(election.candidate_id(), "");
  EXPECT_EQ(mine.name(), "a");
  EXPECT_TRUE(mine.start());
  EXPECT_TRUE(mine.wait_for_leadership());
}

TEST(MovedFrom, AHandleMayBeAssignedAgainAndGivesBackWhatItHad) {
  Nodes nodes(1);
  const Client client = open(nodes);
  auto lease = client.lock("a").try_acquire().value();
  Lease other = client.lock("b").try_acquire().value();
  other = std::move(lease);
  EXPECT_EQ(other.name(), "a");
  EXPECT_TRUE(other.held());
  EXPECT_TRUE(wait_until([&] { return nodes.none_has("redlock:b"); }))
      << "what it held before was given back";
  lease = client.lock("c").try_acquire().value();
  EXPECT_TRUE(lease.held());
  EXPECT_EQ(lease.name(), "c");

  auto election = client.election("x").value();
  const Election gone = std::move(election);
  election = client.election("y").value();
  EXPECT_EQ(election.name(), "y");
  EXPECT_TRUE(election.start());
}

TEST(MovedFrom, AnEmptyHandleMayBeMovedOnAndLetGo) {
  Nodes nodes(1);
  const Client client = open(nodes);
  auto lease = client.lock("a").try_acquire().value();
  const Lease mine = std::move(lease);
  Lease empty = std::move(lease);
  const Lease still_empty = std::move(empty);
  EXPECT_FALSE(still_empty.held());
  EXPECT_TRUE(still_empty.lost().stop_requested());
  auto election = client.election("x").value();
  const Election ours = std::move(election);
  const Election none = std::move(election);
  EXPECT_EQ(none.name(), "");
  EXPECT_TRUE(mine.held());
}

// NOLINTEND(bugprone-use-after-move)

}  // namespace
}  // namespace tenure::test
