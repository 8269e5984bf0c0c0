// What a node lacks is put back there: by a majority anywhere, without one only in quarantine.
#include "unit/lease/keeping.hpp"

namespace tenure::core {
namespace {

// A holder renewed by a quorum installs its grant on nodes that lack it; they count from the next round.
TEST_F(KeepingOnThree, ANodeThatLacksTheGrantIsHealed) {
  keep(1, at(0s), at(0s), 2);
  const Time first = wake();
  auto sent = desk.take<Send>();
  ASSERT_EQ(sent.size(), 3U);
  EXPECT_TRUE(renews(sent[0]) && renews(sent[1]));
  EXPECT_TRUE(heals(sent[2]));
  EXPECT_EQ(sent[2].node, 2U);
  EXPECT_EQ(std::get<ReassertRequest>(sent[2].request).ttl, 10s);
  for (const auto& it : sent) reply(it.id, all_done(it), first);
  desk.actions.clear();

  const Time second = wake();
  sent = desk.take<Send>();
  ASSERT_EQ(sent.size(), 3U);
  EXPECT_TRUE(renews(sent[2]));
  reply(sent[1].id, failed(Applied::no), second);
  reply(sent[0].id, all_done(sent[0]), second);
  EXPECT_TRUE(look<Renewed>().empty());
  reply(sent[2].id, all_done(sent[2]), second);
  EXPECT_EQ(look<Renewed>().size(), 1U);
}

// L5: a node that was silent may have let the grant lapse. It takes it back with the next renewal, and counts in that
// very round: otherwise another node that is silent then would cost the lease.
TEST_F(KeepingOnThree, ANodeThatWasSilentCountsFromTheNextRenewalOn) {
  keep(1);
  const Time first = wake();
  auto sent = desk.take<Send>();
  for (const std::size_t i : {0U, 1U}) reply(sent.at(i).id, all_done(sent[i]), first);
  wake();  // node 2 has had its time
  desk.actions.clear();

  const Time second = wake();
  sent = desk.take<Send>();
  ASSERT_EQ(sent.size(), 3U);
  EXPECT_TRUE(renews(sent[0]) && renews(sent[1]));
  EXPECT_EQ(sent[2].node, 2U);
  EXPECT_TRUE(heals(sent[2]));
  reply(sent[0].id, all_done(sent[0]), second);
  reply(sent[2].id, all_done(sent[2]), second);
  ASSERT_EQ(look<Renewed>().size(), 1U);
  EXPECT_EQ(look<Renewed>()[0].deadline, timing.deadline(second));
  reply(sent[1].id, failed(Applied::perhaps), second);
  EXPECT_TRUE(look<Uncertain>().empty());
}

// Where no majority has renewed since, nothing says that anybody stands by it: it is asked what it has.
TEST_F(KeepingOnThree, AfterARoundThatAllMissedTheyAreAskedToRenew) {
  keep(1);
  wake();
  desk.actions.clear();
  wake();  // they have had their time
  desk.actions.clear();
  wake();
  const auto sent = desk.take<Send>();
  ASSERT_EQ(sent.size(), 3U);
  for (const Send& each : sent) EXPECT_TRUE(renews(each));
}

// S5: somebody else's grant is there. It is left alone, asked again with every renewal, and nothing is lost
// by it.
TEST_F(KeepingOnThree, ANodeThatRefusesIsAskedAgainAndNothingIsLost) {
  keep(1, at(0s), at(0s), 2);
  for (int round = 0; round < 5; ++round) {
    const Time now = wake();
    const auto sent = desk.take<Send>();
    ASSERT_EQ(sent.size(), 3U);
    EXPECT_TRUE(heals(sent[2]));
    reply(sent[2].id, all(round % 2 == 0 ? KeyAnswer::foreign : KeyAnswer::missing, sent[2]), now);
    for (const std::size_t i : {0U, 1U}) reply(sent[i].id, all_done(sent[i]), now);
    EXPECT_EQ(look<Renewed>().size(), 1U);
    EXPECT_TRUE(look<Uncertain>().empty());
    EXPECT_TRUE(look<Lost>().empty());
    desk.actions.clear();
  }
}

// T49: other nodes may let us wait, so it is put back as soon as the answer is there.
// It is put back at once where there is a quarantine; elsewhere when a majority has stood by it (T33).
TEST_F(KeepingOnThree, ANodeThatHasLostItIsAskedInTheSameRound) {
  keep(1);
  const Time now = wake();
  const auto sent = desk.take<Send>();
  reply(sent.at(1).id, all(KeyAnswer::missing, sent[1]), now + 1ms);
  const auto next = desk.take<Send>();
  ASSERT_EQ(next.size(), 1U);
  EXPECT_EQ(next[0].node, 1U);
  EXPECT_TRUE(puts_back(next[0]));  // the other two have not said yet that they stand by it
  reply(next[0].id, all_done(next[0]), now + 2ms);
  EXPECT_TRUE(look<Renewed>().empty());
  reply(sent[0].id, all_done(sent[0]), now + 3ms);
  ASSERT_EQ(look<Renewed>().size(), 1U);
  EXPECT_EQ(look<Renewed>()[0].deadline, timing.deadline(now));
  reply(sent[2].id, failed(Applied::perhaps), now + 4ms);
  EXPECT_TRUE(look<Uncertain>().empty());
}

// Without a majority behind it a holder may put its lease back only where there is a quarantine.
TEST_F(KeepingOnThree, WhatAMajorityHasLostIsPutBackAndNotHealed) {
  keep(1);
  const Time now = wake();
  const auto sent = desk.take<Send>();
  reply(sent.at(1).id, all(KeyAnswer::missing, sent[1]), now);
  desk.actions.clear();
  reply(sent.at(2).id, all(KeyAnswer::missing, sent[2]), now);
  const auto last = desk.take<Send>();
  ASSERT_EQ(last.size(), 1U);
  EXPECT_EQ(last[0].node, 2U);
  EXPECT_TRUE(puts_back(last[0]));
}

// So many have refused that no majority is left.
TEST_F(KeepingOnThree, RefusedByAMajorityItIsLost) {
  keep(1);
  const Time now = wake();
  const auto sent = desk.take<Send>();
  for (const std::size_t i : {1U, 2U}) reply(sent.at(i).id, all(KeyAnswer::missing, sent[i]), now);
  const auto asked = desk.take<Send>();
  ASSERT_EQ(asked.size(), 2U);
  reply(asked[0].id, all(KeyAnswer::foreign, asked[0]), now);
  EXPECT_TRUE(look<Lost>().empty());
  reply(asked[1].id, all(KeyAnswer::missing, asked[1]), now + 1ms);
  const auto lost = desk.take<Lost>();
  ASSERT_EQ(lost.size(), 1U);
  EXPECT_EQ(lost[0].deadline, now + 1ms);
  reply(sent[0].id, all_done(sent[0]), now + 2ms);  // one node is none
  EXPECT_TRUE(look<Renewed>().empty());
}

// T49: what a node refused before says nothing about now: it may have lost its data since, and take it back.
TEST_F(KeepingOnThree, AnOldRefusalIsForgottenWhenTheNodeIsAskedAgain) {
  keep(1, at(0s), at(0s), 2);
  Time now = wake();
  auto sent = desk.take<Send>();
  reply(sent.at(2).id, all(KeyAnswer::foreign, sent[2]), now);  // node 2 refuses
  for (const std::size_t i : {0U, 1U}) reply(sent[i].id, all_done(sent[i]), now);
  desk.actions.clear();
  now = wake();
  sent = desk.take<Send>();
  ASSERT_EQ(sent.size(), 3U);
  reply(sent[1].id, all(KeyAnswer::missing, sent[1]), now);
  const auto back = desk.take<Send>();
  reply(back.at(0).id, all(KeyAnswer::missing, back[0]),
        now);  // node 1 has lost it, and does not take it back
  EXPECT_TRUE(look<Lost>().empty());
  reply(sent[2].id, all_done(sent[2]), now);  // node 2 does
  reply(sent[0].id, all_done(sent[0]), now);
  EXPECT_EQ(look<Renewed>().size(), 1U);
  EXPECT_TRUE(look<Lost>().empty());
}

// S9: each lease of a batch has its own seats; what a node has, lacks, or may be given is told apart.
TEST_F(KeepingOnThree, ABatchIsSplitByWhatEachNodeHas) {
  keep(1);
  keep(2, at(0s), at(0s), 2);
  keep(3);
  const Time now = wake();
  const auto sent = desk.take<Send>();
  ASSERT_EQ(sent.size(), 4U);
  EXPECT_EQ(keys(sent[0]).size(), 3U);
  EXPECT_EQ(keys(sent[1]).size(), 3U);
  EXPECT_EQ(keys(sent[2]), (std::vector<std::string>{"key1", "key3"}));
  EXPECT_TRUE(heals(sent[3]));
  EXPECT_EQ(keys(sent[3]), (std::vector<std::string>{"key2"}));

  // Node 0 has lost the second and the third.
  reply(sent[0].id, KeyAnswers{KeyAnswer::done, KeyAnswer::missing, KeyAnswer::missing}, now);
  const auto back = desk.take<Send>();
  ASSERT_EQ(back.size(), 1U);
  EXPECT_TRUE(puts_back(back[0]));  // no majority has been heard in this round
  EXPECT_EQ(keys(back[0]), (std::vector<std::string>{"key2", "key3"}));
  for (const std::size_t i : {1U, 2U, 3U}) reply(sent[i].id, all_done(sent[i]), now);
  EXPECT_EQ(look<Renewed>().size(), 3U);
}

}  // namespace
}  // namespace tenure::core
