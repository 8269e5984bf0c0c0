#include "core/lease/grant.hpp"

#include <gtest/gtest.h>

namespace tenure::core {
namespace {

// S5: two grants of one owner are never taken for each other.
TEST(Grant, AnotherNonceIsAnotherGrant) {
  EXPECT_NE(Grant("web-3", 0xaa), Grant("web-3", 0xab));
  EXPECT_NE(Grant("web-3", 0xaa), Grant("web-4", 0xaa));
  EXPECT_EQ(Grant("web-3", 0xaa), Grant("web-3", 0xaa));
}

TEST(GrantDeathTest, AGrantWithoutOwnerStopsTheProgram) { EXPECT_DEATH(Grant("", 1), "an owner"); }

}  // namespace
}  // namespace tenure::core
