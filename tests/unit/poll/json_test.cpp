// JSON as the program writes it: any reader can read it, whatever bytes came from Redis.
#include "poll/json.hpp"

#include <gtest/gtest.h>

namespace tenure::poll {
namespace {

TEST(Json, NestsAndSeparates) {
  Json json;
  json.open_object().key("a").number(-1).key("b").open_array().text("x").boolean(true).null().close_array();
  json.key("c")
      .open_object()
      .close_object()
      .key("d")
      .open_array()
      .open_array()
      .close_array()
      .number(2)
      .close_array();
  json.close_object();
  EXPECT_EQ(json.written(), R"({"a": -1, "b": ["x", true, null], "c": {}, "d": [[], 2]})");
}

TEST(Json, EscapesWhatWouldEndAString) {
  EXPECT_EQ(json_quoted(R"(say "no" \ yes)"), R"("say \"no\" \\ yes")");
  Json json;
  json.open_object().key("a\"b").null().close_object();
  EXPECT_EQ(json.written(), R"({"a\"b": null})");
}

TEST(Json, WritesEveryControlCharacterAsAnEscape) {
  EXPECT_EQ(json_quoted("\n\r\t"), R"("\n\r\t")");
  EXPECT_EQ(json_quoted(std::string("\0\x01\x1b[2J\x1f\x7f", 8)), R"("\u0000\u0001\u001b[2J\u001f\u007f")");
  EXPECT_EQ(json_quoted("\xc2\x80\xc2\x9f"), R"("\u0080\u009f")");
  EXPECT_EQ(json_quoted("a\u202e\u200b\U000e0041"), R"("a\u202e\u200b\udb40\udc41")");
}

TEST(Json, KeepsUtf8AsItIs) {
  EXPECT_EQ(json_quoted("Zürich ☂ 🔒"), "\"Zürich ☂ 🔒\"");
  EXPECT_EQ(json_quoted("\xc2\xa0"), "\"\xc2\xa0\"");
}

TEST(Json, ReplacesWhatIsNotUtf8) {
  const std::string replacement = "\xef\xbf\xbd";
  EXPECT_EQ(json_quoted("a\xff\x62"), "\"a" + replacement + "b\"");
  EXPECT_EQ(json_quoted("\xe2\x98"), "\"" + replacement + replacement + "\"");  // cut off
  EXPECT_EQ(json_quoted("\xc0\xaf"), "\"" + replacement + replacement + "\"");  // too long a form
  EXPECT_EQ(json_quoted("\xed\xa0\x80"),
            "\"" + replacement + replacement + replacement + "\"");  // a surrogate
}

}  // namespace
}  // namespace tenure::poll
