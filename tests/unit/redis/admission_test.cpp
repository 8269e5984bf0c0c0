// Admission: which life of a server a connection speaks to, at its beginning and whenever the record has
// changed.
#include <array>
#include <utility>

#include "unit/redis/conversing.hpp"

namespace tenure::redis {
namespace {

using Admitted = Conversing;

TEST_F(Admitted, AdmittedARecordIsToldAndItsEpochGoesAlong) {
  Conversation& talk = open();
  said();
  talk.ask(RequestId{1}, acquire_a, out);
  const auto heard = hear(record("e7", "quarantined"));
  ASSERT_TRUE(heard.admitted);
  EXPECT_TRUE(heard.answers.empty());
  EXPECT_EQ(heard.admitted->epoch, "e7");
  EXPECT_FALSE(heard.admitted->open);
  EXPECT_EQ(said(), (std::vector<Command>{call(acquire_a, "e7")}));
}

// T29: a Redis that is new, or was restarted.
TEST_F(Admitted, AnAdmissionThatRedisDoesNotKnowIsSentWhole) {
  Conversation& talk = open();
  said();
  talk.ask(RequestId{1}, acquire_a, out);
  EXPECT_FALSE(hear(no_script).admitted);
  EXPECT_EQ(said(), (std::vector<Command>{admit(1, CallBy::body)}));  // the same introduction
  EXPECT_TRUE(hear(record("e1")).admitted);
  EXPECT_EQ(said(), (std::vector<Command>{call(acquire_a)}));
}

TEST_F(Admitted, RefusedTheConnectionIsOfNoUseAndTheRequestsNeverLeft) {
  for (const Value& value : {Value::error("NOPERM this user has no permissions to run the 'info' command"),
                             Value::string("not a record"), Value::status("OK"), Value::nil(), Value::of(1),
                             Value::array({record("e1")})}) {
    Conversation& talk = open();
    talk.ask(RequestId{1}, acquire_a, out);
    said();
    EXPECT_FALSE(try_hear(value));
    EXPECT_TRUE(said().empty());
    const auto unanswered = talk.close();
    ASSERT_EQ(unanswered.size(), 1U);
    EXPECT_EQ(unanswered[0].applied, Applied::no);
  }
}

// In quarantine, and known to be so: another admission would say the same.
TEST_F(Admitted, AClosedNodeOfTheSameEpochIsNotAskedAgain) {
  open();
  hear(record("e1", "quarantined"));
  said();
  it->ask(RequestId{1}, acquire_a, out);
  said();
  const auto reply = answer(record("e1", "quarantined"));
  ASSERT_TRUE(reply);
  EXPECT_TRUE(std::holds_alternative<core::NotOpen>(reply->reply));
  EXPECT_TRUE(said().empty());
}

// M9: FLUSHALL, a promotion, or another epoch under a live connection.
TEST_F(Admitted, AForeignRecordIsAnsweredAndLeadsToANewAdmission) {
  for (const Value& foreign : {Value::string(""), record("e2"), record("e2", "quarantined"), record("e11"),
                               record("e1", "open", "30000")}) {
    Conversation& talk = admitted("e1");
    talk.ask(RequestId{1}, acquire_a, out);
    said();
    const auto reply = answer(foreign);
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->id, RequestId{1});
    EXPECT_TRUE(std::holds_alternative<core::NotOpen>(reply->reply));
    EXPECT_EQ(said(), (std::vector<Command>{admit(2)}));  // by a new introduction
  }
}

TEST_F(Admitted, AReassertThatMetAForeignRecordLeadsToANewAdmissionToo) {
  Conversation& talk = admitted("e1");
  talk.ask(RequestId{1}, core::ReassertRequest{10s, false, {{"a", grant, 7}}}, out);
  said();
  EXPECT_TRUE(answer(Value::string("")));
  EXPECT_EQ(said(), (std::vector<Command>{admit(2)}));
}

// What was asked before goes on, what is asked since waits, and goes by the new epoch.
TEST_F(Admitted, AdmittedAgainTheRequestsBehindKeepTheirOrder) {
  Conversation& talk = admitted("e1");
  talk.ask(RequestId{1}, acquire_a, out);
  talk.ask(RequestId{2}, release_b, out);
  talk.ask(RequestId{3}, acquire_a, out);
  said();
  EXPECT_EQ(answer(record("e2", "quarantined"))->id, RequestId{1});
  EXPECT_EQ(said(), (std::vector<Command>{admit(2)}));
  talk.ask(RequestId{4}, acquire_a, out);
  talk.ask(RequestId{5}, release_a, out);
  EXPECT_TRUE(said().empty());

  EXPECT_EQ(answer(one_done)->id, RequestId{2});
  EXPECT_EQ(answer(record("e2", "quarantined"))->id, RequestId{3});  // a second one changes nothing
  EXPECT_TRUE(said().empty());
  const auto heard = hear(record("e2", "quarantined"));
  ASSERT_TRUE(heard.admitted);
  EXPECT_EQ(heard.admitted->epoch, "e2");
  EXPECT_EQ(said(), (std::vector<Command>{call(acquire_a, "e2"), call(release_a, "e2")}));
  EXPECT_EQ(answer(Value::of(5))->id, RequestId{4});
  EXPECT_EQ(answer(one_done)->id, RequestId{5});
  EXPECT_FALSE(talk.waiting());
}

// S13, T29: sent again at once, they would stand behind the admission, whose reply would be taken for theirs.
TEST_F(Admitted, ScriptsThatRedisForgotMeanwhileAreSentAfterTheAdmissionInTheirOrder) {
  Conversation& talk = admitted("e1");
  talk.ask(RequestId{1}, acquire_a, out);
  talk.ask(RequestId{2}, release_b, out);
  talk.ask(RequestId{3}, acquire_a, out);
  said();
  EXPECT_TRUE(answer(Value::string("")));  // admits again
  talk.ask(RequestId{4}, release_a, out);
  EXPECT_FALSE(answer(no_script));  // 2
  EXPECT_FALSE(answer(no_script));  // 3
  EXPECT_EQ(said(), (std::vector<Command>{admit(2)}));
  EXPECT_TRUE(talk.carries(RequestId{2}));

  EXPECT_FALSE(answer(no_script));
  EXPECT_EQ(said(), (std::vector<Command>{admit(2, CallBy::body)}));
  EXPECT_TRUE(hear(record("e2")).admitted);
  EXPECT_EQ(said(), (std::vector<Command>{call(release_b, "e2", CallBy::body), call(acquire_a, "e2"),
                                          call(release_a, "e2")}));
  EXPECT_EQ(answer(one_done)->id, RequestId{2});
  EXPECT_EQ(answer(Value::of(5))->id, RequestId{3});
  EXPECT_EQ(answer(one_done)->id, RequestId{4});
}

TEST_F(Admitted, AThirdAdmissionCountsTheReturnedAnew) {
  Conversation& talk = admitted("e1");
  talk.ask(RequestId{1}, acquire_a, out);
  talk.ask(RequestId{2}, release_b, out);
  EXPECT_TRUE(answer(Value::string("")));
  EXPECT_FALSE(answer(no_script));  // 2 goes back
  EXPECT_TRUE(hear(record("e2")).admitted);
  talk.ask(RequestId{3}, acquire_a, out);
  talk.ask(RequestId{4}, release_b, out);
  EXPECT_EQ(answer(one_done)->id, RequestId{2});
  EXPECT_TRUE(answer(record("e3")));  // 3
  talk.ask(RequestId{5}, release_a, out);
  EXPECT_FALSE(answer(no_script));  // 4 goes back, before 5
  said();
  EXPECT_TRUE(hear(record("e3")).admitted);
  const std::array both{&std::get<core::ReleaseRequest>(release_b),
                        &std::get<core::ReleaseRequest>(release_a)};
  EXPECT_EQ(said(), (std::vector<Command>{release_call(both, {}, CallBy::body)}));
}

// T12: between the two the release is held back, so the acquire still comes first.
TEST_F(Admitted, AnAcquireAndItsReleaseStayInOrderOverAnAdmission) {
  Conversation& talk = admitted("e1");
  talk.ask(RequestId{1}, core::AcquireRequest{"b", core::Grant("us", 0xcc), 10s}, out);
  talk.ask(RequestId{2}, acquire_a, out);
  EXPECT_TRUE(answer(Value::string("")));
  talk.ask(RequestId{3}, release_a, out);
  EXPECT_FALSE(answer(no_script));  // 2
  said();
  hear(record("e2"));
  EXPECT_EQ(said(), (std::vector<Command>{call(acquire_a, "e2"), call(release_a, "e2", CallBy::body)}));
}

// What went back was run by nobody.
TEST_F(Admitted, CutOffWhileItIsAdmittedAgainOnlyWhatWasSentMayHaveTakenEffect) {
  Conversation& talk = admitted("e1");
  for (std::uint64_t id = 1; id <= 3; ++id) talk.ask(RequestId{id}, acquire_a, out);
  EXPECT_TRUE(answer(Value::string("")));
  EXPECT_FALSE(answer(no_script));  // 2
  talk.ask(RequestId{4}, release_b, out);
  const auto unanswered = talk.close();
  ASSERT_EQ(unanswered.size(), 3U);
  EXPECT_EQ(unanswered[0].id, RequestId{3});
  EXPECT_EQ(unanswered[0].applied, Applied::perhaps);
  EXPECT_EQ(unanswered[1].id, RequestId{2});
  EXPECT_EQ(unanswered[1].applied, Applied::no);
  EXPECT_EQ(unanswered[2].id, RequestId{4});
  EXPECT_EQ(unanswered[2].applied, Applied::no);
}

// What a node has counted to is told it ever after, so that data which went back under the same life is noticed.
TEST_F(Admitted, TheLargestTokenThatANodeHasShownGoesAlong) {
  Conversation& talk = admitted("e1");
  const auto next_seen = [&](const core::Request& request, const Value& value) {
    talk.ask(RequestId{1}, request, out);
    EXPECT_TRUE(answer(value));
    said();
    talk.ask(RequestId{2}, acquire_a, out);
    EXPECT_TRUE(answer(Value::array({Value::string("other#1#99"), Value::of(1), Value::of(-1)})));
    return said().at(0).back();
  };
  const core::Holding held{"a", grant, 12};
  const core::Holding lost{"b", grant, 50};
  EXPECT_EQ(next_seen(acquire_a, Value::of(7)), "7");
  EXPECT_EQ(next_seen(acquire_a, Value::of(5)), "7") << "a repeat of an older grant";
  EXPECT_EQ(next_seen(core::ConfirmRequest{"a", grant, 9}, one_done), "9");
  EXPECT_EQ(next_seen(core::ConfirmRequest{"a", grant, 10}, one_missing), "9") << "not written there";
  EXPECT_EQ(
      next_seen(core::ReassertRequest{10s, false, {held, lost}}, Value::array({Value::of(1), Value::of(0)})),
      "12");
  EXPECT_EQ(next_seen(core::RenewRequest{10s, {lost}}, one_done), "12") << "a renewal raises no counter";
}

TEST_F(Admitted, ANodeThatWentBackIsAskedForAnotherEpochWithWhatWasSeen) {
  for (const core::Request& request :
       {acquire_a, core::Request(core::ReassertRequest{10s, false, {{"a", grant, 7}}})}) {
    Conversation& talk = admitted("e1");
    talk.ask(RequestId{1}, acquire_a, out);
    EXPECT_TRUE(answer(Value::of(7)));
    talk.ask(RequestId{2}, request, out);
    said();
    const auto reply = answer(Value::string("restored"));
    ASSERT_TRUE(reply);
    EXPECT_TRUE(std::holds_alternative<core::NotOpen>(reply->reply));
    EXPECT_EQ(said(), (std::vector<Command>{admit(2, CallBy::sha1, 7)}));
    EXPECT_FALSE(answer(no_script));
    EXPECT_EQ(said(), (std::vector<Command>{admit(2, CallBy::body, 7)}));
  }
}

TEST_F(Admitted, WhatWasSeenOutlivesTheConnection) {
  const Seen seen = Conversation::new_seen();
  const auto introduce = [this] { return introduction(1); };
  Conversation first({}, {}, introduce, seen);
  first.open(out);
  std::vector<Conversation::Answer> answers;
  ASSERT_TRUE(first.hear(record("e1"), out, answers));
  first.ask(RequestId{1}, acquire_a, out);
  ASSERT_TRUE(first.hear(Value::of(7), out, answers));
  said();
  Conversation second({}, {}, introduce, seen);
  second.open(out);
  EXPECT_EQ(said(), (std::vector<Command>{admit(1, CallBy::sha1, 7)}));
}

}  // namespace
}  // namespace tenure::redis
