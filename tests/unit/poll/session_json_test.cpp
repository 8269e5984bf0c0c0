// Sessions as people and programs write them into Redis: what is read, what is refused, and in which words.
#include "poll/session_json.hpp"

#include <gtest/gtest.h>

namespace tenure::poll {
namespace {

using namespace std::chrono_literals;

Session read(const std::string& text, Addresses addresses = Addresses::http) {
  const auto session = read_session("s1", text, addresses);
  EXPECT_TRUE(session.has_value()) << session.error();
  return session.value_or(Session{});
}

std::string why(const std::string& text, Addresses addresses = Addresses::http) {
  const auto session = read_session("s1", text, addresses);
  EXPECT_FALSE(session.has_value()) << text;
  return session ? "" : session.error();
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(SessionJson, SaysWhatToPollHowOftenAndWhetherItIsPaused) {
  EXPECT_EQ(read(R"({"id":"s1","address":"http://a/b?c","interval_ms":4000,"paused":true})"),
            (Session{"s1", "http://a/b?c", 4s, true}));
}

TEST(SessionJson, NeedsNothingButAnAddress) {
  EXPECT_EQ(read(R"( { "address" : "https://a" } )"), (Session{"s1", "https://a", 10s, false}));
}

TEST(SessionJson, FieldsThatAreNotOursAreLeftAlone) {
  EXPECT_EQ(read(R"({"address":"http://a","owner":{"team":["x"]},"interval":1})").address, "http://a");
}

TEST(SessionJson, TheIntervalIsFromFourSecondsToTwoMinutes) {
  const auto with = [](const std::string& number) {
    return R"({"address":"http://a","interval_ms":)" + number + "}";
  };
  EXPECT_EQ(read(with("4000")).interval, 4s);
  EXPECT_EQ(read(with("120000")).interval, 120s);
  EXPECT_EQ(read(with("1e4")).interval, 10s);
  EXPECT_EQ(why(with("3999")), "interval_ms is 3999, not between 4000 and 120000");
  EXPECT_EQ(why(with("120001")), "interval_ms is 120001, not between 4000 and 120000");
  EXPECT_EQ(why(with("-1")), "interval_ms is -1, not between 4000 and 120000");
  EXPECT_EQ(why(with("99999999999999999999")), "interval_ms is 1E20, not between 4000 and 120000");
  EXPECT_EQ(why(with("5000.5")), "interval_ms is not a whole number");
  EXPECT_EQ(why(with("\"10s\"")), "interval_ms is not a number");
  EXPECT_EQ(why(with("null")), "interval_ms is not a number");
}

TEST(SessionJson, WhatIsNotJsonIsRefusedWithThePlace) {
  EXPECT_TRUE(why("").starts_with("its text is not JSON: ")) << why("");
  EXPECT_TRUE(why("http://a").starts_with("its text is not JSON: syntax error at byte 1")) << why("http://a");
  EXPECT_TRUE(has(why(R"({"address":"http://a")"), "incomplete")) << why(R"({"address":"http://a")");
  EXPECT_TRUE(has(why(R"({"address":"http://a"} x)"), "at byte 24")) << why(R"({"address":"http://a"} x)");
  EXPECT_TRUE(has(why("{\"address\":\"\xff\"}"), "its text is not JSON: "));
  EXPECT_TRUE(has(why(R"({"address":"\ud800"})"), "its text is not JSON: "));
  EXPECT_TRUE(has(why(std::string(20, '[') + std::string(20, ']')), "its text is not JSON: "));
}

TEST(SessionJson, WhatIsNoSessionIsRefusedForWhatItLacks) {
  EXPECT_EQ(why(R"({"address":"http://a","x":[9e9999]})"),
            "its text is not JSON: a number in it is too large");
  EXPECT_EQ(why("[]"), "its text is JSON, but not an object");
  EXPECT_EQ(why("42"), "its text is JSON, but not an object");
  EXPECT_EQ(why("{}"), "it has no address");
  EXPECT_EQ(why(R"({"address":7})"), "its address is not a string");
  EXPECT_EQ(why(R"({"address":""})"), "the address is empty");
  EXPECT_EQ(why(R"({"address":"http://a","paused":"no"})"), "paused is neither true nor false");
  EXPECT_EQ(why(R"({"address":"http://a","id":"s2"})"), "its id is \"s2\", and its key says \"s1\"");
  EXPECT_EQ(why(R"({"address":"http://a","id":1})"), "its id is not a string");
}

TEST(SessionJson, WhatIsPolledByHttpNeedsAnHttpAddress) {
  const auto at = [](const std::string& address) { return R"({"address":")" + address + "\"}"; };
  EXPECT_EQ(read(at("HTTPS://a:8443/x")).address, "HTTPS://a:8443/x");
  for (const char* address : {"a.example", "ftp://a", "file:///etc/passwd", "/dev/ttyS0", "//a"}) {
    EXPECT_EQ(why(at(address)), "the address does not begin with http:// or https://");
    EXPECT_EQ(read(at(address), Addresses::any).address, address);
  }
  for (const char* address : {"http://", "http:///x", "https://:80", "http://?q"}) {
    EXPECT_EQ(why(at(address)), "the address names no host");
  }
  EXPECT_EQ(why(at("http://a b")), "the address has a space in it");
  EXPECT_EQ(why(at("a\\u001b[2J"), Addresses::any), "the address has a control character at byte 2");
}

TEST(SessionJson, AUrlThatCannotBePolledIsRefusedWithItsReason) {
  const auto at = [](const std::string& address) { return R"({"address":")" + address + "\"}"; };
  for (const char* port : {"99999", "65536", "0", "000"}) {
    EXPECT_EQ(why(at(std::string("http://a:") + port + "/x")),
              "the port in the address is not between 1 and 65535");
  }
  for (const char* address : {"http://[::1", "http://[::1/x", "http://[::g]/", "https://[1:2]"}) {
    EXPECT_EQ(why(at(address)),
              "the IPv6 address in the address is not valid, or its closing bracket is missing")
        << address;
  }
  for (const char* address : {"http://a:80x/", "http://a<b>/", "http://me:secret@/x"}) {
    EXPECT_NE(why(at(address)), "") << address;
    EXPECT_FALSE(has(why(at(address)), "secret"));
    EXPECT_EQ(read(at(address), Addresses::any).address, address) << "a command may understand it";
  }
  for (const char* address :
       {"http://[::1]:8080/x", "http://a:65535", "http://a:", "http://me:secret@a/",
        "http://b\u00fccher.example/", "http://127.0.0.1:1/?q=[x]#y", "https://[fe80::1%25eth0]/"}) {
    EXPECT_FALSE(read(at(address)).address.empty()) << address;
  }
}

TEST(SessionJson, NoRefusalShowsAPassword) {
  EXPECT_FALSE(has(why(R"({"address":"ftp://me:secret@a"})"), "secret"));
}

TEST(SessionJson, ALongTextIsRefusedBeforeItIsRead) {
  const std::string start = R"({"address":"http://a","note":")";
  const std::string end = "\"}";
  const std::string longest = start + std::string(session_text_max - start.size() - end.size(), 'x') + end;
  EXPECT_EQ(read(longest).address, "http://a");
  EXPECT_EQ(why(longest + " "), "its text is longer than 64 KiB");
  EXPECT_EQ(why(R"({"address":"http://a/)" + std::string(4096, 'x') + "\"}"),
            "the address has 4105 bytes; the most is 4096");
}

TEST(SessionJson, AnIdMustBeAName) {
  const std::string text = R"({"address":"http://a"})";
  EXPECT_EQ(read_session("", text, Addresses::http).error(), "the session id is empty");
  EXPECT_TRUE(has(read_session("a\nb", text, Addresses::http).error(), "control character"));
  EXPECT_TRUE(has(read_session("\xff", text, Addresses::http).error(), "not valid UTF-8"));
  EXPECT_TRUE(has(read_session(std::string(513, 'x'), text, Addresses::http).error(), "513 bytes"));
}

TEST(SessionJson, WhatIsWrittenIsReadBack) {
  const Session session{"Zürich \"1\"", "http://a/\\?x=1&y", 4s, true};
  const std::string text = write_session(session);
  EXPECT_EQ(read_session(session.id, text, Addresses::http).value(), session);
  EXPECT_EQ(write_session({"s1", "http://a", 10s, false}),
            R"({"id":"s1","address":"http://a","interval_ms":10000,"paused":false})");
}

TEST(SessionJson, RewritingKeepsWhatIsNotOurs) {
  const std::string text = R"({"team":"x","address":"http://a","tags":["b",1,null],"interval_ms":5000})";
  Session session = read(text);
  session.paused = true;
  const std::string paused = rewrite_session(text, session);
  EXPECT_EQ(paused,
            R"({"team":"x","address":"http://a","tags":["b",1,null],"interval_ms":5000,"paused":true})");
  session.paused = false;
  EXPECT_EQ(read(rewrite_session(paused, session)), session);
}

}  // namespace
}  // namespace tenure::poll
