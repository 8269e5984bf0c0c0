#include "core/lease/grant.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace tenure::core {
namespace {

TEST(Grant, ItsValueIsOwnerNonceAndToken) {
  const Grant grant("web-3", 0x0123456789abcdef);
  EXPECT_EQ(grant.stamp(), "web-3#0123456789abcdef#");
  EXPECT_EQ(grant.value(7), "web-3#0123456789abcdef#7");
}

// What is written is what the scripts and people see: always 16 digits.
TEST(Grant, ANonceHasSixteenDigitsHoweverSmallItIs) {
  EXPECT_EQ(Grant("w", 0).stamp(), "w#0000000000000000#");
  EXPECT_EQ(Grant("w", 0xaa).stamp(), "w#00000000000000aa#");
  EXPECT_EQ(Grant("w", std::numeric_limits<std::uint64_t>::max()).stamp(), "w#ffffffffffffffff#");
}

// S5: two grants of one owner are never taken for each other.
TEST(Grant, AnotherNonceIsAnotherGrant) {
  EXPECT_NE(Grant("web-3", 0xaa), Grant("web-3", 0xab));
  EXPECT_NE(Grant("web-3", 0xaa), Grant("web-4", 0xaa));
  EXPECT_EQ(Grant("web-3", 0xaa), Grant("web-3", 0xaa));
}

// The scripts compare the beginning of a value with the stamp: none may be the beginning of another.
TEST(Grant, AStampEndsWhereItsNonceEnds) {
  EXPECT_FALSE(Grant("web", 0xaab).value(7).starts_with(Grant("web", 0xaa).stamp()));
  EXPECT_FALSE(Grant("web-3", 0xaa).value(7).starts_with(Grant("web", 0xaa).stamp()));
  EXPECT_TRUE(Grant("web", 0xaa).value(7).starts_with(Grant("web", 0xaa).stamp()));
}

TEST(Holder, IsReadBackFromAValue) {
  EXPECT_EQ(read_holder("web-3#0123456789abcdef#7"), (Holder{"web-3", 7}));
  const Token largest = std::numeric_limits<Token>::max();
  EXPECT_EQ(read_holder(Grant("w", 1).value(largest)), (Holder{"w", largest}));
}

TEST(Holder, AnOwnerMayContainTheSign) {
  EXPECT_EQ(read_holder(Grant("host#1#x", 0xff).value(9)), (Holder{"host#1#x", 9}));
  EXPECT_EQ(read_holder(Grant("#", 0xff).value(9)), (Holder{"#", 9}));
}

TEST(Holder, AValueThatTenureDidNotWriteIsAllOwner) {
  for (const std::string value : {"", "someone", "#", "##", "a#b", "a#7", "a#b#", "a#b#x", "a#b#-7", "a#b#+7",
                                  "a#b#7 ", "a#b# 7", "a#b#7.0", "a#b#18446744073709551616"}) {
    EXPECT_EQ(read_holder(value), (Holder{value, 0})) << value;
  }
}

// The name was given back, and is kept a moment for a waiter: "<ticket>0", and perhaps who else was told of it.
TEST(Holder, ANameKeptForAWaiterSaysSo) {
  for (const std::string kept : {"0", "0102", "0417"}) {
    const Holder holder = read_holder(Grant("web-3", 0xff).stamp() + kept);
    EXPECT_EQ(holder, (Holder{"web-3", 0, true})) << kept;
  }
  EXPECT_FALSE(read_holder(Grant("web-3", 0xff).value(1)).waits);
  EXPECT_FALSE(read_holder("by hand").waits);
}

TEST(GrantDeathTest, AGrantWithoutOwnerStopsTheProgram) { EXPECT_DEATH(Grant("", 1), "an owner"); }

}  // namespace
}  // namespace tenure::core
