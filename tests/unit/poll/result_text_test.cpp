#include "poll/result_text.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace tenure::poll {
namespace {

PollResult result(std::string body) {
  return {"web-1",
          "here",
          42,
          WallTime(Milliseconds(1'790'000'000'123)),
          Milliseconds(17),
          {.ok = true, .status = 200, .body = std::move(body)}};
}

std::string body_of(const std::string& text) {
  const auto at = text.find("\"body\": ") + 8;
  return text.substr(at, text.size() - at - 1);
}

TEST(ResultText, IsOneObjectWithAllThatIsKnown) {
  EXPECT_EQ(result_text(result("fine"), 100),
            R"({"session": "web-1", "instance": "here", "token": 42, "at": 1790000000123, "took_ms": 17, )"
            R"("ok": true, "status": 200, "error": "", "body": "fine"})");
}

TEST(ResultText, ABodyOfAnyBytesStaysOneString) {
  EXPECT_EQ(body_of(result_text(result("a\"b\\c\n\x01\xff</script>"), 100)),
            "\"a\\\"b\\\\c\\n\\u0001\xef\xbf\xbd</script>\"");
  EXPECT_EQ(body_of(result_text(result(std::string("\0", 1)), 100)), "\"\\u0000\"");
}

TEST(ResultText, ALongBodyIsCutBetweenLetters) {
  EXPECT_EQ(body_of(result_text(result("abcdef"), 4)), "\"abcd\"");
  EXPECT_EQ(body_of(result_text(result("ab\xc3\xa4z"), 3)), "\"ab\"") << "not half an ä";
  EXPECT_EQ(body_of(result_text(result("ab\xc3\xa4z"), 4)), "\"ab\xc3\xa4\"");
  EXPECT_EQ(body_of(result_text(result("\xf0\x9f\x98\x80z"), 3)), "\"\"");
  EXPECT_EQ(body_of(result_text(result("\x80\x80\x80\x80\x80\x80"), 5)).size(), 2 + 5 * 3U)
      << "no letter at all";
  EXPECT_EQ(body_of(result_text(result("abc"), 0)), "\"\"");
}

}  // namespace
}  // namespace tenure::poll
