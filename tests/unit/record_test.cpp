#include "core/record.hpp"

#include <gtest/gtest.h>

namespace tenure::core {
namespace {

using namespace std::chrono_literals;

constexpr auto sample = "open 60000 1f2e3d 9a8b7c 1700000000000";

TEST(Record, StateAndCapAreRead) {
  const auto record = read_record(sample);
  ASSERT_TRUE(record);
  EXPECT_EQ(record->state, "open");
  EXPECT_EQ(record->cap, 60s);
}

TEST(Record, WhatIsNoRecordIsNotRead) {
  for (const auto* text : {"", "open", "open 60000", "open  x", "open x y", "open 60s e", "open 60000ms e",
                           "open 99999999999999999999 e"}) {
    EXPECT_FALSE(read_record(text)) << text;
  }
}

TEST(Record, AnOpenRecordOfTheSameCapAdmits) { EXPECT_TRUE(std::string(sample).starts_with(admission(60s))); }

// The space at the end counts: a cap of 6 s is not the beginning of one of 60 s.
TEST(Record, AnotherStateOrCapDoesNotAdmit) {
  EXPECT_FALSE(std::string(sample).starts_with(admission(6s)));
  EXPECT_FALSE(std::string(sample).starts_with(admission(600s)));
  EXPECT_FALSE(std::string("quarantined 60000 e l 1").starts_with(admission(60s)));
}

}  // namespace
}  // namespace tenure::core
