// What Redis answered, to each kind of request.
#include <gtest/gtest.h>

#include "redis/record_text.hpp"
#include "redis/script_call.hpp"

namespace tenure::redis {
namespace {

using namespace std::chrono_literals;
using core::Failure;
using core::FailureCode;
using core::KeyAnswer;
using core::KeyAnswers;

const core::Grant grant("us", 0xaa);
const std::vector<core::Holding> holdings{{"a", grant, 7}, {"b", grant, 8}};
const core::Request acquire = core::AcquireRequest{"redlock:a", grant, 10s};
const core::Request confirm = core::ConfirmRequest{"redlock:a", grant, 12};
const core::Request renew = core::RenewRequest{10s, holdings};
const core::Request reassert = core::ReassertRequest{10s, false, holdings};
const core::Request release = core::ReleaseRequest{"redlock:a", grant};
const core::Request open = core::OpenRequest{"e1"};
const core::Request clock = core::ClockRequest{};
const core::Request look = core::LookRequest{{"redlock:a", "redlock:b"}};
const std::vector<core::Request> all{acquire, confirm, renew, reassert, release, open, clock, look};

constexpr auto quarantined = "60000 1 e1 quarantined life 1 1 60000 restarted";
constexpr auto opened = "60000 1 e1 open life 1 1 60000 restarted";

Value word(std::string text) { return Value::string(std::move(text)); }
Value held(const Value& value, const Value& left, const Value& place) {
  return Value::array({value, left, place});
}

TEST(ScriptReply, AGrantIsItsToken) {
  const auto reply = script_reply(acquire, Value::of(1'700'000'000'000'001));
  EXPECT_EQ(std::get<core::Granted>(reply).token, 1'700'000'000'000'001U);
}

// Scripts count in doubles: from 2^53 on two grants could have the same token.
TEST(ScriptReply, ATokenThatIsNotExactIsAFailure) {  // S3
  EXPECT_EQ(std::get<core::Granted>(script_reply(acquire, Value::of(9'007'199'254'740'991))).token,
            core::token_max);
  for (const std::int64_t token : {9'007'199'254'740'992, 9'007'199'254'740'994, 9'223'372'036'854'775'807}) {
    const auto reply = script_reply(acquire, Value::of(token));
    ASSERT_TRUE(std::holds_alternative<core::Failure>(reply)) << token;
    EXPECT_EQ(std::get<core::Failure>(reply).code, core::FailureCode::server);
  }
}

TEST(ScriptReply, AHeldNameSaysWhoForHowLongAndHowManyWait) {
  const auto reply = script_reply(acquire, held(word("web-3#aa#5"), Value::of(3000), Value::of(2)));
  const auto& it = std::get<core::Held>(reply);
  EXPECT_EQ(it.holder, (core::Holder{"web-3", 5}));
  EXPECT_EQ(it.left, 3s);
  EXPECT_EQ(it.ahead, 2);
}

TEST(ScriptReply, WithoutAPlaceInTheQueueThereIsNone) {
  const auto reply = script_reply(acquire, held(word("web-3#aa#5"), Value::of(3000), Value::of(-1)));
  EXPECT_EQ(std::get<core::Held>(reply).ahead, std::nullopt);
}

TEST(ScriptReply, AVeryLongQueueIsLong) {
  const auto reply = script_reply(acquire, held(word("x"), Value::of(1), Value::of(std::int64_t{1} << 40U)));
  EXPECT_EQ(std::get<core::Held>(reply).ahead, 1'000'000);
}

TEST(ScriptReply, AnExpiryThatNoClockCouldShowIsFarAway) {
  const auto reply = script_reply(acquire, held(word("by hand"), Value::of(INT64_MAX), Value::of(-1)));
  const auto left = std::get<core::Held>(reply).left;
  ASSERT_TRUE(left);
  EXPECT_GE(*left, std::chrono::years(99));
  EXPECT_GT(core::Duration(*left), core::Duration::zero());
}

TEST(ScriptReply, AKeyWithoutExpiryIsHeldForEver) {
  const auto reply = script_reply(acquire, held(word("by hand"), Value::of(-1), Value::of(-1)));
  EXPECT_EQ(std::get<core::Held>(reply).left, std::nullopt);
}

TEST(ScriptReply, AClosedNodeShowsItsRecord) {
  for (const auto& request : {acquire, renew, reassert, open}) {
    EXPECT_EQ(std::get<core::NotOpen>(script_reply(request, word(quarantined))).record,
              found_record(quarantined));
    EXPECT_EQ(std::get<core::NotOpen>(script_reply(request, word(""))).record, core::FoundRecord{});
  }
}

// The epoch that was sat out, and no other: a new one may have begun and been opened by somebody else.
TEST(ScriptReply, AQuarantineIsOverWhenItsOwnEpochIsOpen) {
  EXPECT_TRUE(std::holds_alternative<core::Opened>(script_reply(open, word(opened))));
  const auto another = script_reply(open, word("60000 1 e2 open life 1 1 60000 restarted"));
  EXPECT_TRUE(std::holds_alternative<core::NotOpen>(another));
}

TEST(ScriptReply, TheTimeIsInSecondsAndMicroseconds) {
  const auto reply = script_reply(clock, Value::array({word("1700000000"), word("000123")}));
  EXPECT_EQ(std::get<core::NodeClock>(reply).unix_time, 1'700'000'000s + 123us);
}

// S9
TEST(ScriptReply, ABatchIsAnsweredForEachKey) {
  const std::vector<core::Holding> three(3, {"a", grant, 7});
  const KeyAnswers answers{KeyAnswer::done, KeyAnswer::missing, KeyAnswer::foreign};
  const Value value = Value::array({Value::of(1), Value::of(0), Value::of(-1)});
  EXPECT_EQ(std::get<KeyAnswers>(script_reply(core::RenewRequest{10s, three}, value)), answers);
  EXPECT_EQ(std::get<KeyAnswers>(script_reply(core::ReassertRequest{10s, false, three}, value)), answers);
}

// S9
TEST(ScriptReply, ALookIsAnsweredForEachName) {
  const Value value = Value::array(
      {held(word("web-3#aa#5"), Value::of(3000), Value::of(2)), held(word(""), Value::of(-2), Value::of(0))});
  const auto reply = script_reply(look, value);
  const auto& states = std::get<core::KeyStates>(reply);
  ASSERT_EQ(states.size(), 2U);
  EXPECT_EQ(states[0].holder, (core::Holder{"web-3", 5}));
  EXPECT_EQ(states[0].left, 3s);
  EXPECT_EQ(states[0].waiters, 2);
  EXPECT_TRUE(states[0].exists());
  EXPECT_EQ(states[1], core::KeyState{});
  EXPECT_FALSE(states[1].exists());

  const auto keys = found_keys(value, 2);
  ASSERT_TRUE(keys);
  EXPECT_EQ((*keys)[0].value, "web-3#aa#5");
  EXPECT_EQ((*keys)[0].left, 3s);
  EXPECT_EQ((*keys)[0].waiters, 2);
  EXPECT_TRUE((*keys)[0].exists());
  EXPECT_EQ((*keys)[1].value, "");
  EXPECT_FALSE((*keys)[1].exists());
}

TEST(ScriptReply, AKeyWithoutExpiryOrOfAnotherTypeIsThere) {
  const Value value = Value::array({held(word("by hand"), Value::of(-1), Value::of(0)),
                                    held(word(""), Value::of(INT64_MAX), Value::of(0))});
  const auto reply = script_reply(look, value);
  const auto& states = std::get<core::KeyStates>(reply);
  ASSERT_EQ(states.size(), 2U);
  EXPECT_TRUE(states[0].exists());
  EXPECT_EQ(states[0].left, std::nullopt);
  EXPECT_TRUE(states[1].exists());
  ASSERT_TRUE(states[1].left);
  EXPECT_GE(*states[1].left, std::chrono::years(99));
  EXPECT_GT(core::Duration(*states[1].left), core::Duration::zero());

  const auto keys = found_keys(value, 2);
  ASSERT_TRUE(keys);
  EXPECT_TRUE((*keys)[0].exists());
  EXPECT_LT((*keys)[0].left, core::Ttl::zero());
  EXPECT_TRUE((*keys)[1].exists());
  EXPECT_GE((*keys)[1].left, std::chrono::years(99));
  EXPECT_GT(core::Duration((*keys)[1].left), core::Duration::zero());
}

// T44: whose heartbeat it is does not matter, but how long it lasts.
TEST(ScriptReply, AnIdOfAnotherProcessIsTakenForAsLongAsItsHeartbeatLasts) {
  const core::Request beat = core::BeatRequest{"poll:", "us", {"boot"}, 30s};
  const auto taken = [&](std::int64_t left) {
    return std::get<core::IdTaken>(script_reply(beat, Value::array({word("theirs"), Value::of(left)}))).left;
  };
  EXPECT_EQ(taken(3000), 3s);
  EXPECT_EQ(taken(-1), std::nullopt);
}

TEST(ScriptReply, ASingleKeyIsABatchOfOne) {
  for (const auto& request : {confirm, release}) {
    const auto reply = script_reply(request, Value::array({Value::of(-1)}));
    EXPECT_EQ(std::get<KeyAnswers>(reply), KeyAnswers{KeyAnswer::foreign});
  }
}

TEST(ScriptReply, AnErrorIsAFailure) {
  for (const auto& request : all) {
    const auto reply =
        script_reply(request, Value::error("READONLY You can't write against a read only replica."));
    EXPECT_EQ(std::get<Failure>(reply).code, FailureCode::read_only);
  }
}

// What no script of ours gives is never taken for a success, and may have taken effect.
void expect_misfit(const core::Request& request, const std::vector<Value>& values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto reply = script_reply(request, values[i]);
    const auto* failure = std::get_if<Failure>(&reply);
    ASSERT_NE(failure, nullptr) << "value " << i;
    EXPECT_EQ(failure->code, FailureCode::protocol);
    EXPECT_EQ(failure->applied, core::Applied::perhaps);
  }
}

TEST(ScriptReply, AnAcquireThatDoesNotFitIsAFailure) {
  expect_misfit(
      acquire,
      {Value::nil(), Value::of(0), Value::of(-1), Value::status("OK"), Value::array({}),
       Value::array({Value::of(7)}), Value::array({word("x#y#1"), Value::of(1)}),
       held(word("x#y#1"), word("3"), Value::of(0)), held(word("x#y#1"), Value::of(3), word("0")),
       held(Value::nil(), Value::of(3), Value::of(0)), held(Value::of(1), Value::of(1), Value::of(1)),
       held(Value::error("ERR no"), Value::of(3), Value::of(0)),
       Value::array({word("x#y#1"), Value::of(1), Value::of(1), Value::of(1)})});
}

TEST(ScriptReply, ABatchThatDoesNotFitIsAFailure) {
  const std::vector<Value> unfit{Value::nil(),
                                 Value::of(2),
                                 Value::array({}),
                                 Value::array({Value::of(1)}),
                                 Value::array({Value::of(1), Value::of(2)}),
                                 Value::array({Value::of(1), Value::of(-2)}),
                                 Value::array({Value::of(1), word("1")}),
                                 Value::array({Value::of(1), Value::nil()}),
                                 Value::array({Value::of(1), Value::error("ERR no")}),
                                 Value::array({Value::of(1), Value::of(1), Value::of(1)})};
  expect_misfit(renew, unfit);
  expect_misfit(reassert, unfit);
  for (const auto& request : {confirm, release}) {
    expect_misfit(request, {Value::of(1), word(""), Value::array({Value::of(1), Value::of(1)})});
  }
}

TEST(ScriptReply, ALookThatDoesNotFitIsAFailure) {
  const Value good = held(word("web-3#aa#5"), Value::of(3000), Value::of(2));
  ASSERT_TRUE(std::holds_alternative<core::KeyStates>(script_reply(look, Value::array({good, good}))));
  const std::vector<Value> unfit{Value::nil(),
                                 Value::of(1),
                                 word("web-3#aa#5"),
                                 Value::array({}),
                                 Value::array({good}),
                                 Value::array({good, good, good}),
                                 Value::array({good, Value::nil()}),
                                 Value::array({good, Value::of(1)}),
                                 Value::array({good, word("")}),
                                 Value::array({good, Value::error("ERR no")}),
                                 Value::array({good, Value::array({})}),
                                 Value::array({good, Value::array({word(""), Value::of(-2)})}),
                                 Value::array({good, held(Value::nil(), Value::of(1), Value::of(1))}),
                                 Value::array({good, held(Value::of(1), Value::of(1), Value::of(1))}),
                                 Value::array({good, held(word(""), word("1"), Value::of(1))}),
                                 Value::array({good, held(word(""), Value::of(1), word("1"))}),
                                 Value::array({good, held(word(""), Value::of(1), Value::nil())}),
                                 Value::array({word("web-3#aa#5"), Value::of(3000), Value::of(2)})};
  expect_misfit(look, unfit);
}

TEST(ScriptReply, AnOpeningOrATimeThatDoesNotFitIsAFailure) {
  expect_misfit(open, {Value::nil(), Value::of(1), Value::status("OK"), Value::array({word(opened)})});
  expect_misfit(clock,
                {Value::nil(), Value::of(1'700'000'000), word("1700000000"), Value::array({word("1")}),
                 Value::array({word("1"), word("x")}), Value::array({word(""), word("1")}),
                 Value::array({word("-1"), word("1")}), Value::array({word("1"), word("1000000")}),
                 Value::array({word("9000000000"), word("1")}), Value::array({Value::of(1), Value::of(1)}),
                 Value::array({word("1"), word("1"), word("1")})});
}

TEST(WakeUp, SaysWhoShallLookAndWhen) {
  const auto now = read_wake_up("0 us#00000000000000aa#");
  ASSERT_TRUE(now);
  EXPECT_EQ(now->ticket, core::Grant("us", 0xaa));
  EXPECT_EQ(now->after, 0ms);
  EXPECT_EQ(read_wake_up("250 us#00000000000000aa#")->after, 250ms);
}

TEST(WakeUp, AnOwnerMayHaveSpacesInItsName) {
  EXPECT_EQ(read_wake_up("0 host 17#00000000000000aa#")->ticket, core::Grant("host 17", 0xaa));
}

// T27: anybody can publish. A wait that is longer than any that we announce is a forgery.
TEST(WakeUp, CannotSendAWaiterToSleep) {
  EXPECT_EQ(read_wake_up("9000000000000 us#00000000000000aa#")->after, turns_max * turn_of_waiter);
  EXPECT_EQ(read_wake_up("8001 us#00000000000000aa#")->after, 8s);
}

TEST(WakeUp, AMessageThatIsNoneOfOursIsIgnored) {
  for (const std::string when : {"", " ", "x ", "-1 ", "+1 ", "1.5 ", "0x1 ", "99999999999999999999 "}) {
    EXPECT_FALSE(read_wake_up(when + "us#00000000000000aa#")) << when;
  }
  for (const std::string ticket : {"", "us", "us#aa#", "#00000000000000aa#", "us#00000000000000aa#7"}) {
    EXPECT_FALSE(read_wake_up("0 " + ticket)) << ticket;
  }
  EXPECT_FALSE(read_wake_up("0"));
}

TEST(FleetChange, IsOfSessionsWhereItSaysSo) {
  EXPECT_EQ(read_change("sessions"), core::FleetChange::sessions);
  for (const auto* text : {"", "joined web-1", "left web-1", "sessions ", "Sessions"}) {
    EXPECT_EQ(read_change(text), core::FleetChange::instances) << text;
  }
}

}  // namespace
}  // namespace tenure::redis
