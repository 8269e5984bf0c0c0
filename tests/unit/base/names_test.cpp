#include "core/base/names.hpp"

#include <gtest/gtest.h>

#include "core/base/text.hpp"

namespace tenure::core {
namespace {

using namespace std::string_literals;

TEST(Names, OrdinaryNamesAreAccepted) {
  for (const auto& name : {"a"s, "pricing-oracle-keeper"s, "myapp:leader"s, "with space"s, "größe"s, "租約"s,
                           "🔒"s, std::string(512, 'x')}) {
    EXPECT_EQ(name_error("the name", name), std::nullopt) << name;
  }
}

// What means something to a shell, a glob, a Redis Cluster or a browser is a plain letter here.
TEST(Names, SignsThatMeanSomethingElsewhereAreTakenLiterally) {
  for (const auto& name : {"{tag}a"s, "{}"s, "}{"s, "*"s, "a?[b-c]"s, "$(reboot)"s, "`x`"s, "a'b\"c"s,
                           "..\\.."s, "<b>&amp;"s, "a#b#7"s, "-n"s, "%s%n"s}) {
    EXPECT_EQ(name_error("the name", name), std::nullopt) << name;
  }
}

TEST(Names, AnEmptyNameIsRefused) { EXPECT_EQ(name_error("the name", ""), "the name is empty"); }

TEST(Names, AHugeNameIsRefusedWithoutBeingShown) {
  EXPECT_EQ(name_error("the name", std::string(513, 'x')), "the name has 513 bytes; the most is 512");
  EXPECT_EQ(name_error("the owner id", std::string(std::size_t{1} << 20U, 'x')),
            "the owner id has 1048576 bytes; the most is 512");
}

TEST(Names, ControlCharactersAreRefusedWithTheirPlace) {
  EXPECT_EQ(name_error("the name", "a\r\nb"), "the name \"a\\x0d\\x0ab\" has a control character at byte 2");
  EXPECT_EQ(name_error("the name", "a\0b"s), "the name \"a\\x00b\" has a control character at byte 2");
  EXPECT_EQ(name_error("the name", "\x1b[31m"), "the name \"\\x1b[31m\" has a control character at byte 1");
  EXPECT_EQ(name_error("the name", "ab\x7f"), "the name \"ab\\x7f\" has a control character at byte 3");
  // C1: a terminal may take U+009B for ESC [.
  EXPECT_EQ(name_error("the name", "a\u009b31m"),
            "the name \"a\\xc2\\x9b31m\" has a control character at byte 2");
  EXPECT_EQ(name_error("the name", "no-break\u00a0space"), std::nullopt);
}

// U+202E lets "gpj.exe" look like "exe.jpg"; two names that differ by a zero-width space look the same.
TEST(Names, WhatNobodySeesOrTurnsTheOrderIsRefusedAsAControlCharacter) {
  EXPECT_EQ(name_error("the name", "a\u202eb"),
            "the name \"a\\xe2\\x80\\xaeb\" has a control character at byte 2");
  for (const char* character :
       {"\u00ad", "\u034f", "\u061c", "\u180e", "\u200b", "\u200d", "\u200f", "\u2028", "\u202a", "\u2060",
        "\u2066", "\u2069", "\u206f", "\ufeff", "\ufff9", "\U000e0041"}) {
    EXPECT_TRUE(name_error("the name", "a"s + character)) << character;
    EXPECT_TRUE(is_control(character)) << character;
  }
  for (const char* character : {"\u00ac", "\u00ae", "\u200a", "\u2010", "\u202f", "\u205f", "\u2070",
                                "\ufefe", "\ufffd", "\U000e0080", "\U0001f512", "~", " "}) {
    EXPECT_FALSE(is_control(character)) << character;
  }
}

TEST(Names, EverySingleControlByteIsRefused) {
  for (int byte = 0; byte < 0x20; ++byte) {
    EXPECT_TRUE(name_error("the name", "a"s + static_cast<char>(byte))) << byte;
  }
}

TEST(Names, BrokenUtf8IsRefusedWithItsPlace) {
  EXPECT_EQ(name_error("the name", "a\xff"), "the name \"a\\xff\" is not valid UTF-8 at byte 2");
  EXPECT_EQ(name_error("the name", "\x9b"), "the name \"\\x9b\" is not valid UTF-8 at byte 1");
}

TEST(Utf8, TheLengthOfASequenceIsFound) {
  EXPECT_EQ(utf8_length("a"), 1U);
  EXPECT_EQ(utf8_length("\u00e9x"), 2U);
  EXPECT_EQ(utf8_length("\u20acx"), 3U);
  EXPECT_EQ(utf8_length("\U0001f512x"), 4U);
  EXPECT_EQ(utf8_length("\U0010ffff"), 4U);
}

TEST(Utf8, WhatIsCutLongerThanNeededOrNoCharacterIsBroken) {
  for (const auto& bytes : {""s, "\x80"s, "\xc3"s, "\xe2\x82"s, "\xf0\x9f\x94"s, "\xc3("s, "\xe2(\xa1"s,
                            "\xc0\x80"s, "\xc1\xbf"s, "\xe0\x80\xaf"s, "\xf0\x80\x80\xaf"s,  // overlong
                            "\xed\xa0\x80"s, "\xed\xbf\xbf"s,                                // surrogates
                            "\xf4\x90\x80\x80"s, "\xf8\x88\x80\x80\x80"s, "\xfe"s}) {
    EXPECT_EQ(utf8_length(bytes), 0U) << printable(bytes);
  }
}

}  // namespace
}  // namespace tenure::core
