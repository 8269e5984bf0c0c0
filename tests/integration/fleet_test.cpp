// Sessions shared out over instances, each with a client of its own, on real nodes. P15–P18, P20–P23, B8.
#include <algorithm>
#include <map>
#include <numeric>

#include "integration/api.hpp"
#include "support/shared_fleet.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;

class FleetTest : public testing::TestWithParam<std::size_t> {
 protected:
  Nodes nodes{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(Nodes, FleetTest, testing::Values(1, 3));

TEST_P(FleetTest, P15_OneInstanceTakesAll) {
  Member one(nodes, "web-1", sessions(9));
  EXPECT_TRUE(wait_until([&] { return one.owned().size() == 9; }));
}

TEST_P(FleetTest, P20_ThreeInstancesHaveThreeEachOfNine) {
  Member one(nodes, "web-1", sessions(9));
  Member two(nodes, "web-2", sessions(9));
  Member three(nodes, "web-3", sessions(9));
  EXPECT_TRUE(wait_until([&] { return shares({&one, &two, &three}) == Shares{3, 3, 3}; }));
  const auto owners = owners_of({&one, &two, &three});
  EXPECT_EQ(owners.size(), 9U) << "each session has one owner";
}

TEST_P(FleetTest, P21_ANewcomerTakesItsShareAndOnlyThatMoves) {
  Member one(nodes, "web-1", sessions(12));
  Member two(nodes, "web-2", sessions(12));
  ASSERT_TRUE(wait_until([&] { return shares({&one, &two}) == Shares{6, 6}; }));
  const auto before = owners_of({&one, &two});
  Member three(nodes, "web-3", sessions(12));
  ASSERT_TRUE(wait_until([&] { return shares({&one, &two, &three}) == Shares{4, 4, 4}; }));
  const auto after = owners_of({&one, &two, &three});
  int moved = 0;
  for (const auto& [session, owner] : before) {
    if (after.at(session) == owner) continue;
    moved += 1;
    EXPECT_EQ(after.at(session), "web-3") << session;
  }
  EXPECT_EQ(moved, 4);
}

TEST_P(FleetTest, P16_AStoppedInstancesSessionsHaveNewOwnersAtOnce) {
  Member one(nodes, "web-1", sessions(10));
  auto two = std::make_unique<Member>(nodes, "web-2", sessions(10));
  ASSERT_TRUE(wait_until([&] { return shares({&one, two.get()}) == Shares{5, 5}; }));
  const auto began = BootClock::now();
  two.reset();
  EXPECT_TRUE(wait_until([&] { return one.owned().size() == 10; }));
  EXPECT_LT(BootClock::now() - began, three_seconds_ttl) << "nobody waited for a lease to run out";
}

TEST_P(FleetTest, T44_TwoInstancesWithOneIdAreRefused) {
  Member one(nodes, "web-1", sessions(3));
  Client client = open(nodes, "web-1");
  const auto again = client.fleet("poll", short_lives()).value();
  const auto refused = again->start();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Refusal::Code::held);
  EXPECT_NE(refused.error().message.find("web-1"), std::string::npos) << refused.error().message;
}

}  // namespace
}  // namespace tenure::test
