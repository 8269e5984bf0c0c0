// Which request goes when.
#include "consul/turns.hpp"

#include <gtest/gtest.h>

namespace tenure::consul {
namespace {

using core::RequestId;

TEST(ConsulTurns, OfOneKeyAreTakenInOrderAndOfOthersAtOnce) {
  Turns turns;
  turns.join(RequestId{1}, {"a"});
  turns.join(RequestId{2}, {"b"});
  turns.join(RequestId{3}, {"a", "b"});
  turns.join(RequestId{4}, {"b"});
  EXPECT_TRUE(turns.may_go(RequestId{1}, {"a"}));
  EXPECT_TRUE(turns.may_go(RequestId{2}, {"b"}));
  EXPECT_FALSE(turns.may_go(RequestId{3}, {"a", "b"}));
  turns.leave(RequestId{1}, {"a"});
  EXPECT_FALSE(turns.may_go(RequestId{3}, {"a", "b"})) << "all of its keys";
  EXPECT_FALSE(turns.may_go(RequestId{4}, {"b"}));
  turns.leave(RequestId{2}, {"b"});
  EXPECT_TRUE(turns.may_go(RequestId{3}, {"a", "b"}));
  turns.leave(RequestId{3}, {"a", "b"});
  EXPECT_TRUE(turns.may_go(RequestId{4}, {"b"}));
  turns.leave(RequestId{4}, {"b"});
  EXPECT_TRUE(turns.empty());
}

TEST(ConsulTurns, WhoWaitsMayLeave) {
  Turns turns;
  turns.join(RequestId{1}, {"a"});
  turns.join(RequestId{2}, {"a"});
  turns.join(RequestId{3}, {"a"});
  turns.leave(RequestId{2}, {"a"});
  turns.leave(RequestId{1}, {"a"});
  EXPECT_TRUE(turns.may_go(RequestId{3}, {"a"}));
}

TEST(ConsulTurns, ABatchNamesEachKeyOnce) {
  const core::RenewRequest renew{core::Ttl(10'000),
                                 {{"b", {"w", 1}, 1}, {"a", {"w", 2}, 2}, {"b", {"w", 3}, 3}}};
  EXPECT_EQ(keys_of(renew), (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(keys_of(core::ClockRequest{}).empty());
}

}  // namespace
}  // namespace tenure::consul
