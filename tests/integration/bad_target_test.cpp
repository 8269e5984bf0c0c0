// Targets that answer a poll with what no HTTP server should: a failure with its reason, in time, and little memory.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <deque>

#include "runtime/boot_clock.hpp"
#include "support/bad_replies.hpp"
#include "support/fake_server.hpp"
#include "support/polls.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;
using runtime::boot_now;

const std::string fine = "HTTP/1.1 200 OK\r\n";
const std::string letters(65'536, 'x');

std::vector<BadReply> bad_answers() {
  return {
      {"garbage", "\x01\x02 not http at all\r\n\r\n"},
      {"an older protocol", "hello\n"},
      {"zeros", Said::and_hang_up(std::string(1'000, '\0'))},
      {"a Redis", "-ERR unknown command\r\n"},
      {"an end at once", Said::and_hang_up("")},
      {"an end within the first line", Said::and_hang_up("HTTP/1.1 2")},
      {"an end within the headers", Said::and_hang_up(fine + "Content-Length: 5\r\n")},
      {"an end within the body", Said::and_hang_up(fine + "Content-Length: 500\r\n\r\nhello")},
      {"an end within a chunk", Said::and_hang_up(fine + "Transfer-Encoding: chunked\r\n\r\nff\r\nhello")},
      {"a chunk of no number", fine + "Transfer-Encoding: chunked\r\n\r\nhello\r\nhello\r\n0\r\n\r\n"},
      {"a chunk of 2^64", fine + "Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\nhello"},
      {"a length below zero", fine + "Content-Length: -1\r\n\r\nhello"},
      {"a length of 2^63", fine + "Content-Length: 9223372036854775808\r\n\r\nhello"},
      {"silence", ""},
      {"a body without end", Said::and_then_for_ever(fine + "\r\n", letters)},
      {"chunks without end",
       Said::and_then_for_ever(fine + "Transfer-Encoding: chunked\r\n\r\n", "10000\r\n" + letters + "\r\n")},
      {"a header without end", Said::and_then_for_ever(fine + "X: ", letters)},
      {"headers without end", Said::and_then_for_ever(fine, times(1'000, "X-Again: and again\r\n"))},
      {"cookies without end",
       Said::and_then_for_ever(fine, times(100, "Set-Cookie: a=" + std::string(4'000, 'b') + "\r\n"))},
      {"a first line without end", Said::and_then_for_ever("HTTP/1.1 200 ", letters)},
      {"interim answers without end", Said::and_then_for_ever("", times(100, "HTTP/1.1 100 Go on\r\n\r\n"))},
      {"a trailer without end", Said::and_then_for_ever(fine + "Transfer-Encoding: chunked\r\n\r\n0\r\n",
                                                        times(1'000, "X-Again: and again\r\n"))},
      {"a status of no number", "HTTP/1.1 abc OK\r\n\r\n"},
      {"a status of many digits", Said::and_hang_up("HTTP/1.1 99999999999 OK\r\n\r\n")},
      {"a redirect to nowhere", Said::and_hang_up("HTTP/1.1 302 Found\r\nLocation: http://\r\n\r\n")},
      {"a redirect to a file",
       Said::and_hang_up("HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\n\r\n")},
      {"a redirect that is too long",
       Said::and_hang_up("HTTP/1.1 302 Found\r\nLocation: http://" + std::string(90'000, 'a') + "\r\n\r\n")},
  };
}

TEST(BadTarget, WhateverItAnswersIsAFailureInTimeAndKeepsNoOtherFromItsPoll) {
  rusage before{};
  getrusage(RUSAGE_SELF, &before);
  Polls polls(HttpPoll{.connect_timeout = 500ms, .timeout = 1'000ms});
  const FakeServer good(Said::and_hang_up(fine + "Content-Length: 2\r\n\r\nok"));
  std::deque<FakeServer> targets;
  std::vector<std::pair<std::string, poll::PollId>> begun;
  const auto url = [](const FakeServer& it) { return "http://127.0.0.1:" + std::to_string(it.port()) + "/"; };
  const core::Time began = boot_now();
  for (auto& bad : bad_answers()) {
    const auto& target = targets.emplace_back(bad.said);
    begun.emplace_back(bad.name, polls.begin("s", url(target)));
  }
  EXPECT_EQ(polls.outcome(polls.begin("good", url(good))).body, "ok");
  for (const auto& [name, id] : begun) {
    const auto outcome = polls.outcome(id);
    EXPECT_FALSE(outcome.ok) << name;
    EXPECT_FALSE(outcome.error.empty()) << name;
    EXPECT_EQ(outcome.error.find_first_of("\r\n\x1b"), std::string::npos) << name << ": " << outcome.error;
    EXPECT_EQ(outcome.body.size(), 0U) << name;
  }
  EXPECT_LT(boot_now() - began, 5s);
#ifndef __SANITIZE_ADDRESS__  // whose own memory is many times ours
  rusage after{};
  getrusage(RUSAGE_SELF, &after);
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 60'000) << "kilobytes";
#endif
}

}  // namespace
}  // namespace tenure::test
