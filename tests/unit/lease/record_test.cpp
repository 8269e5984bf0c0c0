#include "core/lease/record.hpp"

#include <gtest/gtest.h>

namespace tenure::core {
namespace {

using namespace std::chrono_literals;

const std::string open = "60000 1 1f2e3d open 9a8b-7c6d 1700000000000 1700000000500 60000 new";
const std::string quarantined =
    "60000 1 1f2e3d quarantined 9a8b-7c6d 1700000000000 1700000000500 60000 restarted";
const std::string unknown = "30000 1 1f2e3d quarantined 9a8b-7c6d 1700000000000 1700000000500 30000 unknown";

TEST(Record, EverythingThatDecidesIsRead) {
  const auto record = read_record(open);
  ASSERT_TRUE(record);
  EXPECT_EQ(record->terms.cap, 60s);
  EXPECT_EQ(record->terms.set, "1");
  EXPECT_EQ(record->longest, 60s);
  EXPECT_EQ(record->epoch, "1f2e3d");
  EXPECT_TRUE(record->open);
  EXPECT_EQ(record->made_ms, 1'700'000'000'000);
  EXPECT_EQ(record->wall_ms, 1'700'000'000'500);
  EXPECT_FALSE(record->unknown());
}

TEST(Record, AQuarantineAndItsReasonAreRead) {
  EXPECT_FALSE(read_record(quarantined)->open);
  EXPECT_FALSE(read_record(quarantined)->unknown());
  EXPECT_FALSE(read_record(unknown)->open);
  EXPECT_TRUE(read_record(unknown)->unknown());
  EXPECT_EQ(read_record(unknown)->terms.cap, 30s);
}

TEST(Record, WhatIsNoRecordIsNotRead) {
  for (const auto* text : {"",
                           " ",
                           "open",
                           "60000",
                           "60000 1 e open l 1 2 60000",
                           "60000 1 e open l 1 2 60000 ",
                           " 60000 1 e open l 1 2 60000 new",
                           "60000  e open l 1 2 60000 new",
                           "60s 1 e open l 1 2 60000 new",
                           "-1 1 e open l 1 2 60000 new",
                           "60000 1 e closed l 1 2 60000 new",
                           "60000 1 e OPEN l 1 2 60000 new",
                           "60000 1 e open l x 2 60000 new",
                           "60000 1 e open l 1 x 60000 new",
                           "60000 1 e open l -1 2 60000 new",
                           "60000 1 e open l 1 2 60s new",
                           "60000 1 e open l 1 2 59999 new",
                           "60000 1 e open l 1 2 86400001 new",
                           "99999999999999999999 1 e open l 1 2 99999999999999999999 new",
                           "60000 e open l 1 2 new",  // from before there were sets
                           "open 60000 1f2e3d 9a8b7c 1700000000000"}) {
    EXPECT_FALSE(read_record(text)) << text;
  }
}

// Other versions of Tenure may be under way on the same nodes.
TEST(Record, WhatALaterVersionAddsIsSkippedAndAnEarlierOneIsRead) {
  for (const auto* more : {"", " v1", " v2 more=7 and-more"}) {
    const auto record = read_record(open + more);
    ASSERT_TRUE(record) << more;
    EXPECT_EQ(record->why, "new") << more;
    EXPECT_EQ(record->longest, 60s) << more;
  }
}

TEST(Record, TheSizeOfASetIsInItsName) {
  for (const auto& [set, nodes] :
       {std::pair("1", 1U), {"3-9f", 3}, {"5-a-b", 5}, {"none", 0}, {"", 0}, {"-3", 0}}) {
    EXPECT_EQ(nodes_in(set), nodes) << set;
  }
}

TEST(Record, AdmissionIsWhatItBeginsWith) {
  EXPECT_TRUE(open.starts_with(admission({60s}, "1f2e3d")));
  EXPECT_TRUE(open.starts_with(admission_to_open({60s}, "1f2e3d")));
  EXPECT_TRUE(quarantined.starts_with(admission({60s}, "1f2e3d")));
}

// M22, S7. The space at the end counts: a cap of 6 s is not the beginning of one of 60 s, and no epoch that
// of another.
TEST(Record, AnotherCapEpochOrStateDoesNotAdmit) {
  EXPECT_FALSE(open.starts_with(admission({6s}, "1f2e3d")));
  EXPECT_FALSE(open.starts_with(admission({600s}, "1f2e3d")));
  EXPECT_FALSE(open.starts_with(admission({60s, "3-9f"}, "1f2e3d")));
  EXPECT_FALSE(open.starts_with(admission({60s, ""}, "1 1f2e3d")));
  EXPECT_FALSE(open.starts_with(admission({60s}, "1f2e3")));
  EXPECT_FALSE(open.starts_with(admission({60s}, "1f2e3d4")));
  EXPECT_FALSE(open.starts_with(admission({60s}, "")));
  EXPECT_FALSE(quarantined.starts_with(admission_to_open({60s}, "1f2e3d")));
}

// A key that somebody else has written: its cap would overflow a clock.
TEST(Record, WithACapThatNobodyMayHaveIsNone) {
  for (const char* cap : {"0", "86400001", "9223372036854775807"}) {
    const std::string number(cap);
    EXPECT_FALSE(read_record(number + " 1 e open life 1 1 " + number + " new")) << cap;
  }
  EXPECT_TRUE(read_record("86400000 1 e open life 1 1 86400000 new"));
}

// No lease lasts longer than the cap, and clocks differ by a tenth in rate.
TEST(Record, AQuarantineLastsACapAndATenth) {
  EXPECT_EQ(quarantine_length(60s), 66s);
  EXPECT_EQ(quarantine_length(101ms), 111'100us);
}

}  // namespace
}  // namespace tenure::core
