#include "redis/beat_text.hpp"

#include <gtest/gtest.h>

namespace tenure::redis {
namespace {

const core::Beat beat{"0123456789abcdef", 1'794'750'636'000, 2, 3, 17};

TEST(ABeat, IsReadAsItWasWritten) {
  EXPECT_EQ(read_beat(beat_text(beat)), beat);
  EXPECT_TRUE(beat_text(beat).starts_with(beat_opening(beat.boot))) << "by which a script knows whose it is";
}

TEST(ABeat, SaysADigestThatFitsIntoNoDouble) {
  core::Beat with = beat;
  with.digest = 18'446'744'073'709'551'615U;
  EXPECT_EQ(read_beat(beat_text(with)), with);
  EXPECT_NE(beat_text(with).find(R"("digest":"18446744073709551615")"), std::string::npos);
}

// Instances of several versions share sessions while one after the other is replaced.
TEST(ABeat, FromBeforeThereWereVersionsIsRead) {
  EXPECT_EQ(read_beat(R"({"boot":"0123456789abcdef","status":"ready","started":1794750636000,"weight":2,)"
                      R"("owned":3,"version":17})"),
            beat);
}

TEST(ABeat, FieldsOfALaterVersionAreSkippedInWhateverOrderTheyCome) {
  EXPECT_EQ(
      read_beat(
          R"({"boot":"0123456789abcdef","v":2,"zone":"a \"b\", {c}","owned":3,"weight":2,)"
          R"("tags":["x",{"y":"]"},1.5],"well":true,"version":17,"started":1794750636000,"more":null})"),
      beat);
}

TEST(ABeat, WhatIsMissingIsAsUsual) { EXPECT_EQ(read_beat(R"({"boot":"b"})"), core::Beat{"b"}); }

TEST(ABeat, WhatIsNoneIsNotRead) {
  for (const auto* text : {"",
                           "{",
                           "{}",
                           "boot",
                           R"({"boot":"b")",
                           R"({"boot":"b)",
                           R"({"boot":"b",})",
                           R"({"boot":"b"}})",
                           R"({"boot":"b","weight"})",
                           R"({"boot":"b","weight":})",
                           R"({"boot":"b","weight":0})",
                           R"({"boot":"b","weight":1001})",
                           R"({"boot":"b","weight":-1})",
                           R"({"boot":"b","weight":"x"})",
                           R"({"boot":"b","owned":1.5})",
                           R"({"boot":"b","more":{})",
                           R"({"boot":"b","more":["})",
                           R"({"boot":"b","status":"leaving"})",
                           R"({"started":1,"boot":"b"})",
                           R"( {"boot":"b"})"}) {
    EXPECT_FALSE(read_beat(text)) << text;
  }
}

}  // namespace
}  // namespace tenure::redis
