#include "redis/grant_text.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace tenure::redis {
namespace {

using namespace std::chrono_literals;
using core::Grant;
using core::Holder;
using core::Token;

TEST(GrantText, ItsValueIsOwnerNonceAndToken) {
  const Grant grant("web-3", 0x0123456789abcdef);
  EXPECT_EQ(stamp(grant), "web-3#0123456789abcdef#");
  EXPECT_EQ(value(grant, 7), "web-3#0123456789abcdef#7");
}

// What is written is what the scripts and people see: always 16 digits.
TEST(GrantText, ANonceHasSixteenDigitsHoweverSmallItIs) {
  EXPECT_EQ(stamp(Grant("w", 0)), "w#0000000000000000#");
  EXPECT_EQ(stamp(Grant("w", 0xaa)), "w#00000000000000aa#");
  EXPECT_EQ(stamp(Grant("w", std::numeric_limits<std::uint64_t>::max())), "w#ffffffffffffffff#");
}

// The scripts compare the beginning of a value with the stamp: none may be the beginning of another.
TEST(GrantText, AStampEndsWhereItsNonceEnds) {
  EXPECT_FALSE(value(Grant("web", 0xaab), 7).starts_with(stamp(Grant("web", 0xaa))));
  EXPECT_FALSE(value(Grant("web-3", 0xaa), 7).starts_with(stamp(Grant("web", 0xaa))));
  EXPECT_TRUE(value(Grant("web", 0xaa), 7).starts_with(stamp(Grant("web", 0xaa))));
}

TEST(HolderText, IsReadBackFromAValue) {
  EXPECT_EQ(read_holder("web-3#0123456789abcdef#7"), (Holder{"web-3", 7}));
  const Token largest = std::numeric_limits<Token>::max();
  EXPECT_EQ(read_holder(value(Grant("w", 1), largest)), (Holder{"w", largest}));
}

TEST(HolderText, AnOwnerMayContainTheSign) {
  EXPECT_EQ(read_holder(value(Grant("host#1#x", 0xff), 9)), (Holder{"host#1#x", 9}));
  EXPECT_EQ(read_holder(value(Grant("#", 0xff), 9)), (Holder{"#", 9}));
}

TEST(HolderText, AValueThatTenureDidNotWriteIsAllOwner) {
  for (const std::string value : {"", "someone", "#", "##", "a#b", "a#7", "a#b#", "a#b#x", "a#b#-7", "a#b#+7",
                                  "a#b#7 ", "a#b# 7", "a#b#7.0", "a#b#18446744073709551616"}) {
    EXPECT_EQ(read_holder(value), (Holder{value, 0})) << value;
  }
}

// The name was given back, and is kept a moment for a waiter: "<ticket>0", and perhaps who else was told of it.
TEST(HolderText, ANameKeptForAWaiterSaysSo) {
  for (const std::string kept : {"0", "0102", "0417"}) {
    const Holder holder = read_holder(stamp(Grant("web-3", 0xff)) + kept);
    EXPECT_EQ(holder, (Holder{"web-3", 0, true})) << kept;
  }
  EXPECT_FALSE(read_holder(value(Grant("web-3", 0xff), 1)).waits);
  EXPECT_FALSE(read_holder("by hand").waits);
}

TEST(GrantText, AValueBeginsWithItsStamp) {
  const Grant grant("host#1", 0xaa);
  EXPECT_EQ(stamp_in(value(grant, 7)), stamp(grant));
  EXPECT_EQ(stamp_in("by hand"), "");
}

// Only what stamp() writes, so that two texts are never the same grant.
TEST(GrantText, AStampIsReadBack) {
  for (const Grant& grant :
       {Grant("web-3", 0), Grant("host#1#x", 0xff), Grant("#", 1), Grant("a b", ~0ULL)}) {
    EXPECT_EQ(read_stamp(stamp(grant)), grant) << stamp(grant);
  }
  for (const auto* text :
       {"", "#", "##", "web-3", "web-3#", "web-3#aa#", "#00000000000000aa#", "web-3#00000000000000aa",
        "web-3#00000000000000aa#7", "web-3#00000000000000AA#", "web-3#00000000000000ag#",
        "web-3#0x000000000000aa#", "web-3# 0000000000000aa#", "web-3#-0000000000000aa#",
        "web-3#000000000000000aa#", "web-3#10000000000000000#"}) {
    EXPECT_FALSE(read_stamp(text)) << text;
  }
}

TEST(KeyText, ShowsWhoHoldsItByWhichGrantAndForHowLong) {
  const Grant grant("web-3", 0xaa);
  EXPECT_EQ(key_state(value(grant, 7), 3000, 2), (core::KeyState{Holder{"web-3", 7}, grant, 3s, 2}));
  EXPECT_EQ(key_state(value(grant, 7), -1, 0), (core::KeyState{Holder{"web-3", 7}, grant, std::nullopt, 0}));
  EXPECT_EQ(key_state("", -2, 3), (core::KeyState{std::nullopt, std::nullopt, std::nullopt, 3}));
}

// A name that is kept for a waiter shows its ticket, which is no grant.
TEST(KeyText, OfWhatIsNotHeldShowsNoGrant) {
  const Grant ticket("web-3", 0xaa);
  EXPECT_EQ(key_state(stamp(ticket) + "0", 250, 0),
            (core::KeyState{Holder{"web-3", 0, true}, std::nullopt, 250ms, 0}));
  EXPECT_EQ(key_state("", 1000, 0), (core::KeyState{Holder{}, std::nullopt, 1s, 0})) << "not a string";
  for (const std::string foreign : {"by hand", "#", "web-3#x", "web-3##", "web-3#aa#-5", "web-3#aa#5x",
                                    "web-3#aa#99999999999999999999999"}) {
    EXPECT_EQ(key_state(foreign, 1000, 0), (core::KeyState{Holder{foreign}, std::nullopt, 1s, 0})) << foreign;
  }
}

// Somebody who writes values as we do may have nonces of its own.
TEST(KeyText, AHolderWhoseGrantCannotBeReadIsStillAHolder) {
  EXPECT_EQ(key_state("web-3#aa#7", 1000, 0), (core::KeyState{Holder{"web-3", 7}, std::nullopt, 1s, 0}));
}

}  // namespace
}  // namespace tenure::redis
