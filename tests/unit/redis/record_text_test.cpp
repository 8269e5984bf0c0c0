#include "redis/record_text.hpp"

#include <gtest/gtest.h>

namespace tenure::redis {
namespace {

using namespace std::chrono_literals;

const std::string open = "60000 1 1f2e3d open 9a8b-7c6d 1700000000000 1700000000500 60000 new";
const std::string quarantined =
    "60000 1 1f2e3d quarantined 9a8b-7c6d 1700000000000 1700000000500 60000 restarted";
const std::string unknown = "30000 1 1f2e3d quarantined 9a8b-7c6d 1700000000000 1700000000500 30000 unknown";

TEST(RecordText, EverythingThatDecidesIsRead) {
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

TEST(RecordText, AQuarantineAndItsReasonAreRead) {
  EXPECT_FALSE(read_record(quarantined)->open);
  EXPECT_FALSE(read_record(quarantined)->unknown());
  EXPECT_FALSE(read_record(unknown)->open);
  EXPECT_TRUE(read_record(unknown)->unknown());
  EXPECT_EQ(read_record(unknown)->terms.cap, 30s);
}

TEST(RecordText, WhatIsNoRecordIsNotRead) {
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
TEST(RecordText, WhatALaterVersionAddsIsSkippedAndAnEarlierOneIsRead) {
  for (const auto* more : {"", " v1", " v2 more=7 and-more"}) {
    const auto record = read_record(open + more);
    ASSERT_TRUE(record) << more;
    EXPECT_EQ(record->why, "new") << more;
    EXPECT_EQ(record->longest, 60s) << more;
  }
}

TEST(RecordText, AdmissionIsWhatItBeginsWith) {
  EXPECT_TRUE(open.starts_with(admission({60s}, "1f2e3d")));
  EXPECT_TRUE(open.starts_with(admission_to_open({60s}, "1f2e3d")));
  EXPECT_TRUE(quarantined.starts_with(admission({60s}, "1f2e3d")));
}

// M22, S7. The space at the end counts: a cap of 6 s is not the beginning of one of 60 s, and no epoch that
// of another.
TEST(RecordText, AnotherCapEpochOrStateDoesNotAdmit) {
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
TEST(RecordText, WithACapThatNobodyMayHaveIsNone) {
  for (const char* cap : {"0", "86400001", "9223372036854775807"}) {
    const std::string number(cap);
    EXPECT_FALSE(read_record(number + " 1 e open life 1 1 " + number + " new")) << cap;
  }
  EXPECT_TRUE(read_record("86400000 1 e open life 1 1 86400000 new"));
}

// What stands there is shown to people and compared, also where it cannot be read.
TEST(RecordText, IsFoundWithWhatItSays) {
  EXPECT_EQ(found_record(quarantined), (core::FoundRecord{read_record(quarantined), quarantined}));
  EXPECT_FALSE(found_record(quarantined).absent());
  EXPECT_EQ(found_record("by hand"), (core::FoundRecord{std::nullopt, "by hand"}));
  EXPECT_FALSE(found_record("by hand").absent());
  EXPECT_EQ(found_record(""), core::FoundRecord{});
  EXPECT_TRUE(found_record("").absent());
}

}  // namespace
}  // namespace tenure::redis
