// What every store must do. A new store has to pass this, and all_stores() is where it says that it is one.
#include "contract/store.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <thread>

#include "runtime/boot_clock.hpp"

namespace tenure::test {
namespace {

using core::AcquireRequest;
using core::Grant;
using core::Held;
using core::KeyAnswer;
using core::KeyAnswers;
using core::Reply;
using core::Token;
using core::Ttl;
using namespace std::chrono_literals;

const Grant ours{"web-1", 0x1111};
const Grant theirs{"web-2", 0x2222};
constexpr Ttl long_enough{30'000};

class Contract : public testing::TestWithParam<StoreKind> {
 protected:
  // The part of the node in which the name is, and another name there: each part counts for itself.
  core::Part part() const {
    const core::PartOf part_of = store->node()->part_of();
    return part_of == nullptr ? core::Part{0} : part_of("name");
  }
  std::string beside(const std::string& name) const {
    return store->node()->part_of() == nullptr ? name : "{name}" + name;
  }
  AcquireRequest acquire(const Grant& grant, Ttl ttl = long_enough) { return {"name", grant, ttl}; }
  AcquireRequest wait(const Grant& grant, const Grant& ticket) {
    AcquireRequest request = acquire(grant);
    request.ticket = ticket;
    return request;
  }
  // The token; 0 where it was not granted.
  static Token token_in(const Reply& reply) {
    const auto* granted = std::get_if<core::Granted>(&reply);
    return granted != nullptr ? granted->token : 0;
  }
  static Held held_in(const Reply& reply) {
    const auto* held = std::get_if<Held>(&reply);
    EXPECT_NE(held, nullptr) << "answer number " << reply.index();
    return held != nullptr ? *held : Held{};
  }
  static KeyAnswer only(const Reply& reply) { return answers_in(reply, 1).front(); }
  static KeyAnswers answers_in(const Reply& reply, std::size_t count) {
    const auto* answers = std::get_if<KeyAnswers>(&reply);
    EXPECT_TRUE(answers != nullptr && answers->size() == count) << "answer number " << reply.index();
    return answers != nullptr && answers->size() == count ? *answers : KeyAnswers(count, KeyAnswer::foreign);
  }
  static const core::Record* closed_in(const Reply& reply) {
    const auto* closed = std::get_if<core::NotOpen>(&reply);
    return closed != nullptr && closed->record.read ? &*closed->record.read : nullptr;
  }
  // Waits until the clock of the store shows that token's time.
  bool clock_shows(Token token) {
    for (int tries = 0; tries < 5'000; ++tries) {
      const auto reply = one.ask(core::ClockRequest{});
      const auto* clock = std::get_if<core::NodeClock>(&reply);
      if (clock != nullptr && clock->unix_time >= std::chrono::microseconds(token)) return true;
      std::this_thread::sleep_for(1ms);
    }
    return false;
  }
  core::KeyState look(const std::string& key = "name") {
    const auto reply = one.ask(core::LookRequest{{key}});
    const auto* states = std::get_if<core::KeyStates>(&reply);
    EXPECT_TRUE(states != nullptr && states->size() == 1);
    return states != nullptr && states->size() == 1 ? states->front() : core::KeyState{};
  }
  core::RenewRequest renew(const Grant& grant, Token token, Ttl ttl = long_enough) {
    return {ttl, {{"name", grant, token}}};
  }
  core::ReassertRequest reassert(const Grant& grant, Token token, bool heal = false) {
    return {long_enough, heal, {{"name", grant, token}}};
  }
  core::ReleaseRequest release(const Grant& grant) { return {"name", grant}; }
  // Of the next one who wants the name, again and again from now on: not before the short lease that was asked for then is over,
  // and as soon as the store says. 0 where it gets none.
  Token token_after_the_end_of(core::Time began) {
    while (runtime::boot_now() < began + can.ends_within) {
      const Token token = token_in(other.ask(acquire(theirs)));
      if (token != 0) {
        EXPECT_GE(runtime::boot_now() - began, short_one) << "two have it";
        return token;
      }
      std::this_thread::sleep_for(20ms);
    }
    ADD_FAILURE() << "nobody gets it within " << can.ends_within.count() << " ms";
    return 0;
  }
  // Every connection is dialled anew after this.
  void lose_everything() {
    store->lose_everything();
    const core::Failure gone{core::Applied::perhaps, core::FailureCode::closed, "restarted"};
    one.drop(gone);
    other.drop(gone);
  }

  const Abilities can = GetParam().can;
  const Ttl short_one = can.shortest;
  // Of a lease that is not to end within a test.
  const Ttl medium = std::clamp(10 * can.shortest, Ttl(1'000), Ttl(10'000));
  std::unique_ptr<Store> store = GetParam().make();
  Asking one{store->node()};
  Asking other{store->node()};
};

TEST_P(Contract, AConnectionIsAdmittedWithTheRecordBeforeItsFirstAnswer) {
  EXPECT_FALSE(one.admitted());
  EXPECT_NE(token_in(one.ask(acquire(ours))), 0U);
  ASSERT_TRUE(one.admitted());
  EXPECT_EQ(one.admitted()->terms, Store::terms());
  EXPECT_TRUE(one.admitted()->open);
}

TEST_P(Contract, ANameIsGrantedOnce) {
  const Token token = token_in(one.ask(acquire(ours)));
  ASSERT_NE(token, 0U);
  const Held held = held_in(other.ask(acquire(theirs)));
  EXPECT_EQ(held.holder, (core::Holder{"web-1", token}));
  ASSERT_TRUE(held.left);
  EXPECT_GT(*held.left, 0ms);
  EXPECT_LE(*held.left, long_enough);
  EXPECT_FALSE(held.ahead) << "who does not wait has no place";
}

TEST_P(Contract, WhoRepeatsAGrantGetsTheSameTokenAndANewTime) {
  const Ttl ttl = can.changes_ttl ? medium : long_enough;
  const Token token = token_in(one.ask(acquire(ours, ttl)));
  ASSERT_NE(token, 0U);
  EXPECT_EQ(token_in(one.ask(acquire(ours))), token);
  EXPECT_GT(look().left.value(), medium);
}

TEST_P(Contract, TokensGrowFromGrantToGrantAndFromNameToName) {
  Token last = 0;
  for (int i = 0; i < 5; ++i) {
    const Grant grant{"web-1", static_cast<std::uint64_t>(i + 1)};
    const Token token = token_in(one.ask(acquire(grant)));
    EXPECT_GT(token, last);
    EXPECT_EQ(only(one.ask(release(grant))), KeyAnswer::done);
    const Token elsewhere =
        token_in(other.ask(AcquireRequest{beside("n" + std::to_string(i)), grant, long_enough}));
    EXPECT_GT(elsewhere, token);
    last = elsewhere;
  }
}

TEST_P(Contract, ALeaseEndsWithItsTime) {
  const core::Time began = runtime::boot_now();
  const Token before = token_in(one.ask(acquire(ours, short_one)));
  ASSERT_NE(before, 0U);
  if (can.ends_within > Ttl::zero()) {
    const Token next = token_after_the_end_of(began);
    EXPECT_GT(next, before);
    EXPECT_EQ(only(other.ask(renew(theirs, next))), KeyAnswer::done) << "it is the token that it was told";
    EXPECT_NE(only(one.ask(renew(ours, before))), KeyAnswer::done);
    const auto shown = Asking(store->node()).ask(core::LookRequest{{"name"}});
    EXPECT_EQ(std::get<core::KeyStates>(shown).at(0).holder.value(), (core::Holder{"web-2", next}));
    return;
  }
  std::this_thread::sleep_for(short_one + 20ms);
  EXPECT_FALSE(look().exists());
  EXPECT_EQ(only(one.ask(renew(ours, before))), KeyAnswer::missing);
  EXPECT_GT(token_in(other.ask(acquire(theirs))), before);
}

TEST_P(Contract, OnlyItsGrantRenewsALease) {
  const Token token = token_in(one.ask(acquire(ours, can.changes_ttl ? medium : long_enough)));
  EXPECT_EQ(only(other.ask(renew(theirs, token))), KeyAnswer::foreign);
  EXPECT_EQ(only(one.ask(renew(ours, token + 1))), KeyAnswer::foreign)
      << "with another token it is another grant";
  EXPECT_TRUE(!can.changes_ttl || look().left.value() <= medium);
  EXPECT_EQ(only(one.ask(renew(ours, token))), KeyAnswer::done);
  EXPECT_GT(look().left.value(), medium);
}

TEST_P(Contract, ManyLeasesAreRenewedAtOnceEachForItself) {
  const Ttl ttl = can.changes_ttl ? medium : long_enough;
  core::RenewRequest all{long_enough, {}};
  for (int i = 0; i < 50; ++i) {
    const std::string key = "n" + std::to_string(i);
    const Grant grant{"web-1", static_cast<std::uint64_t>(100 + i)};
    all.items.push_back({key, grant, token_in(one.ask(AcquireRequest{key, grant, ttl}))});
  }
  EXPECT_EQ(only(one.ask(core::ReleaseRequest{"n7", all.items[7].grant})), KeyAnswer::done);
  all.items[9].token += 1;
  const KeyAnswers answers = answers_in(one.ask(all), 50);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const auto expected = i == 7 ? KeyAnswer::missing : i == 9 ? KeyAnswer::foreign : KeyAnswer::done;
    EXPECT_EQ(answers[i], expected) << i;
  }
}

TEST_P(Contract, ALeaseIsGivenBackByItsGrantAndMoreThanOnce) {
  ASSERT_NE(token_in(one.ask(acquire(ours))), 0U);
  EXPECT_EQ(only(other.ask(release(theirs))), KeyAnswer::foreign);
  EXPECT_TRUE(look().exists());
  EXPECT_EQ(only(one.ask(release(ours))), KeyAnswer::done);
  EXPECT_FALSE(look().exists());
  EXPECT_EQ(only(one.ask(release(ours))), KeyAnswer::missing);
}

TEST_P(Contract, AConfirmedTokenStandsAndLaterOnesAreLarger) {
  if (!can.confirms) GTEST_SKIP() << "it is never one of several nodes";
  const Token token = token_in(one.ask(acquire(ours)));
  const Token confirmed = token + 1'000;
  EXPECT_EQ(only(other.ask(core::ConfirmRequest{"name", theirs, confirmed})), KeyAnswer::foreign);
  EXPECT_EQ(look().holder.value().token, token);
  EXPECT_EQ(only(one.ask(core::ConfirmRequest{"name", ours, confirmed})), KeyAnswer::done);
  EXPECT_EQ(look().holder.value(), (core::Holder{"web-1", confirmed}));
  EXPECT_EQ(only(one.ask(renew(ours, confirmed))), KeyAnswer::done);
  EXPECT_GT(token_in(one.ask(AcquireRequest{beside("another"), theirs, long_enough})), confirmed);
  EXPECT_EQ(only(one.ask(core::ConfirmRequest{"nobody's", ours, confirmed})), KeyAnswer::missing);
}

// What a client proposes, so that several nodes may mint the same token.
TEST_P(Contract, AProposedTokenIsMintedAboveAllOthersAndNotAheadOfTheClock) {
  if (!can.proposes) GTEST_SKIP() << "it is never one of several nodes";
  const Token before = token_in(one.ask(acquire(ours)));
  AcquireRequest request{beside("another"), theirs, long_enough};
  request.proposal = before + 1'000;
  ASSERT_TRUE(clock_shows(request.proposal));
  const Token minted = token_in(one.ask(request));
  EXPECT_EQ(minted, before + 1'000);
  EXPECT_EQ(only(one.ask(core::RenewRequest{long_enough, {{beside("another"), theirs, minted}}})),
            KeyAnswer::done);

  AcquireRequest repeated = request;
  repeated.proposal = minted + 1'000;
  ASSERT_TRUE(clock_shows(repeated.proposal));
  EXPECT_EQ(token_in(one.ask(repeated)), minted)
      << "who repeats a grant gets its token, whatever it proposes";

  for (const Token late : {minted - 500, minted}) {
    AcquireRequest behind{beside("late" + std::to_string(late)), theirs, long_enough};
    behind.proposal = late;
    const Token next = token_in(one.ask(behind));
    EXPECT_GT(next, minted);
    EXPECT_LT(next, minted + 1'000) << "the next number, as without a proposal";
  }
  AcquireRequest ahead{beside("ahead"), theirs, long_enough};
  ahead.proposal = minted + Token{3'600'000'000};
  EXPECT_LT(token_in(one.ask(ahead)), minted + 1'000) << "what is lost could come again";
}

TEST_P(Contract, ALookShowsWhoHoldsANameAndChangesNothing) {
  EXPECT_EQ(look(), core::KeyState{});
  const Token token = token_in(one.ask(acquire(ours)));
  const core::KeyState state = look();
  EXPECT_EQ(state.holder.value(), (core::Holder{"web-1", token}));
  EXPECT_EQ(state.grant.value(), ours);
  EXPECT_EQ(state.waiters, 0);
  held_in(other.ask(wait(theirs, theirs)));
  EXPECT_EQ(look().waiters, can.queues ? 1 : 0);
  EXPECT_EQ(only(one.ask(renew(ours, token))), KeyAnswer::done);
}

TEST_P(Contract, WhoWaitsIsWokenWhenTheNameIsFree) {
  const auto node = store->node();
  Asking waiter{node};
  Hearing hearing(node, node->wake_ups("web-2"));
  const Grant ticket{"web-2", 0xa};
  ASSERT_NE(token_in(one.ask(acquire(ours))), 0U);
  const Held held = held_in(waiter.ask(wait(theirs, ticket)));
  EXPECT_EQ(held.ahead.has_value(), can.queues);
  EXPECT_FALSE(hearing.next(300ms)) << "it is not free";
  ASSERT_EQ(only(one.ask(release(ours))), KeyAnswer::done);
  const auto message = hearing.next();
  ASSERT_TRUE(message && std::holds_alternative<runtime::WakeUp>(*message));
  EXPECT_EQ(std::get<runtime::WakeUp>(*message).ticket, ticket);
  EXPECT_NE(token_in(waiter.ask(wait(theirs, ticket))), 0U);
}

TEST_P(Contract, WaitersHavePlacesAndTheFirstIsCalledAndGetsTheName) {
  if (!can.queues) GTEST_SKIP() << "it has no queues";
  const auto node = store->node();
  Hearing first(node, node->wake_ups("web-2"));
  Hearing second(node, node->wake_ups("web-3"));
  const Grant ticket{"web-2", 0xa};
  const Grant later{"web-3", 0xb};
  ASSERT_NE(token_in(one.ask(acquire(ours))), 0U);
  EXPECT_EQ(held_in(other.ask(wait(theirs, ticket))).ahead, 0);
  EXPECT_EQ(held_in(other.ask(wait({"web-3", 3}, later))).ahead, 1);
  EXPECT_EQ(held_in(other.ask(wait(theirs, ticket))).ahead, 0) << "who comes again keeps its place";

  EXPECT_EQ(only(one.ask(release(ours))), KeyAnswer::done);
  const auto message = first.next();
  ASSERT_TRUE(message && std::holds_alternative<runtime::WakeUp>(*message));
  EXPECT_EQ(std::get<runtime::WakeUp>(*message).ticket, ticket);
  const Held kept = held_in(one.ask(acquire({"web-4", 4})));
  EXPECT_TRUE(kept.holder.waits) << "the name is kept for who was called";
  EXPECT_NE(token_in(other.ask(wait(theirs, ticket))), 0U);
  EXPECT_EQ(look().waiters, 1);
}

TEST_P(Contract, WhoLeavesTheQueueIsNotCalled) {
  if (!can.queues) GTEST_SKIP() << "it has no queues";
  const auto node = store->node();
  Hearing gone(node, node->wake_ups("web-2"));
  Hearing called(node, node->wake_ups("web-3"));
  const Grant leaving{"web-2", 0xa};
  const Grant staying{"web-3", 0xb};
  ASSERT_NE(token_in(one.ask(acquire(ours))), 0U);
  held_in(other.ask(wait(theirs, leaving)));
  held_in(other.ask(wait({"web-3", 3}, staying)));
  core::ReleaseRequest leave = release(theirs);
  leave.ticket = leaving;
  EXPECT_EQ(only(other.ask(leave)), KeyAnswer::foreign);
  EXPECT_EQ(look().waiters, 1);
  EXPECT_EQ(only(one.ask(release(ours))), KeyAnswer::done);
  const auto message = called.next();
  ASSERT_TRUE(message && std::holds_alternative<runtime::WakeUp>(*message));
  EXPECT_EQ(std::get<runtime::WakeUp>(*message).ticket, staying);
  EXPECT_FALSE(gone.next(100ms));
}

TEST_P(Contract, AStoreThatForgotGivesNothingUntilItsQuarantineIsOver) {
  if (!can.forgets) GTEST_SKIP() << "it forgets nothing";
  const Token token = token_in(one.ask(acquire(ours)));
  lose_everything();
  const Reply refused = other.ask(acquire(theirs));
  const core::Record* record = closed_in(refused);
  ASSERT_NE(record, nullptr) << "answer number " << refused.index();
  EXPECT_FALSE(record->open);
  ASSERT_TRUE(other.admitted());
  EXPECT_EQ(other.admitted()->epoch, record->epoch);

  // Who held something puts it back, with the token that it had.
  EXPECT_EQ(only(one.ask(reassert(ours, token))), KeyAnswer::done);
  EXPECT_EQ(look().holder.value(), (core::Holder{"web-1", token}));

  EXPECT_FALSE(
      std::holds_alternative<core::Opened>(other.ask(core::OpenRequest{"another", record->made_ms, part()})))
      << "only the quarantine that was sat out";
  EXPECT_TRUE(std::holds_alternative<core::Opened>(
      other.ask(core::OpenRequest{record->epoch, record->made_ms, part()})));
  EXPECT_EQ(held_in(other.ask(acquire(theirs))).holder, (core::Holder{"web-1", token}));
  EXPECT_GT(token_in(other.ask(AcquireRequest{beside("free"), theirs, long_enough})), token);
}

TEST_P(Contract, WithoutAQuarantineAGrantIsPutBackOnlyToHeal) {
  const Token token = token_in(one.ask(acquire(ours)));
  ASSERT_EQ(only(one.ask(release(ours))), KeyAnswer::done);
  EXPECT_EQ(only(one.ask(reassert(ours, token))), KeyAnswer::missing);
  EXPECT_FALSE(look().exists());
  if (!can.heals) return;
  EXPECT_EQ(only(one.ask(reassert(ours, token, true))), KeyAnswer::done);
  EXPECT_EQ(look().holder.value(), (core::Holder{"web-1", token}));
  EXPECT_EQ(only(other.ask(reassert(theirs, token + 1, true))), KeyAnswer::foreign) << "never over another's";
}

TEST_P(Contract, ClientsOfOtherTermsGetNothing) {
  if (!can.forgets) GTEST_SKIP() << "it has no record";
  Asking stranger{store->node_of({Ttl(30'000), "1"})};
  const Reply refused = stranger.ask(acquire(ours));
  const core::Record* record = closed_in(refused);
  ASSERT_NE(record, nullptr) << "answer number " << refused.index();
  EXPECT_EQ(record->terms, Store::terms()) << "so that it can be told";
  EXPECT_FALSE(look().exists());
}

TEST_P(Contract, InstancesLiveUntilTheirTimeIsOverOrTheyLeave) {
  if (!can.keeps_fleets) GTEST_SKIP() << "it keeps no fleets";
  const auto node = store->node();
  Hearing changes(node, node->changes("f:"));
  const auto beat = [&](const std::string& id, const std::string& boot, Ttl ttl) {
    return one.ask(core::BeatRequest{"f:", id, {.boot = boot, .weight = 2, .owned = 7}, ttl});
  };
  const auto ids = [](const Reply& reply) {
    std::vector<std::string> all;
    const auto* live = std::get_if<core::LiveMembers>(&reply);
    EXPECT_NE(live, nullptr) << "answer number " << reply.index();
    if (live == nullptr) return all;
    for (const core::Member& member : live->members) {
      all.push_back(member.id);
      EXPECT_EQ(member.weight, 2U);
      EXPECT_EQ(member.owned, 7U);
    }
    return all;
  };
  using Ids = std::vector<std::string>;
  EXPECT_EQ(ids(beat("b", "boot-b", long_enough)), Ids{"b"});
  const auto change = changes.next();
  ASSERT_TRUE(change && std::holds_alternative<core::FleetChange>(*change));
  EXPECT_EQ(std::get<core::FleetChange>(*change), core::FleetChange::instances) << "somebody came";
  EXPECT_EQ(ids(beat("a", "boot-a", short_one)), (Ids{"a", "b"}));
  EXPECT_TRUE(std::holds_alternative<core::IdTaken>(beat("a", "boot-of-another", long_enough)));
  std::this_thread::sleep_for(short_one + 20ms);
  EXPECT_EQ(ids(beat("c", "boot-c", long_enough)), (Ids{"b", "c"}));
  EXPECT_EQ(ids(beat("b", "boot-b", Ttl::zero())), Ids{"c"});
  EXPECT_EQ(
      ids(one.ask(core::BeatRequest{"g:", "x", {.boot = "boot-x", .weight = 2, .owned = 7}, long_enough})),
      Ids{"x"})
      << "another fleet";
}

TEST_P(Contract, AnInstancesListIsThereAsLongAsItLives) {
  if (!can.keeps_fleets) GTEST_SKIP() << "it keeps no fleets";
  const std::vector<core::SessionHash> owned{7, ~core::SessionHash{0}};
  const auto beat = [&](Ttl ttl, std::vector<core::SessionHash> list) {
    return one.ask(core::BeatRequest{"f:", "a", {.boot = "boot", .digest = 5}, ttl, std::move(list)});
  };
  const auto lists = [&] {
    const Reply reply = other.ask(core::ListsRequest{"f:", {"a", "stranger"}});
    const auto* found = std::get_if<core::Lists>(&reply);
    EXPECT_NE(found, nullptr) << "answer number " << reply.index();
    return found != nullptr ? *found : core::Lists{};
  };
  const Reply live = beat(long_enough, {});
  ASSERT_TRUE(std::holds_alternative<core::LiveMembers>(live));
  EXPECT_EQ(std::get<core::LiveMembers>(live).members.at(0).digest, 5U);
  EXPECT_EQ(lists(), (core::Lists{std::vector<core::SessionHash>{}, std::nullopt}));
  beat(short_one, owned);
  EXPECT_EQ(lists(), (core::Lists{owned, std::nullopt}));
  std::this_thread::sleep_for(short_one + 20ms);
  EXPECT_EQ(lists(), (core::Lists{std::nullopt, std::nullopt})) << "its time is over";
  beat(long_enough, owned);
  beat(Ttl::zero(), {});
  EXPECT_EQ(lists(), (core::Lists{std::nullopt, std::nullopt})) << "it has left";
}

TEST_P(Contract, ItsClockGoesOn) {
  const auto first = one.ask(core::ClockRequest{});
  std::this_thread::sleep_for(20ms);
  const auto second = one.ask(core::ClockRequest{});
  ASSERT_TRUE(std::holds_alternative<core::NodeClock>(first) &&
              std::holds_alternative<core::NodeClock>(second));
  const auto passed =
      std::get<core::NodeClock>(second).unix_time - std::get<core::NodeClock>(first).unix_time;
  EXPECT_GE(passed, 15ms);
  EXPECT_LE(passed, 10s);
}

TEST_P(Contract, WhatWasAskedOnADroppedConnectionHasFailedAndTheNextIsAnswered) {
  ASSERT_NE(token_in(one.ask(acquire(ours))), 0U);
  const core::Failure why{core::Applied::perhaps, core::FailureCode::timed_out, "of the test"};
  const core::RequestId first = one.begin(core::LookRequest{{"name"}});
  const core::RequestId second = one.begin(release(ours));
  EXPECT_TRUE(one.waiting());
  one.drop(why);
  EXPECT_FALSE(one.waiting());
  for (const core::RequestId id : {first, second}) {
    const auto reply = one.end(id);
    const auto* failure = std::get_if<core::Failure>(&reply);
    ASSERT_NE(failure, nullptr);
    EXPECT_EQ(failure->detail, "of the test");
  }
  EXPECT_TRUE(std::holds_alternative<core::KeyStates>(one.ask(core::LookRequest{{"name"}})));
}

TEST_P(Contract, SeveralRequestsAtOnceAreAllAnswered) {
  std::vector<core::RequestId> ids;
  for (int i = 0; i < 100; ++i) {
    ids.push_back(one.begin(AcquireRequest{
        beside("n" + std::to_string(i)), {"web-1", static_cast<std::uint64_t>(i + 1)}, long_enough}));
  }
  Token last = 0;
  std::set<Token> all;
  for (const core::RequestId id : ids) {
    const Token token = token_in(one.end(id));
    EXPECT_TRUE(!can.in_order || token > last) << "in the order in which they were asked";
    last = token;
    all.insert(token);
  }
  EXPECT_TRUE(!can.counts_names_together || all.size() == ids.size()) << all.size();
  EXPECT_FALSE(all.contains(0)) << "not granted";
}

INSTANTIATE_TEST_SUITE_P(Stores, Contract, testing::ValuesIn(all_stores()),
                         [](const auto& kind) { return std::string(kind.param.name); });

}  // namespace
}  // namespace tenure::test
