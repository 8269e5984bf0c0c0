// A fleet as it is shown, from what Redis shows: who counts, what is even, what goes wrong.
#include "cli/fleet/fleet_view.hpp"

#include <gtest/gtest.h>

#include "unit/cli/fleet_facts.hpp"

namespace tenure::cli {
namespace {

TEST(FleetView, AnInstanceHasItsAgeItsShareAndWhatItsLeasesShow) {
  const auto view = view_of(Facts().instance("a", beat("ready", 1, 7)).instance("b").shared(3, "a"));
  ASSERT_EQ(view.instances.size(), 2U);
  const auto& a = view.instances[0];
  EXPECT_EQ(a.id, "a");
  EXPECT_EQ(a.status, "ready");
  EXPECT_EQ(a.age_ms, 60'000);
  EXPECT_EQ(a.owned, 3U);
  EXPECT_EQ(a.says_owned, 7U);
  EXPECT_DOUBLE_EQ(a.share, 1.5);
  EXPECT_EQ(a.left, core::Ttl(20'000));
  EXPECT_EQ(view.instances[1].owned, 0U);
}

TEST(FleetView, BalancedWithinOneIsLessThanOneOffForEach) {
  const auto within = [](int a, int b, int c) {
    return view_of(
               Facts().instance("a").instance("b").instance("c").shared(a, "a").shared(b, "b").shared(c, "c"))
        .balance->within_one;
  };
  EXPECT_TRUE(within(3, 3, 3));
  EXPECT_TRUE(within(4, 3, 3));
  EXPECT_TRUE(within(4, 4, 3));
  EXPECT_FALSE(within(4, 4, 2));
  EXPECT_FALSE(within(5, 3, 3));
  EXPECT_TRUE(within(0, 0, 0));
}

TEST(FleetView, WhoWeighsTwiceAsMuchMayOwnTwiceAsMuch) {
  const auto even = view_of(
      Facts().instance("a", beat("ready", 2)).instance("b", beat("ready", 1)).shared(6, "a").shared(3, "b"));
  EXPECT_TRUE(even.balance->within_one);
  EXPECT_DOUBLE_EQ(even.balance->most, 3);
  EXPECT_DOUBLE_EQ(even.balance->fewest, 3);
  const auto odd = view_of(
      Facts().instance("a", beat("ready", 2)).instance("b", beat("ready", 1)).shared(4, "a").shared(5, "b"));
  EXPECT_FALSE(odd.balance->within_one);
}

TEST(FleetView, WhoLeavesHasNoShareAndNobodyReadyMeansNoBalance) {
  const auto view = view_of(Facts().instance("a").instance("b", beat("leaving")).shared(2, "a"));
  EXPECT_DOUBLE_EQ(view.instances[0].share, 2);
  EXPECT_DOUBLE_EQ(view.instances[1].share, 0);
  EXPECT_TRUE(view.balance->within_one);
  EXPECT_FALSE(view_of(Facts().instance("b", beat("leaving"))).balance.has_value());
  EXPECT_FALSE(view_of(Facts()).balance.has_value());
}

TEST(FleetView, InstancesAndSessionsStandInTheOrderInWhichPeopleCount) {
  const auto view = view_of(Facts()
                                .instance("web-10")
                                .instance("web-9")
                                .session("s-10", "web-10")
                                .session("s-2", "web-9")
                                .session("s-1", "web-9"));
  ASSERT_EQ(view.instances.size(), 2U);
  EXPECT_EQ(view.instances[0].id, "web-9");
  ASSERT_EQ(view.sessions.size(), 3U);
  EXPECT_EQ(view.sessions[0].session.id, "s-1");
  EXPECT_EQ(view.sessions[1].session.id, "s-2");
  EXPECT_EQ(view.sessions[2].session.id, "s-10");
  EXPECT_EQ(view.sessions[2].lease.holder.owner, "web-10") << "each keeps its own lease";
}

TEST(FleetView, AnOwnerWithoutAHeartbeatIsSilent) {
  const auto view = view_of(Facts().instance("a").session("s", "dead"));
  ASSERT_EQ(view.instances.size(), 2U);
  EXPECT_EQ(view.instances[1].id, "dead");
  EXPECT_EQ(view.instances[1].status, "silent");
  EXPECT_EQ(view.instances[1].owned, 1U);
  EXPECT_EQ(view.owned, 1U);
  EXPECT_EQ(view.nobody, 0U);
}

TEST(FleetView, AHeartbeatThatCannotBeReadHasNoShare) {
  const auto view = view_of(Facts().instance("a", "hello"));
  EXPECT_EQ(view.instances.at(0).status, "unreadable");
  EXPECT_FALSE(view.balance.has_value());
}

TEST(FleetView, NobodyIsForSessionsThatShouldHaveSomebody) {
  const auto view =
      view_of(Facts().instance("a").session("s1", "a").session("s2", "").session("s3", "", true));
  EXPECT_EQ(view.owned, 1U);
  EXPECT_EQ(view.nobody, 1U);
  EXPECT_EQ(view.paused, 1U);
  EXPECT_TRUE(view.sessions[1].nobody());
  EXPECT_DOUBLE_EQ(view.instances[0].share, 2);
}

TEST(FleetView, FailingIsWhoseLastPollWentWrong) {
  Facts facts;
  facts.session("s1", "a").session("s2", "a").session("s3", "a");
  facts.results[0] = {poll::ResultText{true, "", 5}, 1};
  facts.results[1] = {poll::ResultText{false, "no answer", 5}, 1};
  const auto view = view_of(std::move(facts));
  EXPECT_EQ(view.failing, 1U);
  EXPECT_TRUE(view.sessions[1].failing());
}

TEST(FleetView, BadSessionsAreKeptApart) {
  Facts facts;
  facts.sessions.bad = {{"s", "it has no address"}};
  const auto view = view_of(std::move(facts));
  EXPECT_EQ(view.bad.size(), 1U);
  EXPECT_TRUE(view.sessions.empty());
}

}  // namespace
}  // namespace tenure::cli
