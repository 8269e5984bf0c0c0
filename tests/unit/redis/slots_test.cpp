// A conversation with one server of a Cluster: each slot is admitted by itself, and what the server does not serve comes back.
#include "redis/cluster/slot.hpp"
#include "redis/key_names.hpp"
#include "unit/redis/conversing.hpp"

namespace tenure::redis {
namespace {

const Slot slot_a = slot_of("a");
const core::Request again_a = core::AcquireRequest{"{a}2", core::Grant("us", 0xcc), 10s};
const core::Request acquire_b = core::AcquireRequest{"b", core::Grant("us", 0xbb), 10s};

Value moved(Slot slot) { return Value::error("MOVED " + std::to_string(slot) + " 10.0.0.2:7001"); }
Value ask(Slot slot) { return Value::error("ASK " + std::to_string(slot) + " 10.0.0.2:7001"); }
const Value not_asked = Value::error("NOPERM User worker has no permissions to run the 'asking' command");
const Value try_again = Value::error("TRYAGAIN Multiple keys request during rehashing of slot");

struct InACluster : Conversing {
  Seen seen = Conversation::new_seen();

  Conversation& open() {
    introductions = 0;
    it.emplace(greeting, Keyspace{}, [this] { return introduction(++introductions); }, seen, Parts::by_slot);
    it->open(out);
    return *it;
  }
  static Keyspace keys(const std::string& key) { return Keyspace{}.of_slot(slot_of(key)); }
  Command admit(const std::string& key, int nth) const {
    Command command = admit_call(introduction(nth), keys(key), CallBy::sha1);
    command.push_back("0");
    return command;
  }
  static Command call(const std::string& key, const core::Request& request, const std::string& epoch) {
    Command command = script_call(request, keys(key), epoch, CallBy::sha1);
    command.push_back("0");
    return command;
  }
};

TEST_F(InACluster, ASlotIsAdmittedWhenItIsFirstAskedFor) {
  open();
  EXPECT_TRUE(said().empty());
  it->ask(RequestId{1}, acquire_a, out);
  it->ask(RequestId{2}, acquire_b, out);
  it->ask(RequestId{3}, again_a, out);
  EXPECT_EQ(said(), (std::vector<Command>{admit("a", 1), admit("b", 2)}));
  EXPECT_EQ(try_hear(record("e1")).value()->part, slot_a);
  EXPECT_EQ(said(), (std::vector<Command>{call("a", acquire_a, "e1"), call("a", again_a, "e1")}));
  EXPECT_TRUE(hear(record("e2")).admitted);
  EXPECT_EQ(said(), (std::vector<Command>{call("b", acquire_b, "e2")}));
}

TEST_F(InACluster, ItsKeysAreInOneSlot) {
  for (const std::string key : {"redlock:a", "{x}y", "poll:lease:shop", "a{}b"}) {
    const Keyspace its = keys(key);
    for (const std::string& other : {its.record(), its.fence(), its.queue(key)}) {
      EXPECT_EQ(slot_of(other), slot_of(key)) << other;
      EXPECT_TRUE(Keyspace{}.owns(other)) << other;
    }
  }
}

TEST_F(InACluster, APrefixMayHaveNoBraceThatDecidesTheSlot) {
  for (const std::string prefix : {"tenure:", "app:", "a}b:"}) {
    EXPECT_FALSE(cluster_prefix_error(prefix)) << prefix;
    const Keyspace its = Keyspace{.prefix = prefix}.of_slot(5);
    EXPECT_EQ(slot_of(its.record()), 5) << prefix;
  }
  for (const std::string prefix : {"{team}:", "a{b}c{", "a{", "a{}:", "{", "}{"})
    EXPECT_TRUE(cluster_prefix_error(prefix)) << prefix;
}

TEST_F(InACluster, WhatItDoesNotServeComesBackInOrder) {
  open().ask(RequestId{1}, acquire_a, out);
  hear(record("e1"));
  it->ask(RequestId{2}, again_a, out);
  EXPECT_TRUE(hear(moved(slot_a)).answers.empty());
  EXPECT_TRUE(hear(moved(slot_a)).answers.empty());
  const auto turned = it->take_turned();
  ASSERT_EQ(turned.size(), 2U);
  EXPECT_EQ(turned[0].id, RequestId{1});
  EXPECT_EQ(turned[1].id, RequestId{2});
  EXPECT_EQ(turned[0].to, (Redirection{Redirection::Kind::moved, slot_a, {"10.0.0.2", 7001}}));
  EXPECT_FALSE(it->waiting());
  EXPECT_TRUE(it->take_turned().empty());
}

TEST_F(InACluster, WhatWaitsForAnAdmissionThatIsTurnedAwayComesBackToo) {
  open().ask(RequestId{1}, acquire_a, out);
  it->ask(RequestId{2}, again_a, out);
  hear(moved(slot_a));
  EXPECT_EQ(it->take_turned().size(), 2U);
  EXPECT_FALSE(it->under_way());
}

// The slot may have lived elsewhere meanwhile.
TEST_F(InACluster, ASlotThatComesBackIsAdmittedAnew) {
  open().ask(RequestId{1}, acquire_a, out);
  hear(record("e1"));
  hear(moved(slot_a));
  it->take_turned();
  said();
  it->ask(RequestId{3}, again_a, out);
  EXPECT_EQ(said(), (std::vector<Command>{admit("a", 2)}));
}

// A server that was demoted has lost all its slots. What it says of one holds for those that are not asked for, too.
TEST_F(InACluster, WhereOneSlotHasMovedEachIsAdmittedAnewBeforeItIsUsedAgain) {
  open().ask(RequestId{1}, acquire_a, out);
  it->ask(RequestId{2}, acquire_b, out);
  hear(record("e1"));
  hear(record("e2"));
  hear(moved(slot_a));
  EXPECT_TRUE(answer(Value::of(7)));
  it->take_turned();
  said();
  it->ask(RequestId{3}, release_b, out);
  Command again = admit("b", 3);
  again.back() = "7";  // the token that it has given
  EXPECT_EQ(said(), (std::vector<Command>{again}));
}

TEST_F(InACluster, WhereAnAdmissionIsToldOfAMoveEachIsAdmittedAnewToo) {
  open().ask(RequestId{1}, acquire_b, out);
  hear(record("e1"));
  EXPECT_TRUE(answer(Value::of(7)));
  it->ask(RequestId{2}, acquire_a, out);
  hear(moved(slot_a));
  it->take_turned();
  said();
  it->ask(RequestId{3}, release_b, out);
  Command again = admit("b", 3);
  again.back() = "7";
  EXPECT_EQ(said(), (std::vector<Command>{again}));
}

// T12: asked again elsewhere, it would come behind its own release.
TEST_F(InACluster, AnAcquireWhoseReleaseIsBehindItGoesNowhereElse) {
  open().ask(RequestId{1}, acquire_a, out);
  hear(record("e1"));
  it->ask(RequestId{2}, release_a, out);
  it->flush(out);
  const auto reply = answer(ask(slot_a));
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->id, RequestId{1});
  EXPECT_EQ(std::get<core::Failure>(reply->reply).applied, Applied::no);
  EXPECT_EQ(std::get<core::Failure>(reply->reply).code, FailureCode::busy);
  EXPECT_TRUE(it->take_turned().empty());
}

TEST_F(InACluster, OnItsWayHereASlotIsAskedForByAsking) {
  open().ask(RequestId{1}, acquire_a, out, Asking::yes);
  EXPECT_EQ(said(), (std::vector<Command>{{"ASKING"}, admit("a", 1)}));
  hear(ok);
  hear(record("e1"));
  EXPECT_EQ(said(), (std::vector<Command>{{"ASKING"}, call("a", acquire_a, "e1")}));
  hear(ok);
  const auto reply = answer(Value::of(7));
  ASSERT_TRUE(reply);
  EXPECT_EQ(std::get<core::Granted>(reply->reply).token, 7);
}

TEST_F(InACluster, WithoutTheRightToAskingOnlyTheAdmissionBehindItFails) {
  open().ask(RequestId{1}, acquire_b, out);
  it->ask(RequestId{2}, acquire_a, out, Asking::yes);
  EXPECT_EQ(said(), (std::vector<Command>{admit("b", 1), {"ASKING"}, admit("a", 2)}));
  hear(record("e1"));
  EXPECT_FALSE(answer(not_asked));
  const auto refused = answer(moved(slot_a));
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->id, RequestId{2});
  const auto& failure = std::get<core::Failure>(refused->reply);
  EXPECT_EQ(failure.code, FailureCode::no_permission);
  EXPECT_EQ(failure.applied, Applied::no);
  EXPECT_EQ(
      failure.detail,
      "the user may not run ASKING: it lacks +asking, without which a lease cannot be asked for where its "
      "slot moves to (tenure doctor names all rights that are needed)");
  EXPECT_TRUE(it->take_turned().empty());
  EXPECT_EQ(answer(Value::of(7))->id, RequestId{1});
  EXPECT_FALSE(it->under_way());
}

TEST_F(InACluster, WithoutTheRightToAskingOnlyTheRequestBehindItFails) {
  open().ask(RequestId{1}, acquire_b, out);
  hear(record("e1"));
  it->ask(RequestId{2}, acquire_a, out, Asking::yes);
  EXPECT_EQ(answer(Value::of(7))->id, RequestId{1});
  hear(ok);
  hear(record("e2"));
  EXPECT_FALSE(answer(not_asked));  // the right was taken away meanwhile
  const auto refused = answer(moved(slot_a));
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->id, RequestId{2});
  EXPECT_EQ(std::get<core::Failure>(refused->reply).code, FailureCode::no_permission);
  EXPECT_TRUE(it->take_turned().empty());
  EXPECT_FALSE(it->waiting());
}

// The move has ended before they came.
TEST_F(InACluster, WhatIsServedWithoutAskingIsServed) {
  open().ask(RequestId{1}, acquire_a, out, Asking::yes);
  hear(not_asked);
  EXPECT_TRUE(hear(record("e1")).admitted);
  hear(not_asked);
  const auto granted = answer(Value::of(7));
  ASSERT_TRUE(granted);
  EXPECT_EQ(std::get<core::Granted>(granted->reply).token, 7);
  it->ask(RequestId{2}, again_a, out);
  EXPECT_FALSE(answer(moved(slot_a)));
  EXPECT_EQ(it->take_turned().size(), 1U) << "what was refused before does not concern it";
}

TEST_F(InACluster, HalfOfASlotIsTurnedAwayAndTheRestIsServed) {
  open().ask(RequestId{1}, acquire_a, out);
  it->ask(RequestId{2}, acquire_b, out);
  hear(record("e1"));
  hear(record("e2"));
  EXPECT_FALSE(answer(try_again));
  EXPECT_EQ(it->take_turned().at(0).to.kind, Redirection::Kind::try_again);
  const auto reply = answer(Value::of(7));
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->id, RequestId{2});
}

TEST_F(InACluster, ASlotWhoseRecordCannotBeReadKeepsOnlyItsOwnWaiting) {
  open().ask(RequestId{1}, acquire_a, out);
  it->ask(RequestId{2}, acquire_b, out);
  const auto reply = answer(Value::string("somebody else's"));
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->id, RequestId{1});
  EXPECT_EQ(std::get<core::Failure>(reply->reply).code, FailureCode::protocol);
  hear(record("e2"));
  EXPECT_TRUE(answer(Value::of(7)));
}

TEST_F(InACluster, WhatWasSeenIsSaidOfThatSlotOnly) {
  (*seen)[slot_a] = 9;
  open().ask(RequestId{1}, acquire_a, out);
  it->ask(RequestId{2}, acquire_b, out);
  const auto commands = said();
  ASSERT_EQ(commands.size(), 2U);
  EXPECT_EQ(commands[0].back(), "9");
  EXPECT_EQ(commands[1].back(), "0");
}

TEST_F(InACluster, ReleasesOfOneSlotGoTogetherAndOthersDoNot) {
  open().ask(RequestId{1}, acquire_a, out);
  it->ask(RequestId{2}, acquire_b, out);
  hear(record("e1"));
  hear(record("e2"));
  said();
  const core::Request release_a2 = core::ReleaseRequest{"{a}2", core::Grant("us", 0xcc)};
  it->ask(RequestId{3}, release_a, out);
  it->ask(RequestId{4}, release_a2, out);
  it->ask(RequestId{5}, release_b, out);
  EXPECT_EQ(said().size(), 2U);
}

}  // namespace
}  // namespace tenure::redis
