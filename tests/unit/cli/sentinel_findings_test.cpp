// What doctor finds in what Sentinels say, and in what the replicas of their master lack.
#include "cli/doctor/sentinel_findings.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace tenure::cli {
namespace {

using namespace std::chrono_literals;

const std::string master = "10.0.0.1:6379";

SentinelFacts naming(const std::string& place, const std::string& its_master) {
  return {.place = place, .master = its_master, .down_after = 5s};
}

ReplicaFacts replica(int number) {
  return {.place = "10.0.0." + std::to_string(number) + ":6379", .online = true};
}

// Nothing is to be said of it, but which trade it makes.
SentinelsShown usual() {
  return {.name = "mymaster",
          .master = master,
          .each = {naming("s1:26379", master), naming("s2:26379", master), naming("s3:26379", master)},
          .down_after = 5s,
          .replicas = std::vector{replica(2), replica(3)},
          .min_replicas = 1,
          .max_lag = 5s};
}

using Findings = std::vector<Finding>;
using Codes = std::vector<std::string>;

Codes codes(const SentinelsShown& group, Severity at_least = Severity::warning) {
  Codes all;
  for (const Finding& it : sentinel_findings(group)) {
    if (it.severity >= at_least) all.push_back(it.code);
  }
  return all;
}

Finding only_finding(const SentinelsShown& group, Severity at_least = Severity::warning) {
  Findings all = sentinel_findings(group);
  std::erase_if(all, [&](const Finding& it) { return it.severity < at_least; });
  EXPECT_EQ(all.size(), 1U);
  return all.empty() ? Finding() : all.front();
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(SentinelFindings, OfAGroupThatIsWellAreNotes) { EXPECT_EQ(codes(usual()), Codes{}); }

TEST(SentinelFindings, NameOneThatIsDown) {
  auto group = usual();
  group.each[1] = {.place = "s2:26379",
                   .down = core::Failure{core::Applied::no, core::FailureCode::unreachable, "refused"}};
  const Finding found = only_finding(group);
  EXPECT_EQ(found.code, "sentinel_down");
  EXPECT_EQ(found.severity, Severity::warning);
  EXPECT_EQ(found.what, "Sentinel s2:26379 is of no use: refused");
}

TEST(SentinelFindings, NameOneThatNamesAnotherMaster) {
  auto group = usual();
  group.each[2].master = "10.0.0.2:6379";
  const Finding found = only_finding(group);
  EXPECT_EQ(found.code, "sentinels_disagree");
  EXPECT_EQ(found.severity, Severity::warning);
  EXPECT_EQ(found.what, "Sentinel s3:26379 names 10.0.0.2:6379 the master, and most name 10.0.0.1:6379");
  EXPECT_TRUE(has(found.advice, "SENTINEL RESET mymaster")) << found.advice;
}

// Nobody can tell by counting which of them is right.
TEST(SentinelFindings, SayThatSentinelsAreDividedInHalf) {
  auto group = usual();
  group.each.pop_back();
  group.each[1].master = "10.0.0.2:6379";
  const Finding found = only_finding(group);
  EXPECT_EQ(found.code, "sentinels_disagree");
  EXPECT_EQ(found.what, "Sentinel s2:26379 names 10.0.0.2:6379 the master, and as many name 10.0.0.1:6379");
  EXPECT_TRUE(has(found.advice, "which of the two is the master")) << found.advice;
}

TEST(SentinelFindings, SayOnceThatNoFailoverCanBeAgreedOn) {
  auto group = usual();
  for (SentinelFacts& it : group.each) it.no_quorum = "1 usable Sentinels";
  const Finding found = only_finding(group);
  EXPECT_EQ(found.code, "no_failover");
  EXPECT_EQ(found.severity, Severity::warning);
  EXPECT_TRUE(has(found.what, "1 usable Sentinels")) << found.what;
}

TEST(SentinelFindings, SayThatNobodyCouldBePromoted) {
  auto group = usual();
  group.replicas->clear();
  const Finding found = only_finding(group, Severity::note);
  EXPECT_EQ(found.code, "no_replicas");
  EXPECT_EQ(found.severity, Severity::warning);
}

TEST(SentinelFindings, NameAReplicaThatLacksMuch) {
  constexpr std::int64_t mebibyte = 1 << 20;
  auto group = usual();
  group.replicas->front().bytes_behind = mebibyte;
  EXPECT_EQ(codes(group), Codes{}) << "it says how far it is once a second";
  group.replicas->front().bytes_behind = mebibyte + 1;
  const Finding found = only_finding(group);
  EXPECT_EQ(found.code, "replica_behind");
  EXPECT_EQ(found.severity, Severity::warning);
  EXPECT_EQ(found.what, "replica 10.0.0.2:6379 is 1048577 bytes behind");
}

TEST(SentinelFindings, NameAReplicaThatIsBeingSentTheData) {
  auto group = usual();
  group.replicas->back().online = false;
  const Finding found = only_finding(group);
  EXPECT_EQ(found.code, "replica_behind");
  EXPECT_EQ(found.what, "replica 10.0.0.3:6379 is still being sent the data");
}

TEST(SentinelFindings, KnowNothingOfReplicasWithoutInfo) {
  auto group = usual();
  group.replicas.reset();
  EXPECT_EQ(codes(group, Severity::note), Codes{});
}

// While the old master still counts its replicas, a new one may have been promoted.
TEST(SentinelFindings, WarnWhereTheOldMasterWritesForLongerThanAFailoverTakes) {
  auto group = usual();
  group.max_lag = 10s;  // as Redis has it by default
  const Finding found = only_finding(group);
  EXPECT_EQ(found.code, "max_lag");
  EXPECT_EQ(found.severity, Severity::warning);
  EXPECT_EQ(found.what, "min-replicas-max-lag is 10s, and the Sentinels begin a failover after 5s");
  EXPECT_TRUE(has(found.advice, "CONFIG SET min-replicas-max-lag 5 ")) << found.advice;

  group.each[0].down_after = 3s;
  EXPECT_TRUE(has(only_finding(group).what, "after 3s")) << "the first that is sure counts";
  for (SentinelFacts& it : group.each) it.down_after = 30s;
  EXPECT_EQ(codes(group), Codes{});
}

TEST(SentinelFindings, AskForNoLagThatRedisCannotCount) {
  auto group = usual();
  for (SentinelFacts& it : group.each) it.down_after = 500ms;
  EXPECT_TRUE(has(only_finding(group).advice, "min-replicas-max-lag 1 "));
  group.max_lag = 1s;
  EXPECT_EQ(codes(group), Codes{});
}

TEST(SentinelFindings, SayNothingOfTheLagWhereNothingRestsOnIt) {
  auto group = usual();
  group.max_lag = 10s;
  group.min_replicas = 0;  // a finding on the node says that
  EXPECT_EQ(codes(group, Severity::note), Codes{});
  group = usual();
  group.max_lag.reset();
  EXPECT_EQ(codes(group), Codes{});
}

// Of five servers two masters can have a replica each.
TEST(SentinelFindings, WarnWhereTwoMastersCouldHaveEnoughReplicas) {
  auto group = usual();
  group.replicas = {replica(2), replica(3), replica(4), replica(5)};
  const Finding found = only_finding(group);
  EXPECT_EQ(found.code, "min_replicas_low");
  EXPECT_EQ(found.severity, Severity::warning);
  EXPECT_EQ(found.what, "min-replicas-to-write is 1, and 4 replicas follow the master");
  EXPECT_TRUE(has(found.advice, "CONFIG SET min-replicas-to-write 2 ")) << found.advice;
  group.min_replicas = 2;
  EXPECT_EQ(codes(group), Codes{});
}

TEST(SentinelFindings, NoteThatAMasterGoesOnWithAPartOfItsReplicas) {
  const Finding found = only_finding(usual(), Severity::note);
  EXPECT_EQ(found.code, "min_replicas_partial");
  EXPECT_EQ(found.severity, Severity::note);
  EXPECT_TRUE(has(found.why, "if it has the same setting")) << found.why;
  EXPECT_TRUE(has(found.advice, "2 would not rest on the others")) << found.advice;
}

TEST(SentinelFindings, NoteThatOneReplicaLessStopsAllLeases) {
  auto group = usual();
  group.min_replicas = 2;
  const Finding found = only_finding(group, Severity::note);
  EXPECT_EQ(found.code, "min_replicas_all");
  EXPECT_EQ(found.severity, Severity::note);
  EXPECT_TRUE(has(found.advice, "with 1 on every server")) << found.advice;

  group.replicas->pop_back();
  group.min_replicas = 1;
  EXPECT_TRUE(has(only_finding(group, Severity::note).advice, "attach another replica"));
}

// One that is down is promoted, perhaps, when it is back.
TEST(SentinelFindings, CountReplicasThatAreAwayForNow) {
  auto group = usual();
  for (SentinelFacts& it : group.each) it.replicas = 4;
  group.each[1].replicas = 3;
  group.each[2] = {.place = "s3:26379",
                   .down = core::Failure{core::Applied::no, core::FailureCode::unreachable, "refused"}};
  Findings all = sentinel_findings(group);
  std::erase_if(all, [](const Finding& it) { return it.code == "sentinel_down"; });
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].code, "min_replicas_low");
  EXPECT_EQ(all[0].what, "min-replicas-to-write is 1, and 2 of 4 replicas follow the master");
  EXPECT_TRUE(has(all[0].advice, "CONFIG SET min-replicas-to-write 2 ")) << all[0].advice;

  group = usual();
  group.replicas->pop_back();
  for (SentinelFacts& it : group.each) it.replicas = 2;
  EXPECT_EQ(only_finding(group, Severity::note).code, "min_replicas_partial");
}

TEST(SentinelFindings, LeaveAMasterThatWritesNothingToTheFindingsOnItself) {
  auto group = usual();
  group.min_replicas = 3;
  EXPECT_EQ(codes(group, Severity::note), Codes{});
}

TEST(SentinelsShown, AgreeByTheirMajority) {
  NodeFacts node;
  node.address.group.master = "mymaster";
  node.sentinels = {naming("s1:1", "b:1"), naming("s2:1", "a:1"), naming("s3:1", "a:1")};
  node.sentinels[1].down_after = 7s;
  node.settings = Settings{.save = "", .min_replicas = 1, .max_lag = 10s};
  const auto shown = sentinels_shown(node, core::Ttl(20s));
  EXPECT_EQ(shown.master, "a:1");
  EXPECT_EQ(shown.down_after, core::Duration(7s)) << "of the slowest";
  EXPECT_EQ(shown.min_replicas, 1);
  EXPECT_EQ(shown.max_lag, core::Duration(10s));
}

TEST(SentinelsShown, NameTheFirstMasterWhereTheyAreDivided) {
  NodeFacts node;
  node.sentinels = {naming("s1:1", "b:1"), naming("s2:1", "a:1"), naming("s3:1", "c:1"),
                    naming("s4:1", "a:1"), naming("s5:1", "c:1")};
  node.sentinels[3].down = core::Failure{};
  EXPECT_EQ(sentinels_shown(node, core::Ttl(20s)).master, "c:1");
  node.sentinels[4].down = core::Failure{};
  EXPECT_EQ(sentinels_shown(node, core::Ttl(20s)).master, "b:1");
  for (SentinelFacts& it : node.sentinels) it.down = core::Failure{};
  EXPECT_EQ(sentinels_shown(node, core::Ttl(20s)).master, "");
}

}  // namespace
}  // namespace tenure::cli
