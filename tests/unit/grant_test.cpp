#include "core/grant.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace tenure::core {
namespace {

TEST(Grant, ItsValueIsOwnerNonceAndToken) {
  const Grant grant("web-3", "0123456789abcdef");
  EXPECT_EQ(grant.stamp(), "web-3#0123456789abcdef#");
  EXPECT_EQ(grant.value(7), "web-3#0123456789abcdef#7");
}

// S5: two grants of one owner are never taken for each other.
TEST(Grant, AnotherNonceIsAnotherGrant) {
  EXPECT_NE(Grant("web-3", "aa"), Grant("web-3", "ab"));
  EXPECT_EQ(Grant("web-3", "aa"), Grant("web-3", "aa"));
}

// The scripts compare the beginning of a value with the stamp: none may be the beginning of another.
TEST(Grant, AStampEndsWhereItsNonceEnds) {
  EXPECT_FALSE(Grant("web", "aab").value(7).starts_with(Grant("web", "aa").stamp()));
  EXPECT_FALSE(Grant("web-3", "aa").value(7).starts_with(Grant("web", "aa").stamp()));
}

TEST(Holder, IsReadBackFromAValue) {
  EXPECT_EQ(read_holder("web-3#0123456789abcdef#7"), (Holder{"web-3", 7}));
  const Token largest = std::numeric_limits<Token>::max();
  EXPECT_EQ(read_holder(Grant("w", "n").value(largest)), (Holder{"w", largest}));
}

TEST(Holder, AnOwnerMayContainTheSign) {
  EXPECT_EQ(read_holder(Grant("host#1#x", "00ff").value(9)), (Holder{"host#1#x", 9}));
  EXPECT_EQ(read_holder(Grant("#", "00ff").value(9)), (Holder{"#", 9}));
}

TEST(Holder, AValueThatTenureDidNotWriteIsAllOwner) {
  for (const std::string value : {"", "someone", "#", "##", "a#b", "a#7", "a#b#", "a#b#x", "a#b#-7", "a#b#+7",
                                  "a#b#7 ", "a#b# 7", "a#b#7.0", "a#b#18446744073709551616"}) {
    EXPECT_EQ(read_holder(value), (Holder{value, 0})) << value;
  }
}

TEST(GrantDeathTest, AGrantWithoutOwnerOrNonceStopsTheProgram) {
  EXPECT_DEATH(Grant("", "aa"), "an owner and a nonce");
  EXPECT_DEATH(Grant("web", ""), "an owner and a nonce");
}

}  // namespace
}  // namespace tenure::core
