// What was said before one side ended is heard by the other.
#include "cli/supervise/orders.hpp"

#include <gtest/gtest.h>

namespace tenure::cli {
namespace {

TEST(Leash, LastWordsAreHeardThenTheEnd) {
  auto [tenure, watchdog] = Leash::make();
  Report report;
  EXPECT_EQ(tenure.hear(report), Leash::Heard::nothing);
  watchdog.say(Report{.kind = Report::Kind::not_started, .number = ENOENT});
  watchdog.let_go();
  ASSERT_EQ(tenure.hear(report), Leash::Heard::message);
  EXPECT_EQ(report.number, ENOENT);
  EXPECT_EQ(tenure.hear(report), Leash::Heard::end);
  EXPECT_EQ(tenure.hear(report), Leash::Heard::end);
}

// The kernel then tells of a broken connection first.
TEST(Leash, LastWordsAreHeardAlsoOfOneThatHadNotReadAll) {
  auto [tenure, watchdog] = Leash::make();
  tenure.say(Order{.kind = Order::Kind::guard});
  watchdog.say(Report{.kind = Report::Kind::started, .pid = 7});
  watchdog.say(Report{.kind = Report::Kind::not_started, .number = ENOENT});
  watchdog.let_go();
  Report report;
  ASSERT_EQ(tenure.hear(report), Leash::Heard::message);
  EXPECT_EQ(report.pid, 7);
  ASSERT_EQ(tenure.hear(report), Leash::Heard::message);
  EXPECT_EQ(report.number, ENOENT);
  EXPECT_EQ(tenure.hear(report), Leash::Heard::end);
}

}  // namespace
}  // namespace tenure::cli
