// What is shown on a terminal fits on it: in columns, as its reader counts them.
#include "cli/table.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace tenure::cli {
namespace {

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> all;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) all.push_back(line);
  return all;
}

TEST(TextWidth, CountsColumnsAndNotBytes) {
  EXPECT_EQ(columns(""), 0U);
  EXPECT_EQ(columns("abc"), 3U);
  EXPECT_EQ(columns("größe"), 5U);
  EXPECT_EQ(columns("東京"), 4U);
  EXPECT_EQ(columns("한국"), 4U);
  EXPECT_EQ(columns("e\u0301"), 1U) << "an accent stands on its letter";
  EXPECT_EQ(columns("🚀"), 2U);
  EXPECT_EQ(columns("\x1b[31mred\x1b[0m"), 3U) << "a colour takes no room";
  EXPECT_EQ(columns("\xff"), 1U);
}

TEST(TextWidth, ClipsWhatIsTooLongAndSaysSo) {
  EXPECT_EQ(clipped("abcdef", 6), "abcdef");
  EXPECT_EQ(clipped("abcdef", 5), "abcd…");
  EXPECT_EQ(clipped("abcdef", 1), "…");
  EXPECT_EQ(clipped("abcdef", 0), "");
  EXPECT_EQ(clipped("", 0), "");
  EXPECT_EQ(clipped("größer", 4), "grö…");
}

TEST(TextWidth, NeverShowsHalfOfAWideCharacter) {
  EXPECT_EQ(clipped("東京都", 6), "東京都");
  EXPECT_EQ(clipped("東京都", 5), "東京…");
  EXPECT_EQ(clipped("東京都", 4), "東…");
  EXPECT_EQ(clipped("東京都", 2), "…");
}

TEST(TextWidth, AColourThatIsCutOffEndsThere) {
  EXPECT_EQ(clipped("\x1b[31mabcdef\x1b[0m", 4), "\x1b[31mabc…\x1b[0m");
  EXPECT_EQ(clipped("\x1b[31mab\x1b[0m", 2), "\x1b[31mab\x1b[0m");
}

TEST(Table, ColumnsStandBelowEachOther) {
  EXPECT_EQ(aligned({{"NAME", "OWNER"}, {"größe", "web-1"}, {"東京都", "web-2"}}),
            "NAME    OWNER\n"
            "größe   web-1\n"
            "東京都  web-2\n");
  EXPECT_EQ(aligned({}), "");
}

TEST(Table, TheWidestColumnIsClippedFirst) {
  const std::vector<Row> rows{{"NAME", "OWNER", "LEFT"},
                              {std::string(40, 'n'), std::string(20, 'o'), "12s"},
                              {"short", "web-1", "3s"}};
  EXPECT_EQ(aligned(rows, {.columns = 50}),
            "NAME                    OWNER                 LEFT\n"
            "nnnnnnnnnnnnnnnnnnnnn…  oooooooooooooooooooo  12s\n"
            "short                   web-1                 3s\n");
}

TEST(Table, FitsIntoEveryWidth) {
  const std::vector<Row> rows{
      {"NAME", "STATE", "OWNER", "TOKEN"},
      {std::string(60, 'n'), {"held", Tone::good}, "東京都東京都東京都", "1234567890"}};
  for (const bool color : {false, true}) {
    for (std::size_t width = 1; width < 100; ++width) {
      for (const auto& line : lines(aligned(rows, {.paint = Paint(color), .columns = width}))) {
        EXPECT_LE(columns(line), width) << line;
      }
    }
  }
}

TEST(Table, AColouredTableIsThePlainOneWithoutItsColours) {
  const std::vector<Row> rows{{"NAME", "STATE"}, {"a", {"held", Tone::good}}, {"b", {"foreign", Tone::bad}}};
  EXPECT_EQ(aligned(rows, {.paint = Paint(true)}),
            "\x1b[1mNAME\x1b[0m  \x1b[1mSTATE\x1b[0m\n"
            "a     \x1b[32mheld\x1b[0m\n"
            "b     \x1b[31mforeign\x1b[0m\n");
}

TEST(Page, WhatFitsStaysAsItIs) {
  EXPECT_EQ(fitted("a\nb\n", {.rows = 3}), "a\nb\n");
  EXPECT_EQ(fitted("a\nb\n", {}), "a\nb\n");
  EXPECT_EQ(fitted("", {.columns = 1, .rows = 1}), "");
}

TEST(Page, TheLastRowSaysHowMuchMoreThereIs) {
  EXPECT_EQ(fitted("a\nb\nc\nd\n", {.rows = 4}), "a\nb\n… and 2 more lines\n");
  EXPECT_EQ(fitted("a\nb\nc\nd\n", {.rows = 1}), "… and 4 more lines\n");
  EXPECT_EQ(fitted("a\n\nabcdef\n", {.columns = 3}), "a\n\nab…\n");
}

TEST(Page, NeverScrolls) {
  std::string page;
  for (int i = 0; i < 30; ++i) page += std::string(static_cast<std::size_t>(i) * 5, 'x') + "\n";
  for (std::size_t rows = 2; rows < 40; ++rows) {
    const auto shown = lines(fitted(page, {.columns = 60, .rows = rows}));
    EXPECT_LT(shown.size(), rows);
    for (const auto& line : shown) EXPECT_LE(columns(line), 60U);
  }
}

}  // namespace
}  // namespace tenure::cli
