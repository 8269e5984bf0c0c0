#include "kubernetes/micro_time.hpp"

#include <gtest/gtest.h>

namespace tenure::kubernetes {
namespace {

using namespace std::chrono_literals;

TEST(MicroTime, IsWrittenAsTheApiServerWritesIt) {
  EXPECT_EQ(micro_time(1'795'130'448'123'456us), "2026-11-19T23:20:48.123456Z");
  EXPECT_EQ(micro_time(0us), "1970-01-01T00:00:00.000000Z");
}

TEST(MicroTime, IsReadInAllItsForms) {
  EXPECT_EQ(read_micro_time("2026-11-19T23:20:48.123456Z"), 1'795'130'448'123'456us);
  EXPECT_EQ(read_micro_time("2026-11-19T23:20:48Z"), 1'795'130'448'000'000us);
  EXPECT_EQ(read_micro_time("2026-11-19T23:20:48.5Z"), 1'795'130'448'500'000us);
  EXPECT_EQ(read_micro_time("2026-11-19T23:20:48.123456789Z"), 1'795'130'448'123'456us);
  EXPECT_EQ(read_micro_time("2026-11-20T00:20:48.000000+01:00"), 1'795'130'448'000'000us);
  EXPECT_EQ(read_micro_time("2026-11-19T17:50:48.000000-05:30"), 1'795'130'448'000'000us);
}

TEST(MicroTime, NothingElseIsATime) {
  for (const auto* text :
       {"", "now", "2026-13-19T23:20:48Z", "2026-02-30T00:00:00Z", "2026-11-19T23:20:48",
        "2026-11-19 23:20:48Z", "2026-11-19T23:20:48ZZ", "+026-11-19T23:20:48Z", "2026-11-19T23:20:48.Zx"})
    EXPECT_EQ(read_micro_time(text), std::nullopt) << text;
}

TEST(HttpDate, IsRead) {
  EXPECT_EQ(read_http_date("Thu, 19 Nov 2026 23:20:48 GMT"), 1'795'130'448s);
  for (const auto* text :
       {"", "Thu, 19 Nov 2026 23:20:48", "Thu, 32 Nov 2026 23:20:48 GMT", "Thu, 19 Noe 2026 23:20:48 GMT",
        "Thursday, 19-Nov-26 23:20:48 GMT", "onT, 19 Nov 2026 23:20:48 GMT"})
    EXPECT_EQ(read_http_date(text), std::nullopt) << text;
}

}  // namespace
}  // namespace tenure::kubernetes
