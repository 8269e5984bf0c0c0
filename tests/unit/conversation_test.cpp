#include "redis/conversation.hpp"

#include <gtest/gtest.h>

namespace tenure::redis {
namespace {

using namespace std::chrono_literals;
using core::Applied;
using core::FailureCode;
using core::RequestId;

const core::Grant grant("us", "aa");
const core::Request acquire_a = core::AcquireRequest{"a", grant, 10s};
const core::Request release_a = core::ReleaseRequest{"a", grant};
const core::Request release_b = core::ReleaseRequest{"b", core::Grant("us", "bb")};

const Value ok = Value::status("OK");
const Value no_script = Value::error("NOSCRIPT No matching script. Please use EVAL.");
const Value one_done = Value::array({Value::of(1)});
const Value one_missing = Value::array({Value::of(0)});
Value granted(std::int64_t token) { return Value::array({Value::string("granted"), Value::of(token)}); }

struct Conversing : testing::Test {
  Greeting greeting{};
  std::vector<Command> out;
  std::optional<Conversation> it;

  Conversation& open() {
    it.emplace(greeting, Keyspace{});
    it->open(out);
    return *it;
  }
  std::vector<Command> said() { return std::exchange(out, {}); }
  // The answer that this value completes, if any.
  std::optional<Conversation::Answer> hear(const Value& value) { return it->hear(value, out).value(); }
};

TEST_F(Conversing, WithoutPasswordAndDatabaseThereIsNoGreeting) {
  Conversation& talk = open();
  EXPECT_TRUE(said().empty());
  EXPECT_FALSE(talk.waiting());
  talk.ask(RequestId{1}, acquire_a, out);
  EXPECT_EQ(said(), (std::vector<Command>{script_call(acquire_a, {}, CallBy::sha1)}));
  EXPECT_TRUE(talk.waiting());
}

TEST_F(Conversing, TheGreetingGivesPasswordAndDatabase) {
  greeting = {.user = "", .password = "secret", .database = 0};
  open();
  EXPECT_EQ(said(), (std::vector<Command>{{"AUTH", "secret"}}));
  greeting = {.user = "app", .password = "secret", .database = 3};
  open();
  EXPECT_EQ(said(), (std::vector<Command>{{"AUTH", "app", "secret"}, {"SELECT", "3"}}));
}

TEST_F(Conversing, RequestsWaitUntilTheWholeGreetingIsAnswered) {
  greeting = {.user = "", .password = "secret", .database = 3};
  Conversation& talk = open();
  said();
  talk.ask(RequestId{1}, acquire_a, out);
  talk.ask(RequestId{2}, release_a, out);
  EXPECT_TRUE(said().empty());
  EXPECT_FALSE(hear(ok));
  EXPECT_TRUE(said().empty());
  EXPECT_FALSE(hear(ok));
  const auto commands = said();
  ASSERT_EQ(commands.size(), 2U);
  EXPECT_EQ(commands[0], script_call(acquire_a, {}, CallBy::sha1));
  EXPECT_EQ(commands[1], script_call(release_a, {}, CallBy::sha1));
}

// Whoever connects may be asked before the connection stands.
TEST_F(Conversing, ARequestAskedBeforeTheOpeningDoesNotOvertakeTheGreeting) {
  it.emplace(Greeting{.user = "", .password = "secret", .database = 0}, Keyspace{});
  it->ask(RequestId{1}, acquire_a, out);
  EXPECT_TRUE(said().empty());
  EXPECT_TRUE(it->carries(RequestId{1}));
  it->open(out);
  EXPECT_EQ(said(), (std::vector<Command>{{"AUTH", "secret"}}));
  EXPECT_FALSE(hear(ok));
  EXPECT_EQ(said(), (std::vector<Command>{script_call(acquire_a, {}, CallBy::sha1)}));
}

TEST_F(Conversing, ARequestThatNeverLeftCannotHaveTakenEffect) {
  it.emplace(Greeting{}, Keyspace{});
  it->ask(RequestId{1}, acquire_a, out);
  EXPECT_TRUE(said().empty());
  const auto unanswered = it->close();
  ASSERT_EQ(unanswered.size(), 1U);
  EXPECT_EQ(unanswered[0].applied, Applied::no);
  EXPECT_FALSE(it->carries(RequestId{1}));
}

TEST_F(Conversing, ARefusedGreetingIsAnErrorAndTheRequestsNeverLeft) {
  greeting.password = "wrong";
  Conversation& talk = open();
  said();
  talk.ask(RequestId{1}, acquire_a, out);
  const auto heard =
      talk.hear(Value::error("WRONGPASS invalid username-password pair or user is disabled."), out);
  ASSERT_FALSE(heard);
  EXPECT_EQ(heard.error().code, FailureCode::auth);
  EXPECT_EQ(heard.error().detail.find("wrong\""), std::string::npos);
  EXPECT_TRUE(said().empty());

  const auto unanswered = talk.close();
  ASSERT_EQ(unanswered.size(), 1U);
  EXPECT_EQ(unanswered[0].id, RequestId{1});
  EXPECT_EQ(unanswered[0].applied, Applied::no);
}

// S13, M18
TEST_F(Conversing, RepliesBelongToTheOldestOpenRequest) {
  Conversation& talk = open();
  talk.ask(RequestId{7}, acquire_a, out);
  talk.ask(RequestId{3}, release_b, out);
  const auto first = hear(granted(5));
  ASSERT_TRUE(first);
  EXPECT_EQ(first->id, RequestId{7});
  EXPECT_EQ(std::get<core::Granted>(first->reply).token, 5U);
  const auto second = hear(one_done);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->id, RequestId{3});
  EXPECT_EQ(std::get<core::KeyAnswers>(second->reply), core::KeyAnswers{core::KeyAnswer::done});
  EXPECT_FALSE(talk.waiting());
}

TEST_F(Conversing, AReplyThatNobodyAskedForIsAnError) {
  Conversation& talk = open();
  talk.ask(RequestId{1}, release_a, out);
  hear(one_done);
  const auto heard = talk.hear(one_done, out);
  ASSERT_FALSE(heard);
  EXPECT_EQ(heard.error().code, FailureCode::protocol);
}

TEST_F(Conversing, AnErrorReplyIsAFailureOfItsOwnRequestOnly) {
  Conversation& talk = open();
  talk.ask(RequestId{1}, acquire_a, out);
  talk.ask(RequestId{2}, release_b, out);
  const auto first = hear(Value::error("LOADING Redis is loading the dataset in memory"));
  ASSERT_TRUE(first);
  EXPECT_EQ(std::get<core::Failure>(first->reply).code, FailureCode::loading);
  EXPECT_EQ(hear(one_done)->id, RequestId{2});
}

// T29
TEST_F(Conversing, AScriptThatRedisForgotIsSentWhole) {
  Conversation& talk = open();
  talk.ask(RequestId{1}, acquire_a, out);
  said();
  EXPECT_FALSE(hear(no_script));
  EXPECT_EQ(said(), (std::vector<Command>{script_call(acquire_a, {}, CallBy::body)}));
  const auto answer = hear(granted(5));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->id, RequestId{1});
}

TEST_F(Conversing, AfterScriptFlushTheRequestsKeepTheirOrder) {
  Conversation& talk = open();
  talk.ask(RequestId{1}, acquire_a, out);
  talk.ask(RequestId{2}, release_b, out);
  said();
  EXPECT_FALSE(hear(no_script));
  EXPECT_FALSE(hear(no_script));
  EXPECT_EQ(said(), (std::vector<Command>{script_call(acquire_a, {}, CallBy::body),
                                          script_call(release_b, {}, CallBy::body)}));
  EXPECT_EQ(hear(granted(5))->id, RequestId{1});
  EXPECT_EQ(hear(one_done)->id, RequestId{2});
}

// T12, T29: sent again, the acquire would come behind the release that is on its way, and the grant would stay.
TEST_F(Conversing, AnAcquireWithItsReleaseBehindItIsNotSentAgain) {
  Conversation& talk = open();
  talk.ask(RequestId{1}, acquire_a, out);
  talk.ask(RequestId{2}, release_a, out);
  said();
  const auto acquire = hear(no_script);
  ASSERT_TRUE(acquire);
  EXPECT_EQ(acquire->id, RequestId{1});
  EXPECT_EQ(std::get<core::Failure>(acquire->reply).applied, Applied::no);
  EXPECT_TRUE(said().empty());
  EXPECT_EQ(hear(one_missing)->id, RequestId{2});
  EXPECT_FALSE(talk.waiting());
}

TEST_F(Conversing, ARequestOfAnotherNameIsNotAskedTwice) {
  Conversation& talk = open();
  talk.ask(RequestId{1}, acquire_a, out);
  talk.ask(RequestId{2}, release_b, out);
  said();
  EXPECT_FALSE(hear(no_script));
  EXPECT_EQ(hear(one_done)->id, RequestId{2});
  EXPECT_EQ(said().size(), 1U);
  EXPECT_EQ(hear(granted(5))->id, RequestId{1});
}

TEST_F(Conversing, WhatWasSentAndNotAnsweredMayHaveTakenEffect) {
  Conversation& talk = open();
  talk.ask(RequestId{1}, acquire_a, out);
  talk.ask(RequestId{2}, release_b, out);
  hear(granted(5));
  const auto unanswered = talk.close();
  ASSERT_EQ(unanswered.size(), 1U);
  EXPECT_EQ(unanswered[0].id, RequestId{2});
  EXPECT_EQ(unanswered[0].applied, Applied::perhaps);
  EXPECT_FALSE(talk.waiting());
}

}  // namespace
}  // namespace tenure::redis
