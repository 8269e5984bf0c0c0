// What doctor finds in what a PostgreSQL says of itself: the counter of tokens, its clock, and how fast it answers.
#include <gtest/gtest.h>

#include "cli/postgresql/server_findings.hpp"
#include "postgres/schema.hpp"

namespace tenure::cli {
namespace {

using namespace std::chrono_literals;

const PostgresqlNodes nodes;
constexpr core::Duration node_timeout = 1s;

// Nothing is to be said of it.
PostgresqlFacts well() {
  PostgresqlFacts facts;
  facts.round_trip = 300us;
  facts.clock_ahead = 0ms;
  facts.direct = true;
  ServerSettings& settings = *facts.settings;
  settings.synchronous_commit = settings.fsync = settings.autovacuum = "on";
  settings.isolation = "read committed";
  settings.connections_max = 100;
  settings.connections_left = 90;
  facts.schema = postgres::FoundSchema{postgres::FoundSchema::Kind::made, postgres::schema_version};
  facts.record =
      core::FoundRecord(core::Record{.terms = nodes.keyspace.terms(), .epoch = "e", .open = true}, "shown");
  facts.counter = 1'800'000'000'000'000;
  return facts;
}

std::vector<Finding> found_in(const PostgresqlFacts& facts) {
  return findings_of(facts, PostgresqlCriteria{nodes, node_timeout, 1'800'000'000'000});
}

Finding only_finding(const PostgresqlFacts& facts) {
  const auto all = found_in(facts);
  EXPECT_EQ(all.size(), 1U);
  return all.empty() ? Finding() : all.front();
}

TEST(PostgresqlFindings, OfOneThatIsWellAreNone) { EXPECT_TRUE(found_in(well()).empty()); }

TEST(PostgresqlFindings, ACounterOfTokensThatIsTooSmallIsAnError) {
  auto facts = well();
  facts.counter = 7;
  const Finding found = only_finding(facts);
  EXPECT_EQ(found.code, "fence");
  EXPECT_EQ(found.severity, Severity::error);
  EXPECT_EQ(found.what, "its counter of tokens is far too small: 7");
}

// A record that gives no leases is worse, and makes clients set the counter anyway.
TEST(PostgresqlFindings, ACounterIsNotToldOfBesideARecordThatIsClosed) {
  auto facts = well();
  facts.counter = 7;
  facts.record = core::FoundRecord();
  EXPECT_NE(only_finding(facts).code, "fence");
}

TEST(PostgresqlFindings, AClockThatIsOffByMoreThanATenthOfASecondIsNoted) {
  auto facts = well();
  for (const core::Duration close : {core::Duration(100ms), core::Duration(-100ms)}) {
    facts.clock_ahead = close;
    EXPECT_TRUE(found_in(facts).empty());
  }
  facts.clock_ahead = 101ms;
  const Finding ahead = only_finding(facts);
  EXPECT_EQ(ahead.code, "clock_offset");
  EXPECT_EQ(ahead.severity, Severity::note);
  EXPECT_EQ(ahead.what, "its clock is 101ms ahead of this machine's");
  facts.clock_ahead = -3s;
  EXPECT_EQ(only_finding(facts).what, "its clock is 3s behind this machine's");
}

TEST(PostgresqlFindings, ARoundTripOfHalfTheTimeoutIsAWarningAndOfAllOfItAnError) {
  auto facts = well();
  facts.round_trip = 499ms;
  EXPECT_TRUE(found_in(facts).empty());
  facts.round_trip = 500ms;
  const Finding slow = only_finding(facts);
  EXPECT_EQ(slow.code, "round_trip");
  EXPECT_EQ(slow.severity, Severity::warning);
  EXPECT_EQ(slow.what, "a round trip takes 500ms, and a node counts as silent after 1s");
  EXPECT_EQ(slow.why, "with this TTL its answers often come too late");
  facts.round_trip = 1s;
  const Finding hopeless = only_finding(facts);
  EXPECT_EQ(hopeless.code, "round_trip");
  EXPECT_EQ(hopeless.severity, Severity::error);
  EXPECT_EQ(hopeless.why, "with this TTL its answers always come too late");
}

TEST(PostgresqlFindings, ARightThatOnlyHeartbeatsNeedIsAWarningUnlessAnotherIsMissingToo) {
  auto facts = well();
  facts.missing_rights = {{"DELETE on the table tenure.beat", true}};
  EXPECT_EQ(only_finding(facts).severity, Severity::warning);
  facts.missing_rights.push_back({"UPDATE on the table tenure.lease"});
  const Finding found = only_finding(facts);
  EXPECT_EQ(found.severity, Severity::error);
  EXPECT_EQ(found.what, "the user lacks: DELETE on the table tenure.beat; UPDATE on the table tenure.lease");
}

}  // namespace
}  // namespace tenure::cli
