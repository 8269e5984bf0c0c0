#include "redis/reader.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace tenure::redis {
namespace {

using namespace std::string_literals;

// Everything that the reader makes of these pieces, and the failure that ended it, if one did.
struct Reading {
  std::vector<Value> values;
  std::string failure;
  bool operator==(const Reading&) const = default;
};

Reading read(const std::vector<std::string_view>& pieces, Reader reader = Reader{}) {
  Reading reading;
  for (const auto piece : pieces) {
    reader.feed(piece);
    while (true) {
      auto next = reader.next();
      if (!next) {
        reading.failure = next.error();
        return reading;
      }
      if (!*next) break;
      reading.values.push_back(std::move(**next));
    }
  }
  return reading;
}

Reading read(std::string_view bytes, Reader reader = Reader{}) {
  return read(std::vector{bytes}, std::move(reader));
}

std::vector<std::string_view> single_bytes(std::string_view bytes) {
  std::vector<std::string_view> pieces;
  for (std::size_t at = 0; at < bytes.size(); ++at) pieces.push_back(bytes.substr(at, 1));
  return pieces;
}

void expect_refused(std::string_view bytes, std::string_view why = "", Reader::Limits limits = {}) {
  const Reading whole = read(bytes, Reader{limits});
  EXPECT_NE(whole.failure, "");
  EXPECT_NE(whole.failure.find(why), std::string::npos) << whole.failure;
  // The verdict does not depend on how the bytes were cut.
  EXPECT_EQ(read(single_bytes(bytes), Reader{limits}).values, whole.values);
  EXPECT_FALSE(read(single_bytes(bytes), Reader{limits}).failure.empty());
}

const std::string sample =
    "+OK\r\n-ERR no\r\n:-42\r\n:9223372036854775807\r\n$5\r\na\r\nbc\r\n$0\r\n\r\n$-1\r\n*-1\r\n*0\r\n"
    "*3\r\n:1\r\n*2\r\n+x\r\n$-1\r\n$3\r\nend\r\n+\r\n"s;

TEST(Reader, EveryKindOfValueIsRead) {
  const std::vector<Value> expected{
      Value::status("OK"),
      Value::error("ERR no"),
      Value::of(-42),
      Value::of(INT64_MAX),
      Value::string("a\r\nbc"),
      Value::string(""),
      Value::nil(),
      Value::nil(),
      Value::array({}),
      Value::array({Value::of(1), Value::array({Value::status("x"), Value::nil()}), Value::string("end")}),
      Value::status(""),
  };
  const Reading reading = read(sample);
  EXPECT_EQ(reading.failure, "");
  EXPECT_EQ(reading.values, expected);
}

TEST(Reader, EveryWayToCutTheBytesGivesTheSameValues) {
  const Reading whole = read(sample);
  const std::string_view bytes = sample;
  for (std::size_t first = 0; first <= bytes.size(); ++first) {
    for (std::size_t second = first; second <= bytes.size(); ++second) {
      const Reading cut =
          read({bytes.substr(0, first), bytes.substr(first, second - first), bytes.substr(second)});
      ASSERT_EQ(cut, whole) << "cut at " << first << " and " << second;
    }
  }
  EXPECT_EQ(read(single_bytes(bytes)), whole);
}

TEST(Reader, AnIncompleteValueIsNoValueAndNoFailure) {
  for (std::size_t length = 0; length < 12; ++length) {
    EXPECT_EQ(read("*1\r\n$3\r\nabc\r\n"s.substr(0, length)), Reading{}) << length;
  }
}

TEST(Reader, ALargeStringArrivesInPieces) {
  const std::string text(1 << 20, 'x');
  const std::string bytes = "$" + std::to_string(text.size()) + "\r\n" + text + "\r\n";
  std::vector<std::string_view> pieces;
  for (std::size_t at = 0; at < bytes.size(); at += 4096)
    pieces.push_back(std::string_view(bytes).substr(at, 4096));
  EXPECT_EQ(read(pieces).values, std::vector{Value::string(text)});
}

TEST(Reader, WhatIsNotRespIsRefusedByItsFirstByte) {
  expect_refused("HTTP/1.1 400 Bad Request\r\n", "\"H\"");
  expect_refused("\x16\x03\x01", "\\x16");
  expect_refused("*1\r\n?", "\"?\"");
}

TEST(Reader, AFailureIsForGood) {
  Reader reader;
  reader.feed("?");
  const auto first = reader.next();
  ASSERT_FALSE(first);
  reader.feed("+OK\r\n");
  EXPECT_EQ(reader.next().error(), first.error());
  EXPECT_EQ(reader.next().error(), first.error());
}

TEST(Reader, ValuesBeforeTheBadBytesAreStillGiven) {
  const Reading reading = read("+OK\r\n?");
  EXPECT_EQ(reading.values, std::vector{Value::status("OK")});
  EXPECT_NE(reading.failure, "");
}

TEST(Reader, LengthsThatCannotBeAreRefusedAtOnce) {
  for (const char type : {'$', '*'}) {
    for (const auto* length : {"-2", "-9223372036854775808", "2147483648", "4294967297",
                               "9223372036854775807", "9223372036854775808", "18446744073709551617",
                               "99999999999999999999999999", "1x", "x", "", "-", "1.5", " 1"}) {
      SCOPED_TRACE(type + std::string(length));
      expect_refused(type + std::string(length) + "\r\n");
    }
  }
  expect_refused(":12x\r\n");
  expect_refused(":9223372036854775808\r\n");
}

TEST(Reader, AStringThatDoesNotEndWhereItSaidIsRefused) {
  expect_refused("$3\r\nabcde", "does not end");
  expect_refused("$3\r\nabc\n\r", "does not end");
  expect_refused("*1\r\n$3\r\nabcd\r\n", "does not end");
}

TEST(Reader, AnAnnouncedStringOverTheLimitIsRefusedBeforeItArrives) {
  expect_refused("$16777217\r\n", "longer than 16777216 bytes");
  expect_refused("*2\r\n$16777217\r\n", "longer than 16777216 bytes");
  EXPECT_EQ(read("$16777216\r\n"), Reading{});
}

TEST(Reader, TheTextOfAWholeValueIsLimitedNotOnlyItsStrings) {
  const Reader::Limits limits{.text = 10, .elements = 5, .line = 10};
  EXPECT_EQ(read("*2\r\n$5\r\nabcde\r\n$5\r\nabcde\r\n", Reader{limits}).failure, "");
  expect_refused("*2\r\n$5\r\nabcde\r\n$6\r\nabcdef\r\n", "longer than 10 bytes", limits);
  // Each value begins anew.
  EXPECT_EQ(read("$10\r\n0123456789\r\n$10\r\n0123456789\r\n", Reader{limits}).values.size(), 2u);
}

TEST(Reader, TheElementsOfAWholeValueAreLimitedNotOnlyThoseOfOneArray) {
  expect_refused("*100001\r\n", "more than 100000 elements");
  expect_refused("*2\r\n*99999\r\n", "more than 100000 elements");
  EXPECT_EQ(read("*100000\r\n"), Reading{});
  std::string bytes;
  for (int i = 0; i < 3; ++i) {
    bytes += "*60000\r\n";
    for (int j = 0; j < 60000; ++j) bytes += ":1\r\n";
  }
  EXPECT_EQ(read(bytes).values.size(), 3u);
}

TEST(Reader, ArraysNestedTooDeeplyAreRefused) {
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes += "*1\r\n";
  EXPECT_EQ(read(bytes + ":1\r\n").values.size(), 1u);
  expect_refused(bytes + "*1\r\n");
  for (int i = 0; i < 100'000; ++i) bytes += "*1\r\n";
  EXPECT_NE(read(bytes).failure, "");
}

TEST(Reader, TypesOfResp3AreRefusedWhereverTheyStand) {
  for (const auto* item : {",1.5\r\n", "#t\r\n", "_\r\n", "(123\r\n", "%1\r\n:1\r\n:2\r\n", "~1\r\n:1\r\n",
                           ">1\r\n:1\r\n", "=7\r\ntxt:abc\r\n", "!3\r\nERR\r\n", "|1\r\n:1\r\n:1\r\n"}) {
    SCOPED_TRACE(item);
    EXPECT_NE(read(item).failure, "");
    EXPECT_NE(read("*2\r\n:1\r\n"s + item).failure, "");
    EXPECT_EQ(read("*2\r\n:1\r\n"s + item).values.size(), 0u);
  }
}

// How much of an endless stream is taken before it is refused.
std::size_t taken(std::string_view start, std::string_view endless, Reader::Limits limits = {}) {
  Reader reader{limits};
  reader.feed(start);
  std::size_t fed = start.size();
  while (reader.next()) {
    reader.feed(endless);
    fed += endless.size();
    if (fed > (std::size_t{64} << 20)) break;
  }
  return fed;
}

TEST(Reader, AnEndlessLineIsRefusedSoon) {
  const std::string block(1000, 'a');
  EXPECT_LE(taken("+", block), 70'000u);
  EXPECT_LE(taken("-ERR ", block), 70'000u);
  EXPECT_LE(taken("+", std::string(1000, '\r')), 70'000u);
  EXPECT_LE(taken(":", std::string(10, '1')), 50u);
  EXPECT_LE(taken("$", std::string(10, '1')), 50u);
  EXPECT_LE(taken("*", std::string(10, '1')), 50u);
  EXPECT_LE(taken("$", "0"), 50u);
}

TEST(Reader, AnEndlessStreamOfNestedItemsIsRefused) {
  const Reader::Limits limits{.text = 1 << 16, .elements = 1000, .line = 1 << 10};
  EXPECT_LE(taken("", "*9\r\n", limits), 1000u);
  EXPECT_LE(taken("*1000\r\n", "$1000\r\n" + std::string(1000, 'x') + "\r\n", limits), 70'000u);
}

TEST(Reader, FeedingWithoutReadingIsBounded) {
  Reader reader{{.text = 1000, .elements = 10, .line = 100}};
  for (int i = 0; i < 10'000; ++i) reader.feed("+OK\r\n");
  EXPECT_FALSE(reader.next());
}

TEST(Reader, RandomBytesNeverCrashAndTheVerdictDoesNotDependOnTheCuts) {
  constexpr std::string_view alphabet = "+-:$*\r\n\r\n\r\n0123456789ab_,#%";
  std::mt19937 random(1);  // NOLINT: the same bytes in every run
  for (int round = 0; round < 20'000; ++round) {
    std::string bytes = round % 3 == 0 ? "*3\r\n" : "";
    for (std::size_t i = random() % 60; i > 0; --i) {
      bytes += round % 2 == 0 ? alphabet[random() % alphabet.size()] : static_cast<char>(random() % 256);
    }
    const Reader::Limits limits{.text = 40, .elements = 20, .line = 30};
    const Reading whole = read(bytes, Reader{limits});
    const Reading cut = read(single_bytes(bytes), Reader{limits});
    ASSERT_EQ(cut.values, whole.values) << "round " << round;
    ASSERT_EQ(cut.failure.empty(), whole.failure.empty())
        << "round " << round << ": " << testing::PrintToString(bytes);
  }
}

TEST(Reader, ABrokenCopyOfAGoodStreamNeverCrashes) {
  std::mt19937 random(2);  // NOLINT: the same bytes in every run
  for (int round = 0; round < 20'000; ++round) {
    std::string bytes = sample;
    for (int i = 0; i < 3; ++i) bytes[random() % bytes.size()] = static_cast<char>(random() % 256);
    ASSERT_EQ(read(single_bytes(bytes)).values, read(bytes).values) << "round " << round;
  }
}

}  // namespace
}  // namespace tenure::redis
