// Which nodes give no new leases, and whether enough of the others do: as status shows it, and as probes ask.
#include "cli/doctor/closed_node.hpp"

#include <gtest/gtest.h>

#include "cli/doctor/node_findings.hpp"
#include "cli/endpoint/readiness.hpp"

namespace tenure::cli {
namespace {

using core::Ttl;

const NodesClosed::value_type gives_leases = std::optional<ClosedNode>();
const std::vector<std::string> names{"a", "b", "c"};

NodesClosed::value_type closed(const std::string& node, std::string_view code) {
  return ClosedNode{node, std::string(code), "why " + node, "", "wait"};
}

NodesClosed::value_type silent() {
  return tl::unexpected(core::Failure{core::Applied::no, core::FailureCode::unreachable, "refused"});
}

core::FoundRecord record_of(const core::Terms& terms) {
  return {core::Record{.terms = terms, .epoch = "e", .open = true}, "shown"};
}

TEST(ClosedNodes, AMinorityThatIsClosedIsNoHarm) {
  const ClosedNodes all = closed_among({gives_leases, closed("b", quarantined), gives_leases}, "");
  EXPECT_TRUE(all.open);
  ASSERT_EQ(all.nodes.size(), 1U);
  EXPECT_EQ(all.nodes[0].node, "b");
  EXPECT_FALSE(closed_among({gives_leases, closed("b", quarantined), closed("c", quarantined)}, "").open);
}

TEST(ClosedNodes, OfAnotherCapOrSetAreClosedToUsAndPerhapsToNobodyElse) {
  const ClosedNodes all = closed_among({gives_leases, closed("b", other_cap), closed("c", other_set)}, "");
  EXPECT_TRUE(all.open);
  EXPECT_EQ(all.nodes.size(), 2U);
}

TEST(ClosedNodes, WhoeverDoesNotAnswerIsNotAmongThem) {
  const ClosedNodes all = closed_among({gives_leases, silent(), closed("c", quarantined)}, "");
  EXPECT_FALSE(all.open);
  EXPECT_EQ(all.nodes.size(), 1U);
  EXPECT_TRUE(closed_among({silent(), silent(), gives_leases}, "").open) << "that is told elsewhere";
}

TEST(ClosedNodes, OnlyAllOfThemTogetherAreDeclaredNew) {
  const NodesClosed all_new{closed("a", record_absent), closed("b", record_absent)};
  EXPECT_EQ(closed_among(all_new, ": tenure init").nodes[0].advice, "if it is new: tenure init");
  const NodesClosed one_new{closed("a", record_absent), gives_leases};
  EXPECT_EQ(closed_among(one_new, ": tenure init").nodes[0].advice, "wait");
}

// Before the first client has come nobody knows since when, but everybody for how long.
TEST(ClosedNodes, TellHowLongAQuarantineLastsThatHasNotBegun) {
  const ReadBy ours{{Ttl(10'000), "1"}, 0};
  const auto by = [&](std::string_view code, const core::FoundRecord& record) {
    return closed_by("a", Finding{{}, std::string(code), {}, "", "", ""}, record, ours);
  };
  EXPECT_EQ(by(record_absent, {}).left_max, Ttl(11'000));
  EXPECT_EQ(by("restarted", record_of(ours.ours)).left_max, Ttl(11'000));
  EXPECT_EQ(by("restarted", record_of(ours.ours)).left, std::nullopt);
  EXPECT_EQ(by(other_cap, record_of({Ttl(20'000), "1"})).left_max, std::nullopt);
}

TEST(Readiness, CountsNodesThatGiveLeasesAndNamesTheOthers) {
  const Readiness two = readiness_of({gives_leases, silent(), gives_leases}, names);
  EXPECT_TRUE(two.is_ready());
  EXPECT_EQ(two.text(), "ready: 2 of 3 nodes give leases, 2 are needed\nb: refused\n");
  const Readiness one = readiness_of({gives_leases, silent(), closed("c", other_cap)}, names);
  EXPECT_FALSE(one.is_ready());
  EXPECT_EQ(one.text(), "not ready: 1 of 3 nodes give leases, 2 are needed\nb: refused\nc: why c\n");
}

}  // namespace
}  // namespace tenure::cli
