#include "poll/rota.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace tenure::poll {
namespace {

using namespace std::chrono_literals;
using How = PollEnd::How;

// The time, and what is to be done as text: "read a 1", "begin a 1", "abort a by 5s", "ended a 1".
class RotaTest : public ::testing::Test {
 protected:
  static Session session(const std::string& id, Milliseconds interval = 10s) {
    return {.id = id, .address = "x", .interval = interval};
  }
  std::vector<std::string> did() {
    std::vector<std::string> words;
    for (const auto& action : rota_.take_actions()) {
      if (const auto* read = std::get_if<ReadSlot>(&action)) words.push_back("read " + name(read->of));
      if (const auto* ended = std::get_if<SayEnded>(&action)) words.push_back("ended " + name(ended->of));
      if (const auto* begin = std::get_if<Begin>(&action)) {
        polls_[begin->session.id] = begin->id;
        words.push_back("begin " + name({begin->session.id, begin->token}));
      }
      if (const auto* abort = std::get_if<Abort>(&action)) {
        abort_by_ = abort->by;
        words.push_back("abort");
      }
    }
    return words;
  }
  static std::string name(const Tenancy& of) { return of.session + " " + std::to_string(of.token); }
  using Words = std::vector<std::string>;

  void pass(Milliseconds time) {
    now_.boot += time;
    now_.wall += time;
    rota_.tick(now_);
  }
  // Ours, polled in the last slot, and the next one begins now.
  void own(const std::string& id, std::uint64_t token = 1) {
    rota_.acquired({id, token}, now_);
    rota_.slot_read({id, token}, cadence(id).slot_at(now_.wall), now_);
  }
  static Cadence cadence(const std::string& id) { return {id, 10s}; }
  void pass_to_slot(const std::string& id) { pass(cadence(id).after(now_.wall) - now_.wall); }
  // As far as a first poll under way.
  void own_and_begin(const std::string& id = "a") {
    own(id);
    pass_to_slot(id);
    did();
  }
  Rota::Polled end(const std::string& id, How how = How::finished, bool ok = true) {
    return rota_.poll_ended(polls_.at(id), how, ok, now_);
  }

  void SetUp() override { rota_.set_sessions({session("a"), session("b"), session("c")}, now_); }

  Now now_{core::Time(1h), WallTime(Milliseconds(1'790'000'000'000))};
  Rota rota_{{.in_flight_max = 2, .abort_takes = 200ms, .backoff_max = 120s}};
  std::map<std::string, PollId> polls_;
  core::Time abort_by_{};
};

TEST_F(RotaTest, ASessionIsPolledOnceInEachSlot) {
  rota_.acquired({"a", 1}, now_);
  EXPECT_EQ(did(), Words{"read a 1"});
  rota_.slot_read({"a", 1}, cadence("a").slot_at(now_.wall), now_);
  pass(0ms);
  EXPECT_EQ(did(), Words{}) << "somebody polled it in this slot";
  for (int slot = 0; slot < 5; ++slot) {
    pass_to_slot("a");
    EXPECT_EQ(did(), Words{"begin a 1"});
    pass(100ms);
    EXPECT_EQ(end("a").slot, cadence("a").slot_at(now_.wall));
    rota_.result_written({"a", 1});
    pass(1s);
    EXPECT_EQ(did(), Words{});
  }
}

TEST_F(RotaTest, NothingBeginsBeforeTheLastSlotIsKnown) {
  rota_.acquired({"a", 1}, now_);
  did();
  pass(30s);
  EXPECT_EQ(did(), Words{});
  rota_.slot_read({"a", 1}, std::nullopt, now_);
  pass(2500ms);
  EXPECT_EQ(did(), Words{"begin a 1"}) << "never polled: within a quarter of its interval";
}

TEST_F(RotaTest, ASlotMissedInAHandOverIsPolledAtOnce) {
  rota_.acquired({"a", 2}, now_);
  rota_.slot_read({"a", 2}, cadence("a").slot_at(now_.wall) - 10s, now_);
  did();
  pass(0ms);
  EXPECT_EQ(did(), Words{"begin a 2"});
}

TEST_F(RotaTest, NoMorePollsThanAllowedAndTheLongestDueFirst) {
  for (const auto* id : {"a", "b", "c"}) {
    rota_.acquired({id, 1}, now_);
    rota_.slot_read({id, 1}, now_.wall - 1h, now_);
  }
  did();
  pass(0ms);
  std::vector<std::string> order{"a", "b", "c"};
  std::ranges::sort(order, {}, [&](const auto& id) { return cadence(id).slot_at(now_.wall); });
  EXPECT_EQ(did(), (Words{"begin " + order[0] + " 1", "begin " + order[1] + " 1"}));
  EXPECT_FALSE(rota_.wake().wall) << "nothing to do until one has ended";
  end(order[0]);
  pass(0ms);
  EXPECT_EQ(did(), Words{"begin " + order[2] + " 1"});
}

TEST_F(RotaTest, AnUncertainSessionBeginsNothingAndGoesOnWhenCertain) {
  own("a");
  did();
  rota_.uncertain({"a", 1});
  pass_to_slot("a");
  EXPECT_EQ(did(), Words{});
  pass(2s);
  rota_.certain({"a", 1}, now_);
  pass(0ms);
  EXPECT_EQ(did(), Words{"begin a 1"}) << "late, in the same slot";
}

TEST_F(RotaTest, APollThatBeganGoesOnWhileUncertain) {
  own_and_begin();
  rota_.uncertain({"a", 1});
  EXPECT_EQ(did(), Words{});
  end("a");
  pass(20s);
  EXPECT_EQ(did(), Words{}) << "but no other follows";
}

TEST_F(RotaTest, AnIdleSessionIsGivenBackAtOnce) {
  own("a");
  did();
  rota_.ending({"a", 1}, {true, now_.boot + 20s}, now_);
  EXPECT_EQ(did(), Words{"ended a 1"});
  pass(20s);
  EXPECT_EQ(did(), Words{});
}

TEST_F(RotaTest, AHandOverWaitsForThePollAndItsResult) {
  own_and_begin();
  rota_.ending({"a", 1}, {true, now_.boot + 20s}, now_);
  EXPECT_EQ(did(), Words{});
  pass(3s);
  end("a");
  EXPECT_EQ(did(), Words{}) << "its result is not stored yet";
  rota_.result_written({"a", 1});
  EXPECT_EQ(did(), Words{"ended a 1"});
}

TEST_F(RotaTest, APollThatTakesTooLongIsAbortedShortlyBeforeTheDeadline) {
  own_and_begin();
  const core::Time deadline = now_.boot + 5s;
  rota_.ending({"a", 1}, {true, deadline}, now_);
  EXPECT_EQ(rota_.wake().boot, deadline - 250ms);
  pass(4700ms);
  EXPECT_EQ(did(), Words{});
  pass(50ms);
  EXPECT_EQ(did(), Words{"abort"});
  EXPECT_EQ(abort_by_, deadline - 50ms);
  end("a", How::aborted);
  EXPECT_EQ(did(), Words{"ended a 1"});
}

TEST_F(RotaTest, AResultThatCannotBeStoredDoesNotHoldTheLeaseUntilItsDeadline) {
  own_and_begin();
  rota_.ending({"a", 1}, {true, now_.boot + 5s}, now_);
  end("a");
  pass(4750ms);
  EXPECT_EQ(did(), Words{"ended a 1"});
}

TEST_F(RotaTest, ALossAbortsThePollAtOnce) {
  own_and_begin();
  rota_.ending({"a", 1}, {false, now_.boot + 5s}, now_);
  EXPECT_EQ(did(), Words{"abort"});
  end("a", How::aborted);
  EXPECT_EQ(did(), Words{"ended a 1"});
}

TEST_F(RotaTest, ALossDuringAHandOverAbortsThePoll) {
  own_and_begin();
  rota_.ending({"a", 1}, {true, now_.boot + 20s}, now_);
  rota_.ending({"a", 1}, {false, now_.boot + 2s}, now_);
  EXPECT_EQ(did(), Words{"abort"});
}

TEST_F(RotaTest, APollThatOutlivesItsLeaseDelaysTheNextOneOfThatSessionOnly) {
  own_and_begin();
  rota_.ending({"a", 1}, {false, now_.boot}, now_);
  did();
  rota_.ended({"a", 1}, now_);
  rota_.acquired({"a", 2}, now_);
  rota_.slot_read({"a", 2}, std::nullopt, now_);
  did();
  own("b");
  pass_to_slot("b");
  pass(10s);
  const Words meanwhile = did();
  EXPECT_EQ(std::ranges::count(meanwhile, "begin a 2"), 0) << "two polls of one session at once";
  EXPECT_EQ(std::ranges::count(meanwhile, "begin b 1"), 1);
  const auto late = polls_.at("a");
  rota_.poll_ended(late, How::finished, true, now_);
  pass(2500ms);
  EXPECT_EQ(did(), Words{"begin a 2"});
}

TEST_F(RotaTest, AnEndForAnOlderTokenEndsNothing) {
  own("a", 2);
  did();
  rota_.ending({"a", 1}, {false, now_.boot}, now_);
  rota_.ended({"a", 1}, now_);
  EXPECT_EQ(did(), Words{});
  pass_to_slot("a");
  EXPECT_EQ(did(), Words{"begin a 2"});
}

TEST_F(RotaTest, ASessionThatIsEndedIsForgotten) {
  own("a");
  rota_.ending({"a", 1}, {true, now_.boot + 20s}, now_);
  rota_.ended({"a", 1}, now_);
  did();
  pass(60s);
  EXPECT_EQ(did(), Words{});
  EXPECT_FALSE(rota_.wake().wall);
  EXPECT_FALSE(rota_.wake().boot);
}

TEST_F(RotaTest, FailuresBackOffAndOneSuccessEndsThat) {
  own_and_begin();
  end("a", How::finished, false);
  pass_to_slot("a");
  EXPECT_EQ(did(), Words{});
  pass_to_slot("a");
  EXPECT_EQ(did(), Words{"begin a 1"});
  end("a", How::finished, true);
  pass_to_slot("a");
  EXPECT_EQ(did(), Words{"begin a 1"});
}

TEST_F(RotaTest, BackingOffSurvivesAnUncertainMoment) {
  own_and_begin();
  end("a", How::finished, false);
  rota_.uncertain({"a", 1});
  rota_.certain({"a", 1}, now_);
  pass_to_slot("a");
  EXPECT_EQ(did(), Words{});
  pass_to_slot("a");
  EXPECT_EQ(did(), Words{"begin a 1"});
}

TEST_F(RotaTest, WhatCouldNotBeginIsTriedAgainSoon) {
  own_and_begin();
  end("a", How::not_begun);
  pass(999ms);
  EXPECT_EQ(did(), Words{});
  pass(1ms);
  EXPECT_EQ(did(), Words{"begin a 1"});
}

TEST_F(RotaTest, AChangedSessionIsPolledAsItIsNow) {
  own("a");
  did();
  Session changed = session("a", 1s);
  changed.address = "y";
  rota_.set_sessions({changed}, now_);
  pass(1s);
  const auto actions = rota_.take_actions();
  ASSERT_EQ(actions.size(), 1U);
  EXPECT_EQ(std::get<Begin>(actions[0]).session.address, "y");
}

TEST_F(RotaTest, ASessionThatVanishedIsNotPolled) {
  own("a");
  did();
  rota_.set_sessions({session("b")}, now_);
  pass(30s);
  EXPECT_EQ(did(), Words{});
}

TEST_F(RotaTest, AWallClockThatIsSetBackSilencesNobody) {
  own("a");
  pass(0ms);
  did();
  now_.wall -= 1h;
  pass(0ms);
  pass(2500ms);
  EXPECT_EQ(did(), Words{"begin a 1"});
}

TEST_F(RotaTest, AWallClockThatIsSetForwardCausesOnePollNotMany) {
  own("a");
  pass(0ms);
  did();
  now_.wall += 1h;
  pass(0ms);
  EXPECT_EQ(did(), Words{"begin a 1"});
  end("a");
  pass(0ms);
  EXPECT_EQ(did(), Words{});
}

TEST_F(RotaTest, AfterAStopNothingBegins) {
  own("a");
  own("b");
  did();
  rota_.stop();
  pass(60s);
  EXPECT_EQ(did(), Words{});
  rota_.ending({"a", 1}, {true, now_.boot + 20s}, now_);
  EXPECT_EQ(did(), Words{"ended a 1"});
}

}  // namespace
}  // namespace tenure::poll
