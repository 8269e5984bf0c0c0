#include "core/lease/grant.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace tenure::core {
namespace {

// S5: two grants of one owner are never taken for each other.
TEST(Grant, AnotherNonceIsAnotherGrant) {
  EXPECT_NE(Grant("web-3", 0xaa), Grant("web-3", 0xab));
  EXPECT_NE(Grant("web-3", 0xaa), Grant("web-4", 0xaa));
  EXPECT_EQ(Grant("web-3", 0xaa), Grant("web-3", 0xaa));
}

TEST(Grant, OneThatWasMovedFromIsNobodys) {
  Grant moved("web-3", 0xaa);
  const Grant taken = std::move(moved);
  EXPECT_EQ(taken.owner(), "web-3");
  EXPECT_EQ(moved.owner(), "");  // NOLINT(bugprone-use-after-move)
  EXPECT_NE(moved, taken);
  EXPECT_EQ(Grant().owner(), "");
}

TEST(GrantDeathTest, AGrantWithoutOwnerStopsTheProgram) { EXPECT_DEATH(Grant("", 1), "an owner"); }

}  // namespace
}  // namespace tenure::core
