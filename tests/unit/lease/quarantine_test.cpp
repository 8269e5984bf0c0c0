#include "core/lease/quarantine.hpp"

#include <gtest/gtest.h>

#include "unit/core/machine.hpp"

namespace tenure::core {
namespace {

struct Quarantined : testing::Test {
  Desk desk;
  Founding founding{{60s}, 3};
  Quarantine it{{2}, {60s}, founding};

  static Record record(std::string epoch, bool open = false, Ttl cap = 60s) {
    return {.terms = {cap}, .epoch = std::move(epoch), .open = open, .longest = cap};
  }
  // Lets time pass to the next wake; the request that goes out then.
  std::optional<Send> wake() {
    desk.actions.clear();
    it.on_timer(it.wake().value(), desk.random, desk.out);
    const auto sent = desk.take<Send>();
    return sent.empty() ? std::nullopt : std::optional(sent.at(0));
  }
  bool reply(const Send& sent, const Reply& reply, Time now) {
    desk.requests.take(sent.id);
    return it.on_reply(reply, now, desk.random);
  }
};

TEST_F(Quarantined, AnOpenNodeAsksForNothing) {
  EXPECT_FALSE(it.wake());
  it.on_admitted(record("e1", true), at(0s));
  EXPECT_FALSE(it.wake());
}

// M8, M21: on the client's own clock, whatever the stamps of the record say.
TEST_F(Quarantined, IsOpenedACapAndATenthAfterItWasHeardOf) {
  Record old = record("e1");
  old.made_ms = 1;
  old.wall_ms = 1;
  it.on_admitted(old, at(5s));
  EXPECT_EQ(it.wake(), at(71s));
  EXPECT_TRUE(it.lasts());
  it.on_timer(at(71s) - 1ns, desk.random, desk.out);
  EXPECT_TRUE(desk.actions.empty());
  const auto sent = wake();
  ASSERT_TRUE(sent);
  EXPECT_EQ(sent->node, 2U);
  EXPECT_EQ(std::get<OpenRequest>(sent->request).epoch, "e1");
  EXPECT_TRUE(it.lasts());
  EXPECT_TRUE(reply(*sent, Opened{}, at(71s)));
  EXPECT_FALSE(it.lasts());
  EXPECT_FALSE(it.wake());
}

TEST_F(Quarantined, AnotherConnectionToTheSameEpochDoesNotBeginAnew) {
  it.on_admitted(record("e1"), at(0s));
  it.on_admitted(record("e1"), at(50s));
  EXPECT_EQ(it.wake(), at(66s));
}

TEST_F(Quarantined, AnotherEpochBeginsAnew) {
  it.on_admitted(record("e1"), at(0s));
  it.on_admitted(record("e2"), at(50s));
  EXPECT_EQ(it.wake(), at(116s));
  EXPECT_EQ(std::get<OpenRequest>(wake()->request).epoch, "e2");
}

// An admission that was repeated, after the data was lost once more: the same epoch, and yet another quarantine.
TEST_F(Quarantined, TheSameEpochThatBeganLaterBeginsAnew) {
  Record again = record("e1");
  again.made_ms = 7;
  it.on_admitted(record("e1"), at(0s));
  it.on_admitted(again, at(50s));
  EXPECT_EQ(it.wake(), at(116s));
  EXPECT_EQ(std::get<OpenRequest>(wake()->request), (OpenRequest{"e1", 7}));
}

TEST_F(Quarantined, AnotherHasOpenedIt) {
  it.on_admitted(record("e1"), at(0s));
  it.on_admitted(record("e1", true), at(50s));
  EXPECT_FALSE(it.wake());
}

// Leases may be longer there than we know of.
TEST_F(Quarantined, OneOfAnotherCapIsNotOursToOpen) {
  it.on_admitted(record("e1", false, 30s), at(0s));
  EXPECT_FALSE(it.wake());
}

TEST_F(Quarantined, AFailureIsTriedAgainWithinASecond) {
  it.on_admitted(record("e1"), at(0s));
  const auto sent = wake();
  EXPECT_FALSE(reply(*sent, failed(Applied::perhaps), at(66s)));
  EXPECT_GE(it.wake(), at(66'500ms));
  EXPECT_LE(it.wake(), at(67s));
  EXPECT_TRUE(wake());
}

TEST_F(Quarantined, SilenceIsDroppedAndTriedAgain) {
  it.on_admitted(record("e1"), at(0s));
  const auto sent = wake();
  EXPECT_EQ(it.wake(), at(67s));
  it.on_timer(at(67s), desk.random, desk.out);
  const auto dropped = desk.take<Drop>();
  ASSERT_EQ(dropped.size(), 1U);
  EXPECT_EQ(dropped[0].node, 2U);
  EXPECT_EQ(dropped[0].id, sent->id);
  EXPECT_TRUE(desk.requests.empty());
  EXPECT_GT(it.wake(), at(67s));
  EXPECT_TRUE(wake());
}

// The record has changed since: the admission that follows says how.
TEST_F(Quarantined, ARefusedOpeningWaitsForTheNextAdmission) {
  it.on_admitted(record("e1"), at(0s));
  EXPECT_FALSE(reply(*wake(), NotOpen{in_quarantine("e2")}, at(66s)));
  EXPECT_FALSE(it.wake());
  it.on_admitted(record("e2"), at(66s));
  EXPECT_EQ(it.wake(), at(132s));
}

// S7: what is heard about the old epoch says nothing about the new one.
TEST_F(Quarantined, AnAnswerForAnOldEpochDoesNotEndTheNewOne) {
  for (const Reply& late : {Reply(Opened{}), Reply(NotOpen{}), Reply(failed(Applied::perhaps))}) {
    it = Quarantine({2}, {60s}, founding);
    it.on_admitted(record("e1"), at(0s));
    const auto sent = wake();
    it.on_admitted(record("e2"), at(66s));
    reply(*sent, late, at(67s));
    EXPECT_EQ(it.wake(), at(132s));
  }
}

// Leases from before a cap was changed may last longer than the new one.
TEST_F(Quarantined, AfterAChangeOfTheCapTheLongestOfBeforeIsSatOut) {
  Record changed = record("e1");
  changed.longest = 120s;
  it.on_admitted(changed, at(0s));
  EXPECT_EQ(it.wake(), at(132s));
}

// M48: two new nodes beside one that belongs to others are no set of three.
TEST_F(Quarantined, ANodeWithoutARecordIsOpenedOnlyForASetThatExists) {
  Record unknown = record("e1");
  unknown.why = "unknown";
  const auto hear_of = [&](NodeIndex node, const Record& it_shows) {
    founding.on_admitted(node, it_shows);
    if (node == 2) it.on_admitted(it_shows, at(0s));
  };
  hear_of(2, unknown);
  hear_of(1, unknown);
  EXPECT_FALSE(it.wake()) << "the third was not heard of";
  Record of_others = record("e7", true);
  of_others.terms.set = "1-x";
  hear_of(0, of_others);
  EXPECT_FALSE(it.wake()) << "the third belongs to others";
  it.on_timer(at(600s), desk.random, desk.out);
  EXPECT_TRUE(desk.actions.empty());
  hear_of(0, unknown);
  EXPECT_EQ(it.wake(), at(66s)) << "all have forgotten everything, or are new";
}

TEST_F(Quarantined, ANodeThatLostItsDataIsOpenedWhereAnotherStillKnowsTheSet) {
  Record unknown = record("e1");
  unknown.why = "unknown";
  founding.on_admitted(2, unknown);
  it.on_admitted(unknown, at(0s));
  EXPECT_FALSE(it.wake());
  founding.on_admitted(0, record("e3", true));
  EXPECT_EQ(it.wake(), at(66s));
  EXPECT_EQ(it.over_by(), at(66s));
  // A node that was brought to another set knows more than one that was not there when that was done.
  Record of_others = record("e4", true);
  of_others.terms.set = "3-other";
  founding.on_admitted(1, of_others);
  EXPECT_FALSE(it.wake());
  EXPECT_FALSE(it.over_by());
}

}  // namespace
}  // namespace tenure::core
