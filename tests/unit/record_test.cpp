#include "core/record.hpp"

#include <gtest/gtest.h>

namespace tenure::core {
namespace {

using namespace std::chrono_literals;

const std::string open = "60000 1f2e3d open 9a8b-7c6d 1700000000000 1700000000500 new";
const std::string quarantined = "60000 1f2e3d quarantined 9a8b-7c6d 1700000000000 1700000000500 restarted";
const std::string unknown = "30000 1f2e3d quarantined 9a8b-7c6d 1700000000000 1700000000500 unknown";

TEST(Record, EverythingThatDecidesIsRead) {
  const auto record = read_record(open);
  ASSERT_TRUE(record);
  EXPECT_EQ(record->cap, 60s);
  EXPECT_EQ(record->epoch, "1f2e3d");
  EXPECT_TRUE(record->open);
  EXPECT_EQ(record->made_ms, 1'700'000'000'000);
  EXPECT_EQ(record->wall_ms, 1'700'000'000'500);
  EXPECT_FALSE(record->unknown);
}

TEST(Record, AQuarantineAndItsReasonAreRead) {
  EXPECT_FALSE(read_record(quarantined)->open);
  EXPECT_FALSE(read_record(quarantined)->unknown);
  EXPECT_FALSE(read_record(unknown)->open);
  EXPECT_TRUE(read_record(unknown)->unknown);
  EXPECT_EQ(read_record(unknown)->cap, 30s);
}

TEST(Record, WhatIsNoRecordIsNotRead) {
  for (const auto* text :
       {"", " ", "open", "60000", "60000 e open l 1 2", "60000 e open l 1 2 ", "60000 e open l 1 2 new more",
        " 60000 e open l 1 2 new", "60000  open l 1 2 new", "60s e open l 1 2 new", "-1 e open l 1 2 new",
        "60000 e closed l 1 2 new", "60000 e OPEN l 1 2 new", "60000 e open l x 2 new",
        "60000 e open l 1 x new", "60000 e open l -1 2 new", "99999999999999999999 e open l 1 2 new",
        "open 60000 1f2e3d 9a8b7c 1700000000000"}) {
    EXPECT_FALSE(read_record(text)) << text;
  }
}

TEST(Record, AdmissionIsWhatItBeginsWith) {
  EXPECT_TRUE(open.starts_with(admission(60s, "1f2e3d")));
  EXPECT_TRUE(open.starts_with(admission_to_open(60s, "1f2e3d")));
  EXPECT_TRUE(quarantined.starts_with(admission(60s, "1f2e3d")));
}

// M22, S7. The space at the end counts: a cap of 6 s is not the beginning of one of 60 s, and no epoch that
// of another.
TEST(Record, AnotherCapEpochOrStateDoesNotAdmit) {
  EXPECT_FALSE(open.starts_with(admission(6s, "1f2e3d")));
  EXPECT_FALSE(open.starts_with(admission(600s, "1f2e3d")));
  EXPECT_FALSE(open.starts_with(admission(60s, "1f2e3")));
  EXPECT_FALSE(open.starts_with(admission(60s, "1f2e3d4")));
  EXPECT_FALSE(open.starts_with(admission(60s, "")));
  EXPECT_FALSE(quarantined.starts_with(admission_to_open(60s, "1f2e3d")));
}

// A key that somebody else has written: its cap would overflow a clock.
TEST(Record, WithACapThatNobodyMayHaveIsNone) {
  for (const char* cap : {"0", "86400001", "9223372036854775807"}) {
    EXPECT_FALSE(read_record(std::string(cap) + " e open life 1 1 new")) << cap;
  }
  EXPECT_TRUE(read_record("86400000 e open life 1 1 new"));
}

// No lease lasts longer than the cap, and clocks differ by a tenth in rate.
TEST(Record, AQuarantineLastsACapAndATenth) {
  EXPECT_EQ(quarantine_length(60s), 66s);
  EXPECT_EQ(quarantine_length(101ms), 111'100us);
}

}  // namespace
}  // namespace tenure::core
