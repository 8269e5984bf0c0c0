// Greeting, order and NOSCRIPT; what admission adds: admission_test.cpp.
#include <array>
#include <utility>

#include "unit/redis/conversing.hpp"

namespace tenure::redis {
namespace {

TEST_F(Conversing, WithoutPasswordAndDatabaseItBeginsWithTheAdmission) {
  Conversation& talk = open();
  EXPECT_EQ(said(), (std::vector<Command>{admit(1)}));
  EXPECT_FALSE(talk.waiting());  // no request is
}

TEST_F(Conversing, TheGreetingGivesPasswordAndDatabase) {
  greeting = {.user = "", .password = "secret", .database = 0};
  open();
  EXPECT_EQ(said(), (std::vector<Command>{{"AUTH", "secret"}}));
  greeting = {.user = "app", .password = "secret", .database = 3};
  open();
  EXPECT_EQ(said(), (std::vector<Command>{{"AUTH", "app", "secret"}, {"SELECT", "3"}}));
}

TEST_F(Conversing, RequestsWaitUntilGreetingAndAdmissionAreAnswered) {
  greeting = {.user = "", .password = "secret", .database = 3};
  Conversation& talk = open();
  said();
  talk.ask(RequestId{1}, acquire_a, out);
  talk.ask(RequestId{2}, release_a, out);
  EXPECT_TRUE(talk.waiting());
  EXPECT_FALSE(answer(ok));
  EXPECT_TRUE(said().empty());
  EXPECT_FALSE(answer(ok));
  EXPECT_EQ(said(), (std::vector<Command>{admit(1)}));
  EXPECT_FALSE(answer(record("e1")));
  EXPECT_EQ(said(), (std::vector<Command>{call(acquire_a), call(release_a, "e1", CallBy::body)}));
}

// Whoever connects may be asked before the connection stands.
TEST_F(Conversing, ARequestAskedBeforeTheOpeningDoesNotOvertakeTheGreeting) {
  greeting.password = "secret";
  begin();
  it->ask(RequestId{1}, acquire_a, out);
  EXPECT_TRUE(said().empty());
  EXPECT_TRUE(it->carries(RequestId{1}));
  it->open(out);
  EXPECT_EQ(said(), (std::vector<Command>{{"AUTH", "secret"}}));
  EXPECT_FALSE(answer(ok));
  EXPECT_FALSE(answer(record("e1")));
  EXPECT_EQ(said(), (std::vector<Command>{admit(1), call(acquire_a)}));
}

TEST_F(Conversing, AReplyBeforeTheOpeningIsAnError) {
  begin();
  EXPECT_FALSE(try_hear(ok));
}

TEST_F(Conversing, ARequestThatNeverLeftCannotHaveTakenEffect) {
  open();
  it->ask(RequestId{1}, acquire_a, out);
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
  const auto heard = try_hear(Value::error("WRONGPASS invalid username-password pair or user is disabled."));
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
TEST(Greeting, ARefusalThatRepeatsThePasswordIsNotRepeated) {
  const Greeting greeting{"me", "hunter2"};
  const auto echoed = greeting_failure(greeting, "WRONGPASS hunter2 is wrong");
  EXPECT_EQ(echoed.code, core::FailureCode::auth);
  EXPECT_EQ(echoed.detail.find("hunter2"), std::string::npos) << echoed.detail;
  EXPECT_NE(greeting_failure(greeting, "WRONGPASS it is wrong").detail.find("it is wrong"),
            std::string::npos);
}

TEST_F(Conversing, RepliesBelongToTheOldestOpenRequest) {
  Conversation& talk = admitted();
  talk.ask(RequestId{7}, acquire_a, out);
  talk.ask(RequestId{3}, release_b, out);
  const auto first = answer(Value::of(5));
  ASSERT_TRUE(first);
  EXPECT_EQ(first->id, RequestId{7});
  EXPECT_EQ(std::get<core::Granted>(first->reply).token, 5U);
  const auto second = answer(one_done);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->id, RequestId{3});
  EXPECT_EQ(std::get<core::KeyAnswers>(second->reply), core::KeyAnswers{core::KeyAnswer::done});
  EXPECT_FALSE(talk.waiting());
}

TEST_F(Conversing, AReplyThatNobodyAskedForIsAnError) {
  Conversation& talk = admitted();
  talk.ask(RequestId{1}, release_a, out);
  hear(one_done);
  const auto heard = try_hear(one_done);
  ASSERT_FALSE(heard);
  EXPECT_EQ(heard.error().code, FailureCode::protocol);
}

TEST_F(Conversing, AnErrorReplyIsAFailureOfItsOwnRequestOnly) {
  Conversation& talk = admitted();
  talk.ask(RequestId{1}, acquire_a, out);
  talk.ask(RequestId{2}, release_b, out);
  const auto first = answer(Value::error("LOADING Redis is loading the dataset in memory"));
  ASSERT_TRUE(first);
  EXPECT_EQ(std::get<core::Failure>(first->reply).code, FailureCode::starting);
  EXPECT_EQ(answer(one_done)->id, RequestId{2});
}

// T29
TEST_F(Conversing, AScriptThatRedisForgotIsSentWhole) {
  Conversation& talk = admitted();
  talk.ask(RequestId{1}, acquire_a, out);
  said();
  EXPECT_FALSE(answer(no_script));
  EXPECT_EQ(said(), (std::vector<Command>{call(acquire_a, "e1", CallBy::body)}));
  const auto reply = answer(Value::of(5));
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->id, RequestId{1});
}

// T12: sent again, it would come behind what is asked next, which nobody has held back.
TEST_F(Conversing, TheFirstReleaseOfAConnectionBringsItsScriptAlong) {
  Conversation& talk = admitted();
  talk.ask(RequestId{1}, release_b, out);
  talk.ask(RequestId{2}, acquire_a, out);
  talk.ask(RequestId{3}, release_a, out);
  EXPECT_EQ(said(),
            (std::vector<Command>{call(release_b, "e1", CallBy::body), call(acquire_a), call(release_a)}));
}

TEST_F(Conversing, AfterScriptFlushTheNextReleaseBringsItsScriptAlongAgain) {
  Conversation& talk = admitted();
  talk.ask(RequestId{1}, release_b, out);
  EXPECT_TRUE(answer(one_done));
  talk.ask(RequestId{2}, acquire_a, out);
  EXPECT_FALSE(answer(no_script));
  EXPECT_TRUE(answer(Value::of(5)));
  said();
  talk.ask(RequestId{3}, release_a, out);
  talk.ask(RequestId{4}, acquire_a, out);
  EXPECT_EQ(said(), (std::vector<Command>{call(release_a, "e1", CallBy::body),
                                          call(acquire_a, "e1", CallBy::sha1, 5)}));
}

TEST_F(Conversing, AfterScriptFlushTheRequestsKeepTheirOrder) {
  Conversation& talk = admitted();
  talk.ask(RequestId{1}, acquire_a, out);
  talk.ask(RequestId{2}, release_b, out);
  said();
  EXPECT_FALSE(answer(no_script));
  EXPECT_FALSE(answer(no_script));
  EXPECT_EQ(said(),
            (std::vector<Command>{call(acquire_a, "e1", CallBy::body), call(release_b, "e1", CallBy::body)}));
  EXPECT_EQ(answer(Value::of(5))->id, RequestId{1});
  EXPECT_EQ(answer(one_done)->id, RequestId{2});
}

// T12, T29: sent again, the acquire would come behind the release that is on its way, and the grant would
// stay.
TEST_F(Conversing, AnAcquireWithItsReleaseBehindItIsNotSentAgain) {
  Conversation& talk = admitted();
  talk.ask(RequestId{1}, acquire_a, out);
  talk.ask(RequestId{2}, release_a, out);
  said();
  const auto acquire = answer(no_script);
  ASSERT_TRUE(acquire);
  EXPECT_EQ(acquire->id, RequestId{1});
  EXPECT_EQ(std::get<core::Failure>(acquire->reply).applied, Applied::no);
  EXPECT_TRUE(said().empty());
  EXPECT_EQ(answer(one_missing)->id, RequestId{2});
  EXPECT_FALSE(talk.waiting());
}

// The same for a lease that is put back; one that is not given up is sent again.
TEST_F(Conversing, AReassertWithAReleaseOfOneOfItsGrantsBehindItIsNotSentAgain) {
  const core::Grant other("us", 0xbb);
  const core::Request both = core::ReassertRequest{10s, false, {{"a", grant, 7}, {"b", other, 8}}};
  const core::Request one = core::ReassertRequest{10s, false, {{"a", grant, 7}}};
  Conversation& talk = admitted();
  talk.ask(RequestId{1}, both, out);
  talk.ask(RequestId{2}, one, out);
  talk.ask(RequestId{3}, release_b, out);
  said();
  EXPECT_EQ(answer(no_script)->id, RequestId{1});
  EXPECT_FALSE(answer(no_script));
  EXPECT_EQ(said(), (std::vector<Command>{call(one, "e1", CallBy::body)}));
}

TEST_F(Conversing, ARequestOfAnotherNameIsNotAskedTwice) {
  Conversation& talk = admitted();
  talk.ask(RequestId{1}, acquire_a, out);
  talk.ask(RequestId{2}, release_b, out);
  said();
  EXPECT_FALSE(answer(no_script));
  EXPECT_EQ(answer(one_done)->id, RequestId{2});
  EXPECT_EQ(said().size(), 1U);
  EXPECT_EQ(answer(Value::of(5))->id, RequestId{1});
}

TEST_F(Conversing, WhatWasSentAndNotAnsweredMayHaveTakenEffect) {
  Conversation& talk = admitted();
  talk.ask(RequestId{1}, acquire_a, out);
  talk.ask(RequestId{2}, release_b, out);
  answer(Value::of(5));
  const auto unanswered = talk.close();
  ASSERT_EQ(unanswered.size(), 1U);
  EXPECT_EQ(unanswered[0].id, RequestId{2});
  EXPECT_EQ(unanswered[0].applied, Applied::perhaps);
  EXPECT_FALSE(talk.waiting());
}

const core::Request release_c = core::ReleaseRequest{"c", core::Grant("us", 0xcc)};
const Value none_allowed = Value::error("NOPERM No permissions to access a key");

Value answers_of(std::initializer_list<int> numbers) {
  std::vector<Value> items;
  for (const int it : numbers) items.push_back(Value::of(it));
  return Value::array(std::move(items));
}

Command together(std::initializer_list<core::Request> requests, CallBy by = CallBy::sha1) {
  std::vector<const core::ReleaseRequest*> releases;
  for (const auto& it : requests) releases.push_back(&std::get<core::ReleaseRequest>(it));
  return release_call(releases, {}, by);
}

struct Gathering : Conversing {
  // With the script known.
  Conversation& admitted() {
    Conversation& talk = Conversing::admitted();
    talk.ask(RequestId{99}, core::ReleaseRequest{"z", core::Grant("us", 0xff)}, out);
    EXPECT_TRUE(answer(one_done));
    said();
    return talk;
  }
};

TEST_F(Gathering, ReleasesThatAreAskedTogetherAreOneCallAndEachHasItsAnswer) {
  Conversation& talk = admitted();
  talk.ask(RequestId{1}, release_a, out);
  talk.ask(RequestId{2}, release_b, out);
  talk.ask(RequestId{3}, release_c, out);
  EXPECT_TRUE(out.empty()) << "they wait for each other";
  EXPECT_TRUE(talk.waiting());
  EXPECT_TRUE(talk.carries(RequestId{2}));
  EXPECT_EQ(said(), (std::vector<Command>{together({release_a, release_b, release_c})}));
  const auto heard = hear(answers_of({1, 0, -1}));
  ASSERT_EQ(heard.answers.size(), 3U);
  const std::array expected{core::KeyAnswer::done, core::KeyAnswer::missing, core::KeyAnswer::foreign};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(heard.answers[i].id, RequestId{i + 1});
    EXPECT_EQ(std::get<core::KeyAnswers>(heard.answers[i].reply), core::KeyAnswers{expected[i]});
  }
  EXPECT_FALSE(talk.waiting());
}

// M70: and the replies come in the order of the calls.
TEST_F(Gathering, WhatIsAskedLaterGoesBehindThem) {
  Conversation& talk = admitted();
  talk.ask(RequestId{1}, release_b, out);
  talk.ask(RequestId{2}, release_c, out);
  talk.ask(RequestId{3}, acquire_a, out);
  EXPECT_EQ(out, (std::vector<Command>{together({release_b, release_c}), call(acquire_a)}));
  EXPECT_EQ(hear(answers_of({1, 1})).answers.size(), 2U);
  EXPECT_EQ(answer(Value::of(5))->id, RequestId{3});
}

TEST_F(Gathering, TheFirstCallBringsItsScriptAlong) {
  Conversation& talk = Conversing::admitted();
  talk.ask(RequestId{1}, release_a, out);
  talk.ask(RequestId{2}, release_b, out);
  EXPECT_EQ(said(), (std::vector<Command>{together({release_a, release_b}, CallBy::body)}));
}

// The script looks at all of them before it gives one back.
TEST_F(Gathering, TwoOfOneLeaseAreTwoCalls) {
  const core::Request other_of_a = core::ReleaseRequest{"a", core::Grant("us", 0xdd)};
  Conversation& talk = admitted();
  talk.ask(RequestId{1}, release_a, out);
  talk.ask(RequestId{2}, release_b, out);
  talk.ask(RequestId{3}, other_of_a, out);
  EXPECT_EQ(said(), (std::vector<Command>{together({release_a, release_b}), call(other_of_a)}));
}

TEST_F(Gathering, OneThatWakesNobodyDoesNotSilenceOthers) {
  const core::Request silent = core::ReleaseRequest{"c", core::Grant("us", 0xcc), {}, false};
  Conversation& talk = admitted();
  talk.ask(RequestId{1}, release_a, out);
  talk.ask(RequestId{2}, silent, out);
  EXPECT_EQ(said(), (std::vector<Command>{call(release_a), call(silent)}));
}

TEST_F(Gathering, ACallHasSixtyFourAtMost) {
  Conversation& talk = admitted();
  for (std::uint64_t i = 1; i <= 130; ++i) {
    talk.ask(RequestId{i}, core::ReleaseRequest{"n" + std::to_string(i), core::Grant("us", i)}, out);
  }
  std::vector<std::string> keys;
  for (const Command& command : said()) keys.push_back(command.at(2));
  EXPECT_EQ(keys, (std::vector<std::string>{"128", "128", "4"}));
}

TEST_F(Gathering, AfterScriptFlushTheyAreSentAgainTogether) {
  Conversation& talk = admitted();
  talk.ask(RequestId{1}, release_a, out);
  talk.ask(RequestId{2}, release_b, out);
  said();
  talk.ask(RequestId{3}, release_c, out);
  EXPECT_TRUE(hear(no_script).answers.empty());
  EXPECT_EQ(said(), (std::vector<Command>{call(release_c), together({release_a, release_b}, CallBy::body)}));
  EXPECT_EQ(answer(one_done)->id, RequestId{3});
  const auto heard = hear(answers_of({1, 0}));
  ASSERT_EQ(heard.answers.size(), 2U);
  EXPECT_EQ(heard.answers[0].id, RequestId{1});
}

TEST_F(Gathering, ALeaseThatTheUserMayNotTouchAnyMoreKeepsNoOther) {
  Conversation& talk = admitted();
  talk.ask(RequestId{1}, release_a, out);
  talk.ask(RequestId{2}, release_b, out);
  said();
  EXPECT_TRUE(hear(none_allowed).answers.empty());
  EXPECT_EQ(said(), (std::vector<Command>{call(release_a), call(release_b)}));
  const auto first = answer(none_allowed);
  ASSERT_TRUE(first);
  EXPECT_EQ(std::get<core::Failure>(first->reply).code, FailureCode::no_permission);
  EXPECT_EQ(std::get<core::KeyAnswers>(answer(one_done)->reply), core::KeyAnswers{core::KeyAnswer::done});
}

TEST_F(Gathering, WhatFailedMayHaveTakenEffectForEach) {
  Conversation& talk = admitted();
  talk.ask(RequestId{1}, release_a, out);
  talk.ask(RequestId{2}, release_b, out);
  said();
  const auto heard = hear(Value::error("ERR something"));
  ASSERT_EQ(heard.answers.size(), 2U);
  for (const auto& one : heard.answers)
    EXPECT_EQ(std::get<core::Failure>(one.reply).applied, Applied::perhaps);
}

TEST_F(Gathering, WhatHasNotLeftCannotHaveTakenEffect) {
  Conversation& talk = admitted();
  talk.ask(RequestId{1}, release_a, out);
  said();
  talk.ask(RequestId{2}, release_b, out);
  const auto unanswered = talk.close();
  ASSERT_EQ(unanswered.size(), 2U);
  EXPECT_EQ(unanswered[0].applied, Applied::perhaps);
  EXPECT_EQ(unanswered[1].applied, Applied::no);
  EXPECT_FALSE(talk.waiting());
}

}  // namespace
}  // namespace tenure::redis
