#include "redis/cluster/split.hpp"

#include <gtest/gtest.h>

namespace tenure::redis {
namespace {

using namespace std::chrono_literals;
using core::KeyAnswer;
using core::KeyAnswers;

core::Holding holding(const std::string& key) { return {key, core::Grant("us", 1), 7}; }
const core::Failure silent{core::Applied::perhaps, core::FailureCode::timed_out, "silent"};
const core::Failure away{core::Applied::no, core::FailureCode::unreachable, "away"};

TEST(Splitting, ARequestAboutOneLeaseStaysWhole) {
  const auto portions = split(core::AcquireRequest{"{a}1", core::Grant("us", 1), 10s});
  ASSERT_EQ(portions.size(), 1U);
  EXPECT_EQ(portions[0].slot, slot_of("a"));
  EXPECT_EQ(std::get<core::AcquireRequest>(portions[0].request).key, "{a}1");
}

TEST(Splitting, EachSlotGetsItsLeasesInTheirOrder) {
  const core::RenewRequest whole{10s, {holding("{a}1"), holding("{b}1"), holding("{a}2")}};
  const auto portions = split(whole);
  ASSERT_EQ(portions.size(), 2U);
  EXPECT_EQ(portions[0].slot, slot_of("a"));
  EXPECT_EQ(portions[0].places, (std::vector<std::size_t>{0, 2}));
  const auto& of_a = std::get<core::RenewRequest>(portions[0].request);
  EXPECT_EQ(of_a.ttl, core::Ttl(10s));
  ASSERT_EQ(of_a.items.size(), 2U);
  EXPECT_EQ(of_a.items[1].key, "{a}2");
  EXPECT_EQ(portions[1].slot, slot_of("b"));
  EXPECT_EQ(portions[1].places, (std::vector<std::size_t>{1}));
}

TEST(Splitting, WhatIsAskedOfAPartIsInThatSlot) {
  EXPECT_EQ(split(core::OpenRequest{"e1", 5, 77}).at(0).slot, 77);
  EXPECT_EQ(split(core::ClockRequest{77}).at(0).slot, 77);
}

TEST(Splitting, AFleetsRequestsHaveNoSlotAndAreRefused) {
  const core::Request beat = core::BeatRequest{"f:", "a", {}, 10s};
  EXPECT_TRUE(split(beat).empty());
  const auto reply = Merged(beat).reply();
  EXPECT_EQ(std::get<core::Failure>(reply).code, core::FailureCode::unsupported);
  EXPECT_EQ(std::get<core::Failure>(reply).applied, core::Applied::no);
}

TEST(Merging, EachLeaseHasTheAnswerOfItsSlot) {
  Merged merged(core::RenewRequest{10s, {holding("a"), holding("b"), holding("c")}});
  merged.add({1}, KeyAnswers{KeyAnswer::foreign});
  merged.add({0, 2}, KeyAnswers{KeyAnswer::done, KeyAnswer::missing});
  EXPECT_EQ(std::get<KeyAnswers>(std::move(merged).reply()),
            (KeyAnswers{KeyAnswer::done, KeyAnswer::foreign, KeyAnswer::missing}));
}

TEST(Merging, ALeaseWhoseSlotDidNotAnswerIsLocked) {
  Merged merged(core::RenewRequest{10s, {holding("a"), holding("b"), holding("c")}});
  merged.add({0}, silent);
  merged.add({1}, core::NotOpen{});
  merged.add({2}, KeyAnswers{KeyAnswer::done});
  EXPECT_EQ(std::get<KeyAnswers>(std::move(merged).reply()),
            (KeyAnswers{KeyAnswer::locked, KeyAnswer::locked, KeyAnswer::done}));
}

TEST(Merging, WhereNoneAnsweredTheFailureItselfIsTheAnswerAndPerhapsOutweighsNo) {
  Merged merged(core::RenewRequest{10s, {holding("a"), holding("b")}});
  merged.add({0}, away);
  merged.add({1}, silent);
  const auto reply = std::move(merged).reply();
  EXPECT_EQ(std::get<core::Failure>(reply).detail, "silent");
}

TEST(Merging, WhoLooksSeesWhatHasAnsweredAndNothingOfTheRest) {
  const core::LookRequest look{{"a", "b"}};
  core::KeyState held;
  held.holder = core::Holder{"them", 5};
  Merged all(look);
  all.add({1}, core::KeyStates{held});
  all.add({0}, core::KeyStates{core::KeyState{}});
  EXPECT_EQ(std::get<core::KeyStates>(std::move(all).reply()), (core::KeyStates{core::KeyState{}, held}));
  Merged some(look);
  some.add({1}, core::KeyStates{held});
  some.add({0}, away);
  core::KeyState unknown;
  unknown.known = false;
  EXPECT_EQ(std::get<core::KeyStates>(std::move(some).reply()), (core::KeyStates{unknown, held}));
  Merged none(look);
  none.add({1}, away);
  none.add({0}, away);
  EXPECT_EQ(std::get<core::Failure>(std::move(none).reply()).detail, "away");
}

TEST(Merging, AnAnswerThatDoesNotFitIsNone) {
  Merged merged(core::RenewRequest{10s, {holding("a"), holding("b")}});
  merged.add({0}, KeyAnswers{KeyAnswer::done, KeyAnswer::done});
  merged.add({1}, core::KeyStates{});
  EXPECT_EQ(std::get<core::Failure>(std::move(merged).reply()).code, core::FailureCode::protocol);
}

}  // namespace
}  // namespace tenure::redis
