#include "redis/script_call.hpp"

#include <gtest/gtest.h>

namespace tenure::redis {
namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;
using core::Failure;
using core::FailureCode;
using core::KeyAnswer;
using core::KeyAnswers;

const core::Grant grant("us", "aa");
const core::Request acquire = core::AcquireRequest{"redlock:a", grant, 10s};
const core::Request renew = core::RenewRequest{10s, {{"a", "us#aa#7"}, {"b", "us#bb#8"}}};
const core::Request release = core::ReleaseRequest{"redlock:a", grant};

Value word(std::string text) { return Value::string(std::move(text)); }

TEST(ScriptCall, AnAcquireNamesLeaseRecordAndFence) {
  EXPECT_EQ(script_call(acquire, {}, CallBy::sha1),
            (Command{"EVALSHA", std::string(acquire_script.sha1), "3", "redlock:a", "tenure:record",
                     "tenure:fence", "open 60000 ", "us#aa#", "10000"}));
}

TEST(ScriptCall, PrefixAndCapCanBeChosen) {
  const Command command = script_call(acquire, {.prefix = "app:", .cap = 2min}, CallBy::sha1);
  EXPECT_EQ(command[4], "app:record");
  EXPECT_EQ(command[5], "app:fence");
  EXPECT_EQ(command[6], "open 120000 ");
}

TEST(ScriptCall, ARenewalCarriesAllKeysAndTheirValues) {
  EXPECT_EQ(script_call(renew, {}, CallBy::sha1), (Command{"EVALSHA", std::string(renew_script.sha1), "2",
                                                           "a", "b", "10000", "us#aa#7", "us#bb#8"}));
}

TEST(ScriptCall, AReleaseCarriesTheGrantWithoutItsToken) {
  EXPECT_EQ(script_call(release, {}, CallBy::sha1),
            (Command{"EVALSHA", std::string(release_script.sha1), "1", "redlock:a", "us#aa#"}));
}

TEST(ScriptCall, TheWholeScriptDiffersOnlyInHowItIsNamed) {
  for (const auto& request : {acquire, renew, release}) {
    Command by_sha1 = script_call(request, {}, CallBy::sha1);
    Command by_body = script_call(request, {}, CallBy::body);
    EXPECT_EQ(by_body[0], "EVAL");
    EXPECT_TRUE(by_body[1].starts_with("#!lua"));
    by_sha1.erase(by_sha1.begin(), by_sha1.begin() + 2);
    by_body.erase(by_body.begin(), by_body.begin() + 2);
    EXPECT_EQ(by_sha1, by_body);
  }
}

// Nothing is ever put into the text of a script: names and values are arguments.
TEST(ScriptCall, NamesAreNeverPartOfTheScript) {
  const std::string name = "']] redis.call('FLUSHALL') --\r\n\0"s;
  const Command command = script_call(core::ReleaseRequest{name, grant}, {}, CallBy::body);
  EXPECT_EQ(command[1], release_script.body);
  EXPECT_EQ(command[3], name);
}

TEST(ScriptReply, AGrantHasAToken) {
  const auto reply = script_reply(acquire, Value::array({word("granted"), Value::of(1'700'000'000'000'001)}));
  EXPECT_EQ(std::get<core::Granted>(reply).token, 1'700'000'000'000'001U);
}

TEST(ScriptReply, AHeldNameSaysWhoAndForHowLong) {
  const auto reply = script_reply(acquire, Value::array({word("held"), word("web-3#aa#5"), Value::of(3000)}));
  const auto& held = std::get<core::Held>(reply);
  EXPECT_EQ(held.holder, (core::Holder{"web-3", 5}));
  EXPECT_EQ(held.left, 3s);
}

TEST(ScriptReply, AKeyWithoutExpiryIsHeldForEver) {
  const auto reply = script_reply(acquire, Value::array({word("held"), word("by hand"), Value::of(-1)}));
  EXPECT_LT(std::get<core::Held>(reply).left, core::Ttl::zero());
}

TEST(ScriptReply, AClosedNodeShowsItsRecord) {
  const auto reply = script_reply(acquire, Value::array({word("closed"), word("quarantined 60000 e l 1")}));
  EXPECT_EQ(std::get<core::NotOpen>(reply).record, "quarantined 60000 e l 1");
}

// S9
TEST(ScriptReply, ABatchIsAnsweredForEachKey) {
  const core::Request three = core::RenewRequest{10s, {{"a", "1"}, {"b", "2"}, {"c", "3"}}};
  const auto reply = script_reply(three, Value::array({Value::of(1), Value::of(0), Value::of(-1)}));
  EXPECT_EQ(std::get<KeyAnswers>(reply),
            (KeyAnswers{KeyAnswer::done, KeyAnswer::missing, KeyAnswer::foreign}));
}

TEST(ScriptReply, AnErrorIsAFailure) {
  for (const auto& request : {acquire, renew, release}) {
    const auto reply =
        script_reply(request, Value::error("READONLY You can't write against a read only replica."));
    EXPECT_EQ(std::get<Failure>(reply).code, FailureCode::read_only);
  }
}

// What no script of ours gives is never taken for a success, and may have taken effect.
TEST(ScriptReply, AValueThatDoesNotFitIsAFailure) {
  const auto expect_misfit = [](const core::Request& request, const Value& value) {
    const auto reply = script_reply(request, value);
    const auto* failure = std::get_if<Failure>(&reply);
    ASSERT_NE(failure, nullptr);
    EXPECT_EQ(failure->code, FailureCode::protocol);
    EXPECT_EQ(failure->applied, core::Applied::perhaps);
  };
  for (const auto& value :
       {Value::nil(), Value::of(1), Value::status("OK"), word("granted"), Value::array({}),
        Value::array({word("granted")}), Value::array({word("granted"), word("7")}),
        Value::array({word("granted"), Value::of(0)}), Value::array({word("granted"), Value::of(-1)}),
        Value::array({word("granted"), Value::of(7), Value::of(7)}),
        Value::array({word("held"), word("x#y#1")}), Value::array({word("held"), word("x#y#1"), word("3")}),
        Value::array({word("closed")}), Value::array({word("elsewhere"), Value::of(1)}),
        Value::array({Value::of(1), Value::of(1)})}) {
    expect_misfit(acquire, value);
  }
  for (const auto& value :
       {Value::nil(), Value::of(2), Value::array({}), Value::array({Value::of(1)}),
        Value::array({Value::of(1), Value::of(2)}), Value::array({Value::of(1), word("1")}),
        Value::array({Value::of(1), Value::nil()}),
        Value::array({Value::of(1), Value::of(1), Value::of(1)})}) {
    expect_misfit(renew, value);
  }
  expect_misfit(release, Value::of(1));
  expect_misfit(release, Value::array({Value::of(1), Value::of(1)}));
}

TEST(ScriptReply, AnErrorInsideAnArrayIsNoAnswer) {
  const auto reply = script_reply(renew, Value::array({Value::of(1), Value::error("ERR no")}));
  EXPECT_TRUE(std::holds_alternative<Failure>(reply));
  const auto held = script_reply(acquire, Value::array({word("held"), Value::nil(), Value::of(3)}));
  EXPECT_TRUE(std::holds_alternative<Failure>(held));
}

}  // namespace
}  // namespace tenure::redis
