#include "core/base/text.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "core/base/names.hpp"

namespace tenure::core {
namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;

TEST(Text, DurationsAreShownAsTheyAreTyped) {
  EXPECT_EQ(to_text(500ms), "500ms");
  EXPECT_EQ(to_text(30s), "30s");
  EXPECT_EQ(to_text(2min), "2m");
  EXPECT_EQ(to_text(3h), "3h");
  EXPECT_EQ(to_text(0s), "0s");
}

TEST(Text, ADurationIsShownInTheLargestUnitThatIsExact) {
  EXPECT_EQ(to_text(1500ms), "1.5s");
  EXPECT_EQ(to_text(1502ms), "1502ms");
  EXPECT_EQ(to_text(90s), "90s");
  EXPECT_EQ(to_text(90min), "90m");
  EXPECT_EQ(to_text(1ms + 500us), "1.5ms");
  EXPECT_EQ(to_text(1us), "1us");
  EXPECT_EQ(to_text(1s + 1ns), "1000000001ns");
}

TEST(Text, DurationsBelowZeroHaveASign) {
  EXPECT_EQ(to_text(-5s), "-5s");
  EXPECT_EQ(to_text(-1500ms), "-1.5s");
}

TEST(Text, TheLongestDurationsAreShownToo) {
  EXPECT_EQ(to_text(Duration::max()), "9223372036854775807ns");
  EXPECT_EQ(to_text(-Duration::max()), "-9223372036854775807ns");
}

// In a process of its own: it is the one duration without a counterpart above zero.
TEST(TextDeathTest, TheLowestDurationIsShown) {
  EXPECT_EXIT(std::_Exit(to_text(Duration::min()).starts_with('-') ? 0 : 1), testing::ExitedWithCode(0), "");
}

TEST(Printable, OrdinaryTextStaysAsItIs) {
  EXPECT_EQ(printable("held by web-3 · größe 🔒"), "held by web-3 · größe 🔒");
  EXPECT_EQ(printable(""), "");
}

TEST(Printable, NothingReachesTheTerminalAsACommand) {
  EXPECT_EQ(printable("\x1b]0;title\a"), "\\x1b]0;title\\x07");
  EXPECT_EQ(printable("a\r\nb\tc"), "a\\x0d\\x0ab\\x09c");
  EXPECT_EQ(printable("a\0b"s), "a\\x00b");
  EXPECT_EQ(printable("\x7f"), "\\x7f");
  EXPECT_EQ(printable("\u0085\u009b"), "\\xc2\\x85\\xc2\\x9b");
  EXPECT_EQ(printable("a\u202eb\u200b"), "a\\xe2\\x80\\xaeb\\xe2\\x80\\x8b");
  EXPECT_EQ(printable("\xff\xc3"), "\\xff\\xc3");
}

TEST(Printable, EveryPairOfBytesBecomesValidTextWithoutControls) {
  for (unsigned first = 0; first < 256; ++first) {
    for (unsigned second = 0; second < 256; ++second) {
      const std::string text = printable(std::string{static_cast<char>(first), static_cast<char>(second)});
      ASSERT_EQ(name_error("it", text), std::nullopt) << first << " " << second;
    }
  }
}

TEST(Printable, LongTextIsCutBetweenCharacters) {
  EXPECT_EQ(printable("abcdef", 3), "abc…");
  EXPECT_EQ(printable("abc", 3), "abc");
  EXPECT_EQ(printable("ééé", 3), "éé…");
  EXPECT_LE(printable(std::string(std::size_t{1} << 20U, '\x01')).size(), 210U);
}

}  // namespace
}  // namespace tenure::core
