#include "core/lease/record.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace tenure::core {
namespace {

using namespace std::chrono_literals;

TEST(Record, TheSizeOfASetIsInItsName) {
  for (const auto& [set, nodes] :
       {std::pair("1", 1U), {"3-9f", 3}, {"5-a-b", 5}, {"none", 0}, {"", 0}, {"-3", 0}}) {
    EXPECT_EQ(nodes_in(set), nodes) << set;
  }
}

// No lease lasts longer than the cap, and clocks differ by a tenth in rate.
TEST(Record, AQuarantineLastsACapAndATenth) {
  EXPECT_EQ(quarantine_length(60s), 66s);
  EXPECT_EQ(quarantine_length(101ms), 111'100us);
}

}  // namespace
}  // namespace tenure::core
