#include "redis/cluster/slot.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>

namespace tenure::redis {
namespace {

// As CLUSTER KEYSLOT says it.
TEST(Slots, AreThoseOfRedis) {
  EXPECT_EQ(slot_of(""), 0);
  EXPECT_EQ(slot_of("foo"), 12182);
  EXPECT_EQ(slot_of("hello"), 866);
  EXPECT_EQ(slot_of("123456789"), 12739);
  EXPECT_EQ(slot_of("redlock:nightly"), 13897);
  EXPECT_EQ(slot_of(std::string("\0\xff", 2)), 7920);
}

TEST(Slots, AreThoseOfWhatStandsInTheFirstBraces) {
  EXPECT_EQ(slot_of("{foo}bar"), slot_of("foo"));
  EXPECT_EQ(slot_of("bar{foo}{zap}"), slot_of("foo"));
  EXPECT_EQ(slot_of("foo{{bar}}zap"), slot_of("{bar"));
  EXPECT_EQ(slot_of("}{foo}"), slot_of("foo"));
}

TEST(Slots, AreThoseOfTheWholeKeyWhereNothingStandsInBraces) {
  EXPECT_EQ(slot_of("foo{}{bar}"), 8363);
  EXPECT_EQ(slot_of("{}foo"), 9500);
  EXPECT_NE(slot_of("foo}"), slot_of("foo"));
  EXPECT_NE(slot_of("{foo"), slot_of("foo"));
}

TEST(Tags, AreInTheirSlotsAndShort) {
  std::set<std::string> seen;
  for (std::size_t i = 0; i < slots; ++i) {
    const auto slot = static_cast<Slot>(i);
    const std::string& tag = tag_of(slot);
    EXPECT_EQ(slot_of(tag), slot);
    EXPECT_EQ(slot_of("tenure:record:{" + tag + "}"), slot);
    EXPECT_LE(tag.size(), 4u);
    EXPECT_EQ(tag.find_first_not_of("0123456789abcdefghijklmnopqrstuvwxyz"), std::string::npos);
    seen.insert(tag);
  }
  EXPECT_EQ(seen.size(), slots);
}

// Keys are named by them, and outlive the version that wrote them.
TEST(Tags, AreTheSameInEveryVersion) {
  EXPECT_EQ(tag_of(0), "1bz");
  EXPECT_EQ(tag_of(1), "emj");
  EXPECT_EQ(tag_of(5460), "g1m");
  EXPECT_EQ(tag_of(5461), "3zu");
  EXPECT_EQ(tag_of(10922), "bxv");
  EXPECT_EQ(tag_of(10923), "63n");
  EXPECT_EQ(tag_of(16383), "hia");
  std::uint64_t all = 0xcbf29ce484222325;  // FNV-1a
  for (std::size_t i = 0; i < slots; ++i) {
    for (const char c : tag_of(static_cast<Slot>(i)) + " ") {
      all = (all ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    }
  }
  EXPECT_EQ(all, 0xcb7e5af7d7eed105);
}

}  // namespace
}  // namespace tenure::redis
