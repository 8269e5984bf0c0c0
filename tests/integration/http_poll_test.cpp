#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <vector>

#include "http_target/http_target.hpp"
#include "runtime/boot_clock.hpp"
#include "support/certificates.hpp"
#include "support/host_names.hpp"
#include "support/polls.hpp"
#include "support/redis_server.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;
using poll::PollEnd;
using runtime::boot_now;

HttpPoll quick() { return {.connect_timeout = 500ms, .timeout = 1'000ms}; }

class HttpPolls : public ::testing::Test {
 protected:
  PollOutcome outcome_of(const std::string& path) {
    return polls_.outcome(polls_.begin("s", target_->url(path)));
  }

  std::unique_ptr<http_target::HttpTarget> target_ = http_target::HttpTarget::open().value();
  Polls polls_{quick()};
};

TEST_F(HttpPolls, AnAnswerIsTheResult) {
  const PollOutcome outcome = outcome_of("/");
  EXPECT_TRUE(outcome.ok);
  EXPECT_EQ(outcome.status, 200);
  EXPECT_EQ(outcome.body, "hello s\n");
  EXPECT_EQ(outcome.error, "");
}

TEST_F(HttpPolls, EachRequestNamesInstanceTokenAndSession) {
  polls_.end(polls_.begin("a b%\n", target_->url("/")));
  const auto visits = target_->visits();
  ASSERT_EQ(visits.size(), 1U);
  EXPECT_EQ(visits[0].instance, "here");
  EXPECT_EQ(visits[0].token, 1U);
  EXPECT_EQ(visits[0].session, "a%20b%25%0A") << "no header can be smuggled in";
}

TEST_F(HttpPolls, AnErrorStatusIsAFailureWithItsBody) {
  const PollOutcome outcome = outcome_of("/status/503");
  EXPECT_FALSE(outcome.ok);
  EXPECT_EQ(outcome.status, 503);
  EXPECT_EQ(outcome.error, "the answer is HTTP 503");
  EXPECT_EQ(outcome.body, "as asked\n");
}

TEST_F(HttpPolls, WhatHangsOrTricklesFailsInTime) {
  const auto began = boot_now();
  const auto hangs = polls_.begin("h", target_->url("/hang"));
  const auto trickles = polls_.begin("t", target_->url("/trickle"));
  EXPECT_EQ(polls_.outcome(hangs).error, "no whole answer within 1s");
  EXPECT_EQ(polls_.outcome(trickles).error, "no whole answer within 1s");
  EXPECT_LT(boot_now() - began, 3s);
  EXPECT_GE(polls_.end(hangs).took, 900ms);
}

TEST_F(HttpPolls, WhatRedirectsForEverFails) {
  EXPECT_EQ(outcome_of("/redirect").error, "it redirects more than 5 times");
  EXPECT_EQ(target_->visits().size(), 6U);
}

TEST_F(HttpPolls, OnlyHttpIsPolledAndNothingElseIsRedirectedTo) {
  const std::string refused = "only http and https are polled, and it asks for something else";
  EXPECT_EQ(outcome_of("/file").error, refused);
  EXPECT_EQ(polls_.outcome(polls_.begin("f", "file:///etc/hostname")).error, refused);
  EXPECT_EQ(polls_.outcome(polls_.begin("g", "gopher://127.0.0.1/")).error, refused);
  EXPECT_FALSE(polls_.outcome(polls_.begin("n", "http://")).ok);
  EXPECT_FALSE(polls_.outcome(polls_.begin("e", "")).ok);
}

TEST_F(HttpPolls, AnAddressWithNobodyThereFails) {
  std::uint16_t port = 0;
  {
    const auto gone = http_target::HttpTarget::open().value();
    port = gone->port();
  }
  EXPECT_EQ(polls_.outcome(polls_.begin("s", "http://127.0.0.1:" + std::to_string(port))).error,
            "the connection is refused, or there is no way to it");
}

TEST_F(HttpPolls, ABodyThatIsTooLongFailsAndIsNotKept) {
  rusage before{};
  getrusage(RUSAGE_SELF, &before);
  std::vector<poll::PollId> ids;
  for (int i = 0; i < 8; ++i) {
    ids.push_back(polls_.begin("h", target_->url("/huge/100000000")));
    ids.push_back(polls_.begin("s", target_->url("/stream/100000000")));
  }
  for (const auto id : ids) {
    EXPECT_EQ(polls_.outcome(id).error, "the body is longer than 1048576 bytes");
    EXPECT_EQ(polls_.outcome(id).body, "");
  }
  rusage after{};
  getrusage(RUSAGE_SELF, &after);
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 60'000) << "kilobytes; two bodies would be 200,000";
}

TEST_F(HttpPolls, ABodyOfJustTheLongestLengthIsKept) {
  EXPECT_EQ(outcome_of("/huge/1048576").body.size(), 1'048'576U);
  EXPECT_EQ(outcome_of("/stream/1048576").body.size(), 1'048'576U);
  EXPECT_FALSE(outcome_of("/huge/1048577").ok);
}

TEST_F(HttpPolls, BadOnesDelayNoOther) {
  for (int i = 0; i < 50; ++i) polls_.begin("h", target_->url("/hang"));
  for (int i = 0; i < 5; ++i) polls_.begin("r", target_->url("/redirect"));
  const auto began = boot_now();
  const auto good = polls_.begin("g", target_->url("/"));
  EXPECT_TRUE(polls_.outcome(good).ok);
  EXPECT_LT(boot_now() - began, 500ms);
}

TEST_F(HttpPolls, ANameThatDoesNotResolveFails) {
  EXPECT_FALSE(polls_.outcome(polls_.begin("s", "http://nowhere.invalid/")).ok);
}

TEST_F(HttpPolls, ANameServerThatHangsDelaysNobody) {
  let_names_hang(4s);
  const auto began = boot_now();
  const auto hangs = polls_.begin("h", "http://hangs.invalid/");
  const auto aborted = polls_.begin("a", "http://hangs.invalid/");
  std::this_thread::sleep_for(50ms);
  polls_.abort(aborted, boot_now());
  EXPECT_EQ(polls_.end(aborted).how, PollEnd::How::aborted);
  EXPECT_TRUE(outcome_of("/").ok);
  EXPECT_LT(boot_now() - began, 400ms) << "also while one of them is being given up";
  EXPECT_EQ(polls_.outcome(hangs).error, "no connection within 500ms");
  EXPECT_TRUE(outcome_of("/").ok);
  EXPECT_LT(boot_now() - began, 2s);
}

TEST_F(HttpPolls, AnAbortEndsThePollAtOnce) {
  const auto id = polls_.begin("h", target_->url("/hang"));
  ASSERT_TRUE(wait_until([&] { return target_->visits().size() == 1; }));
  const auto began = boot_now();
  polls_.abort(id, boot_now());
  EXPECT_EQ(polls_.end(id).how, PollEnd::How::aborted);
  EXPECT_LT(boot_now() - began, 200ms);
  EXPECT_TRUE(wait_until([&] { return target_->visits().at(0).ended.has_value(); }))
      << "the target sees it, too";
  polls_.abort(id, boot_now());
  EXPECT_TRUE(outcome_of("/").ok) << "an abort that comes late harms nobody";
}

TEST_F(HttpPolls, WhatIsNotOursIsNotBegun) {
  EXPECT_EQ(polls_.end(polls_.begin("s", target_->url("/"), false)).how, PollEnd::How::not_begun);
  EXPECT_TRUE(target_->visits().empty());
}

TEST_F(HttpPolls, StoppingAbortsWhatIsInFlight) {
  const auto id = polls_.begin("h", target_->url("/hang"));
  ASSERT_TRUE(wait_until([&] { return target_->visits().size() == 1; }));
  polls_.stop();
  EXPECT_EQ(polls_.end(id).how, PollEnd::How::aborted);
}

TEST(HttpsPolls, ACertificateMustBeTrusted) {
  Certificates certificates;
  // Any server will do: the handshake comes first. What is looked at is not how long that takes.
  const RedisServer server({.tcp = true, .tls = certificates.server()});
  const std::string address = "https://127.0.0.1:" + std::to_string(server.port());
  HttpPoll patient{.connect_timeout = 30s, .timeout = 30s};
  Polls strangers{patient};
  const PollOutcome refused = strangers.outcome(strangers.begin("s", address));
  EXPECT_TRUE(refused.error.starts_with("TLS: ")) << refused.error;
  patient.ca_file = certificates.ca_file();
  Polls friends{patient};
  const PollOutcome trusted = friends.outcome(friends.begin("s", address));
  EXPECT_FALSE(trusted.error.starts_with("TLS: ")) << trusted.error;
  EXPECT_EQ(trusted.error.find(" within "), std::string::npos) << "it had time enough: " << trusted.error;
}

TEST_F(HttpPolls, ManyAtOnceAreAnswered) {
  std::vector<poll::PollId> ids;
  for (int i = 0; i < 200; ++i) ids.push_back(polls_.begin("s", target_->url("/slow/50")));
  EXPECT_TRUE(std::ranges::all_of(ids, [&](auto id) { return polls_.outcome(id).ok; }));
}

}  // namespace
}  // namespace tenure::test
