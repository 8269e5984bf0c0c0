// Where in a Cluster requests go, and in which order.
#include "redis/cluster/router.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <random>
#include <set>

#include "redis/grant_text.hpp"
#include "redis/url_parts.hpp"

namespace tenure::redis {
namespace {

using namespace std::chrono_literals;
using core::Applied;
using core::FailureCode;
using core::KeyAnswer;
using core::KeyAnswers;
using core::RequestId;
using Outcomes = std::vector<std::pair<int, core::Reply>>;

const core::Grant grant("us", 0xaa);
const core::Grant other_grant("us", 0xbb);
const core::Failure gone{Applied::perhaps, FailureCode::closed, "gone"};

core::Request acquire(const std::string& key, const core::Grant& by = grant) {
  return core::AcquireRequest{key, by, 10s};
}
core::Request release(const std::string& key, const core::Grant& by = grant) {
  return core::ReleaseRequest{key, by};
}
core::Request renew(const std::vector<std::string>& keys) {
  core::RenewRequest request{10s, {}};
  for (const auto& key : keys) request.items.push_back({key, grant, 7});
  return request;
}
core::Request reassert(const std::vector<std::string>& keys) {
  core::ReassertRequest request{10s, true, {}};
  for (const auto& key : keys) request.items.push_back({key, grant, 7});
  return request;
}
const Value granted = Value::of(5);
const Value done = Value::array({Value::of(1)});

// Half of the slots are served by a, the others by b; the key "a" is in the first half, "b" in the second.
class Routing : public ::testing::Test {
 protected:
  Routing() {
    while (slot_of(in_a) >= 8192) in_a += "x";
    while (slot_of(in_b) < 8192) in_b += "x";
    give_map(both());
  }
  static SlotMap both() {
    SlotMap map;
    map.assign(0, 8191, {.master = {.place = a()}});
    map.assign(8192, 16383, {.master = {.place = b()}});
    return map;
  }
  static HostPort a() { return {"10.0.0.1", 7001}; }
  static HostPort b() { return {"10.0.0.2", 7002}; }
  static HostPort c() { return {"10.0.0.3", 7003}; }

  Router& make(Conversation::Introduce introduce = {}) {
    return router.emplace(Router::Us{.introduce = std::move(introduce)},
                          Router::Limits{.idle_max = 1s, .answers_within = 750ms});
  }
  void give_map(SlotMap map) { router->on_map(std::move(map), now, now, heard); }
  void ask(int id, core::Request request) {
    router->ask(RequestId(static_cast<std::uint64_t>(id)), std::move(request), now, heard);
    router->flush();
  }
  // The server at that place, with a connection.
  Router::ServerId server(const HostPort& where) {
    for (const auto id : router->stirred()) {
      if (!std::ranges::count(open, id)) {
        open.push_back(id);
        router->on_open(id);
      }
    }
    for (const auto id : open) {
      if (router->where(id) == where) return id;
    }
    ADD_FAILURE() << "nobody has asked " << to_text(where);
    return 0;
  }
  // The keys of each command that is said to it: of a script its first, or else the word itself.
  std::vector<std::string> said(const HostPort& where) {
    std::vector<std::string> keys;
    for (const auto& command : router->take_commands(server(where))) {
      const bool is_script = command.front().starts_with("EVAL");
      keys.push_back(is_script && command.at(2) != "0" ? command.at(3) : command.front());
    }
    return keys;
  }
  bool is_quiet(const HostPort& where) {
    const auto stirred = router->stirred();
    return std::ranges::none_of(
        stirred, [&](auto id) { return router->where(id) == where && router->has_commands(id); });
  }
  void answer(const HostPort& where, const Value& value) {
    const auto result = router->on_value(server(where), value, now, heard);
    EXPECT_TRUE(result) << result.error().detail;
    router->flush();
  }
  Value moved(const std::string& key, const HostPort& to) {
    return Value::error("MOVED " + std::to_string(slot_of(key)) + " " + to_text(to));
  }
  Value asks(const std::string& key, const HostPort& to) {
    return Value::error("ASK " + std::to_string(slot_of(key)) + " " + to_text(to));
  }
  void end(const HostPort& where) {
    const auto id = server(where);
    std::erase(open, id);
    router->on_end(id, gone, now, heard);
  }
  Outcomes outcomes() {
    Outcomes all;
    for (auto& [id, reply] : std::exchange(heard.answers, {}))
      all.emplace_back(static_cast<int>(id), std::move(reply));
    return all;
  }
  std::vector<int> answered() {
    std::vector<int> ids;
    for (const auto& [id, reply] : outcomes())
      ids.push_back(std::holds_alternative<core::Failure>(reply) ? -id : id);
    return ids;
  }
  core::Failure only_failure() {
    const auto all = outcomes();
    if (all.size() != 1 || !std::holds_alternative<core::Failure>(all[0].second)) {
      ADD_FAILURE() << "not one failure";
      return {};
    }
    return std::get<core::Failure>(all[0].second);
  }

  core::Time now = core::Time(1'000s);
  Router::Heard heard{};
  std::vector<Router::ServerId> open{};
  std::string in_a = "a";
  std::string in_b = "b";
  std::optional<Router> router{Router(Router::Us{}, {.idle_max = 1s, .answers_within = 750ms})};
};

TEST_F(Routing, ARequestGoesToTheServerOfItsSlot) {
  ask(1, acquire(in_a));
  ask(2, acquire(in_b));
  EXPECT_EQ(said(a()), std::vector{in_a});
  EXPECT_EQ(said(b()), std::vector{in_b});
  answer(b(), granted);
  answer(a(), granted);
  EXPECT_EQ(answered(), (std::vector{2, 1}));
  EXPECT_FALSE(router->waiting());
}

TEST_F(Routing, WithoutAMapEverythingWaitsInOrder) {
  make();
  ask(1, acquire(in_a));
  ask(2, release(in_a, other_grant));
  EXPECT_TRUE(router->wants_map());
  EXPECT_TRUE(router->stirred().empty());
  give_map(both());
  router->flush();
  EXPECT_FALSE(router->wants_map());
  EXPECT_EQ(said(a()), (std::vector{in_a, in_a}));
}

TEST_F(Routing, ASlotThatNobodyServesIsAskedForOnceMoreAndThenAFailure) {
  give_map({});
  now += 1ms;
  ask(1, acquire(in_a));
  EXPECT_TRUE(router->wants_map());
  EXPECT_TRUE(answered().empty());
  give_map({});
  EXPECT_FALSE(router->wants_map());
  const auto failure = only_failure();
  EXPECT_EQ(failure.applied, Applied::no);
  EXPECT_EQ(failure.code, FailureCode::busy);
}

TEST_F(Routing, WhereTheClusterSaysNothingWhatHasNoServerFailsForThatReason) {
  make();
  ask(1, acquire(in_a));
  router->on_no_map({Applied::no, FailureCode::auth, "wrong password"}, now, heard);
  EXPECT_EQ(only_failure().detail, "wrong password");
  EXPECT_FALSE(router->waiting());
}

TEST_F(Routing, ARenewalOfSeveralSlotsIsOneOfEachAndOneAnswer) {
  ask(1, renew({in_a, in_b}));
  EXPECT_EQ(said(a()).size(), 1U);
  EXPECT_EQ(said(b()).size(), 1U);
  answer(a(), done);
  EXPECT_TRUE(answered().empty());
  answer(b(), Value::array({Value::of(0)}));
  const auto all = outcomes();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(std::get<KeyAnswers>(all[0].second), (KeyAnswers{KeyAnswer::done, KeyAnswer::missing}));
  EXPECT_FALSE(router->wake());
}

TEST_F(Routing, AShardThatIsGoneLeavesTheLeasesOfTheOthersAlone) {
  ask(1, renew({in_a, in_b}));
  server(a());
  end(b());
  answer(a(), done);
  const auto all = outcomes();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(std::get<KeyAnswers>(all[0].second), (KeyAnswers{KeyAnswer::done, KeyAnswer::locked}));
}

TEST_F(Routing, AShardThatIsSilentIsGivenUpWhileTheAnswerOfTheOthersIsInTime) {
  ask(1, renew({in_a, in_b}));
  ask(2, acquire(in_b, other_grant));
  const auto silent = server(b());
  answer(a(), done);
  ASSERT_TRUE(router->wake());
  EXPECT_EQ(*router->wake(), now + 750ms);
  now += 700ms;
  EXPECT_TRUE(router->overdue(now, heard).empty());
  now += 50ms;
  EXPECT_EQ(router->overdue(now, heard), std::set{silent});
  router->on_end(silent, core::silence, now, heard);
  const auto all = outcomes();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(std::get<KeyAnswers>(all[0].second), (KeyAnswers{KeyAnswer::done, KeyAnswer::locked}));
  EXPECT_EQ(std::get<core::Failure>(all[1].second).code, FailureCode::timed_out);
  EXPECT_FALSE(router->wake());
}

// Where a trip takes long, and several are needed because all was idle, nothing is saved by giving up.
TEST_F(Routing, ShardsThatAreAllFarAwayAreNotGivenUp) {
  ask(1, renew({in_a, in_b}));
  const auto near = server(a());
  const auto far = server(b());
  for (const auto later : {750ms, 250ms, 250ms}) {
    now += later;
    EXPECT_TRUE(router->overdue(now, heard).empty());
    ASSERT_TRUE(router->wake());
    EXPECT_EQ(*router->wake(), now + 250ms);
  }
  EXPECT_NE(near, far);
  now += 249ms;
  answer(a(), done);
  now += 1ms;
  EXPECT_TRUE(router->overdue(now, heard).empty()) << "the other is about to answer, too";
  answer(b(), done);
  const auto all = outcomes();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(std::get<KeyAnswers>(all[0].second), (KeyAnswers{KeyAnswer::done, KeyAnswer::done}));
  EXPECT_FALSE(router->wake());
}

TEST_F(Routing, AShardThatIsSilentIsGivenUpAMomentAfterAnAnswerThatTookLong) {
  ask(1, renew({in_a, in_b}));
  const auto silent = server(b());
  now += 900ms;
  EXPECT_TRUE(router->overdue(now, heard).empty());
  answer(a(), done);
  now += 250ms;
  EXPECT_EQ(router->overdue(now, heard), std::set{silent});
  router->on_end(silent, core::silence, now, heard);
  const auto all = outcomes();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(std::get<KeyAnswers>(all[0].second), (KeyAnswers{KeyAnswer::done, KeyAnswer::locked}));
}

TEST_F(Routing, AMovedSlotIsAskedOfItsNewServerFromThenOn) {
  ask(1, acquire(in_a));
  said(a());
  answer(a(), moved(in_a, b()));
  EXPECT_TRUE(answered().empty());
  EXPECT_EQ(said(b()), std::vector{in_a});
  answer(b(), granted);
  EXPECT_EQ(answered(), std::vector{1});
  ask(2, acquire(in_a));
  EXPECT_EQ(said(b()), std::vector{in_a});
  EXPECT_FALSE(router->wants_map()) << "b is known";
}

TEST_F(Routing, AServerThatNobodyKnewIsAReasonToLookAtTheMap) {
  ask(1, acquire(in_a));
  answer(a(), moved(in_a, c()));
  EXPECT_TRUE(router->wants_map());
  EXPECT_EQ(said(c()), std::vector{in_a}) << "it goes on all the same";
}

TEST_F(Routing, AServerWithoutAHostIsWhereTheOneIsThatWasAsked) {
  ask(1, acquire(in_a));
  answer(a(), Value::error("MOVED " + std::to_string(slot_of(in_a)) + " :7009"));
  EXPECT_EQ(said({a().host, 7009}), std::vector{in_a});
}

TEST_F(Routing, ServersThatNameEachOtherAreNotAskedForEver) {
  ask(1, acquire(in_a));
  int hops = 0;
  for (; heard.answers.empty(); ++hops) {
    ASSERT_LT(hops, 20);
    const HostPort at = hops % 2 == 0 ? a() : b();
    said(at);
    answer(at, moved(in_a, hops % 2 == 0 ? b() : a()));
  }
  EXPECT_EQ(hops, 6);
  const auto failure = only_failure();
  EXPECT_EQ(failure.applied, Applied::no);
  EXPECT_EQ(failure.code, FailureCode::busy);
}

TEST_F(Routing, ASlotOnItsWayIsAskedForThereAndTheMapStays) {
  ask(1, acquire(in_a));
  said(a());
  answer(a(), asks(in_a, b()));
  EXPECT_EQ(said(b()), (std::vector<std::string>{"ASKING", in_a}));
  answer(b(), Value::status("OK"));
  answer(b(), granted);
  EXPECT_EQ(answered(), std::vector{1});
  ask(2, acquire(in_a));
  EXPECT_EQ(said(a()), std::vector{in_a});
}

TEST_F(Routing, TryAgainAndDownAreFailuresThatChangedNothing) {
  ask(1, acquire(in_a));
  answer(a(), Value::error("TRYAGAIN Multiple keys request during rehashing of slot"));
  auto failure = only_failure();
  EXPECT_EQ(failure.applied, Applied::no);
  EXPECT_EQ(failure.code, FailureCode::busy);
  EXPECT_FALSE(router->wants_map());
  ask(2, acquire(in_a));
  answer(a(), Value::error("CLUSTERDOWN Hash slot not served"));
  failure = only_failure();
  EXPECT_EQ(failure.applied, Applied::no);
  EXPECT_EQ(failure.code, FailureCode::busy);
  EXPECT_TRUE(router->wants_map());
}

// T12
TEST_F(Routing, WhatConcernsASlotGoesBehindWhatWasMovedBeforeIt) {
  ask(1, acquire(in_a));
  ask(2, acquire("{" + in_a + "}other", other_grant));
  ask(3, core::LookRequest{{in_a}});
  said(a());
  answer(a(), moved(in_a, b()));
  // What came later is on its way at a still.
  EXPECT_TRUE(router->stirred() == std::vector{server(a())});
  ask(4, release(in_a));
  answer(a(), moved(in_a, b()));
  EXPECT_TRUE(is_quiet(b()));
  answer(a(), moved(in_a, b()));
  EXPECT_EQ(answered(), std::vector{-1}) << "it was given up: its release is behind it";
  EXPECT_EQ(said(b()), (std::vector<std::string>{"{" + in_a + "}other", in_a, in_a}));
}

// T12
TEST_F(Routing, AnAcquireThatWasTurnedAwayIsNotSentBehindItsRelease) {
  ask(1, acquire(in_a));
  ask(2, release(in_a));
  EXPECT_EQ(said(a()), (std::vector{in_a, in_a}));
  answer(a(), moved(in_a, b()));
  EXPECT_EQ(answered(), std::vector{-1});
  answer(a(), moved(in_a, b()));
  EXPECT_EQ(said(b()), std::vector{in_a});
  answer(b(), Value::array({Value::of(0)}));
  EXPECT_EQ(answered(), std::vector{2});
}

TEST_F(Routing, AnAcquireThatWaitsForAMapIsNotSentWhereItsReleaseIsBehindIt) {
  make();
  ask(1, acquire(in_a));
  ask(2, release(in_a));
  give_map(both());
  router->flush();
  EXPECT_EQ(answered(), std::vector{-1});
  EXPECT_EQ(said(a()), std::vector{in_a});
}

TEST_F(Routing, ASlotWhoseServerChangesIsAskedForWhenTheOldOneHasAnswered) {
  ask(1, acquire(in_a));
  said(a());
  SlotMap map = both();
  map.move(slot_of(in_a), b());
  give_map(map);
  ask(2, release(in_a));
  EXPECT_TRUE(is_quiet(a()));
  EXPECT_TRUE(is_quiet(b()));
  answer(a(), granted);
  EXPECT_EQ(said(b()), std::vector{in_a});
}

TEST_F(Routing, OtherSlotsDoNotWaitForOneThatMoves) {
  std::string second = in_a;
  while (slot_of(second) >= 8192 || slot_of(second) == slot_of(in_a)) second += "y";
  ask(1, acquire(in_a));
  said(a());
  ask(2, acquire(second));
  answer(a(), moved(in_a, b()));
  EXPECT_EQ(said(b()), std::vector{in_a});
  answer(a(), granted);
  EXPECT_EQ(answered(), std::vector{2});
}

TEST_F(Routing, AConnectionThatEndsFailsWhatItCarriedAndNothingElse) {
  ask(1, acquire(in_a));
  ask(2, acquire(in_b));
  said(a());
  said(b());
  end(a());
  const auto failure = only_failure();
  EXPECT_EQ(failure.applied, Applied::perhaps);
  EXPECT_EQ(failure.detail, "10.0.0.1:7001: gone");
  EXPECT_TRUE(router->carries(RequestId{2}));
  answer(b(), granted);
  EXPECT_EQ(answered(), std::vector{2});
}

TEST_F(Routing, AServerThatIsGoneIsAskedAgainOnlyByAnotherMap) {
  ask(1, acquire(in_a));
  said(a());
  now += 1ms;
  end(a());
  answered();
  ask(2, acquire(in_a));
  EXPECT_TRUE(router->wants_map());
  EXPECT_TRUE(is_quiet(a()));
  SlotMap map;
  map.assign(0, 16383, {.master = {.place = b()}});
  router->on_map(map, now, now, heard);
  EXPECT_EQ(said(b()), std::vector{in_a});
}

// It may have been frozen, and replaced.
TEST_F(Routing, AServerThatWasIdleIsAskedOnlyByAMapThatIsNewer) {
  ask(1, acquire(in_a));
  now += 500ms;
  answer(a(), granted);
  now += 700ms;
  ask(2, acquire(in_a));
  EXPECT_TRUE(router->wants_map()) << "what was sent a second ago says nothing, whenever its answer came";
  router->on_map(both(), now - 1001ms, now, heard);
  EXPECT_TRUE(router->wants_map());
  router->on_map(both(), now, now, heard);
  EXPECT_EQ(said(a()), (std::vector{in_a, in_a}));
  answered();
  answer(a(), granted);
  now += 900ms;
  ask(3, acquire(in_a));
  EXPECT_FALSE(router->wants_map());
}

TEST_F(Routing, WhereTheOthersAreSilentAServerThatWasIdleIsAskedAllTheSame) {
  ask(1, acquire(in_a));
  said(a());
  answer(a(), granted);
  answered();
  now += 5s;
  ask(2, acquire(in_a));
  EXPECT_TRUE(is_quiet(a()));
  router->on_no_map(core::silence, now, heard);
  EXPECT_EQ(said(a()), std::vector{in_a});
}

TEST_F(Routing, AServerThatIsNoMasterAnyMoreIsLeft) {
  ask(1, acquire(in_a));
  said(a());
  const auto id = server(a());
  const auto result =
      router->on_value(id, Value::error("READONLY You can't write against a read only replica."), now, heard);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, FailureCode::read_only);
  const auto failure = only_failure();
  EXPECT_NE(failure.detail.find("no master any more"), std::string::npos);
}

TEST_F(Routing, AReassertOfSeveralSlotsIsAskedOnceMoreBehindAnotherAdmission) {
  make([] { return Introduction{"new", 1000}; });
  give_map(both());
  const auto record = [](const std::string& epoch) {
    return Value::string("60000 1 " + epoch + " open life 1700000000000 1700000000000 60000 restarted");
  };
  ask(1, reassert({in_a, in_b}));
  said(a());
  answer(a(), record("e1"));
  answer(b(), record("e1"));
  EXPECT_EQ(heard.admitted.size(), 2U);
  EXPECT_EQ(heard.admitted[0].part, slot_of(in_a));
  answer(b(), done);
  said(a());
  answer(a(), record("e2"));  // not open to that epoch
  answer(a(), record("e2"));  // admitted to this one
  EXPECT_EQ(said(a()).size(), 2U);
  answer(a(), done);
  const auto all = outcomes();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(std::get<KeyAnswers>(all[0].second), (KeyAnswers{KeyAnswer::done, KeyAnswer::done}));

  ask(2, reassert({in_a, in_b}));
  answer(b(), done);
  answer(a(), record("e3"));
  answer(a(), record("e3"));
  answer(a(), record("e4"));
  const auto again = outcomes();
  ASSERT_EQ(again.size(), 1U) << "once, and not for ever";
  EXPECT_EQ(std::get<KeyAnswers>(again[0].second), (KeyAnswers{KeyAnswer::locked, KeyAnswer::done}));
}

TEST_F(Routing, AClockIsThatOfItsServer) {
  const auto clock_of = [&](int id, core::Part part, const HostPort& where) {
    ask(id, core::ClockRequest{part});
    answer(where, Value::array({Value::string("1700000000"), Value::string("5")}));
    const auto all = outcomes();
    return std::get<core::NodeClock>(all.at(0).second).clock;
  };
  const auto first = clock_of(1, 5, a());
  EXPECT_EQ(clock_of(2, 6, a()), first);
  EXPECT_NE(clock_of(3, 16000, b()), first);
}

TEST_F(Routing, WhatIsGivenUpNamesItsServersAndWhatWaitsFailsAtOnce) {
  ask(1, acquire(in_a));
  EXPECT_EQ(router->give_up(RequestId{1}, core::silence, heard), std::set{server(a())});
  EXPECT_TRUE(answered().empty());
  end(a());
  EXPECT_EQ(answered(), std::vector{-1});
  now += 5s;
  ask(2, acquire(in_b));
  EXPECT_TRUE(router->give_up(RequestId{2}, core::silence, heard).empty());
  EXPECT_EQ(answered(), std::vector{-2});
  EXPECT_TRUE(router->give_up(RequestId{3}, core::silence, heard).empty());
}

// A Cluster whose slots move all the time, and whose connections break: it does what it is told by whoever may tell it.
struct MovingCluster {
  struct Asked {
    Command command;
    bool asking = false;
  };
  std::vector<HostPort> hosts;
  std::map<Slot, std::size_t> owner{};
  std::map<Slot, std::size_t> moves_to{};
  std::map<std::string, std::string> shown{};  // by key
  std::mt19937 random;

  std::size_t below(std::size_t n) { return random() % n; }

  void move_something() {
    const auto at = std::next(owner.begin(), static_cast<std::ptrdiff_t>(below(owner.size())));
    if (const auto to = moves_to.find(at->first); to != moves_to.end()) {
      at->second = to->second;
      moves_to.erase(to);
    } else {
      moves_to[at->first] = (at->second + 1 + below(hosts.size() - 1)) % hosts.size();
    }
  }

  Value answer(std::size_t server, const Asked& asked) {
    const Command& command = asked.command;
    if (command.front() == "ASKING") return Value::status("OK");
    const bool renews = command.at(1) == renew_script.sha1 || command.at(1) == renew_script.body;
    const Slot slot = slot_of(command.at(renews ? 4 : 3));
    const auto to = moves_to.find(slot);
    const bool serves = owner.at(slot) == server;
    const bool receives = asked.asking && to != moves_to.end() && to->second == server;
    if (!serves && !receives)
      return Value::error("MOVED " + std::to_string(slot) + " " + to_text(hosts[owner.at(slot)]));
    if (below(20) == 0) return Value::error("TRYAGAIN of the test");
    if (serves && to != moves_to.end() && below(2) == 0)
      return Value::error("ASK " + std::to_string(slot) + " " + to_text(hosts[to->second]));
    return run(command);
  }

  Value run(const Command& command) {
    const std::size_t keys = std::stoul(command.at(2));
    if (command.at(1) == acquire_script.sha1) {
      std::string& value = shown[command.at(3)];
      if (value.empty()) value = command.at(3 + keys + 1);
      if (value == command.at(3 + keys + 1)) return Value::of(5);
      return Value::array({Value::string(value + "5"), Value::of(1000), Value::of(-1)});
    }
    if (command.at(1) == renew_script.sha1) return Value::array({Value::of(1)});
    std::vector<Value> answers;
    for (std::size_t i = 0; i < keys / 2; ++i) {
      std::string& value = shown[command.at(3 + i)];
      const bool is_it = value == command.at(3 + keys + 2 + i);
      if (is_it) value.clear();
      answers.push_back(Value::of(is_it ? 1 : 0));
    }
    return Value::array(std::move(answers));
  }
};

// T12
TEST_F(Routing, HoweverSlotsMoveEverythingIsAnsweredOnceAndWhatWasReleasedIsGone) {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    MovingCluster cluster{.hosts = {a(), b(), c()}, .random = std::mt19937(seed)};
    cluster.owner = {{slot_of(in_a), 0}, {slot_of(in_b), 1}};
    make();
    heard = {};
    open.clear();
    now += 10s;
    give_map(both());
    std::map<Router::ServerId, std::deque<MovingCluster::Asked>> under_way;
    std::map<int, int> answers;
    std::map<int, std::string> releases;  // of what
    std::set<std::string> released;
    std::set<std::uint64_t> given_up;
    int asked = 0;
    const auto listen = [&] {
      for (const auto& [id, reply] : std::exchange(heard.answers, {})) {
        answers[static_cast<int>(id)] += 1;
        const auto release_of = releases.find(static_cast<int>(id));
        if (release_of != releases.end() && std::holds_alternative<KeyAnswers>(reply))
          released.insert(release_of->second);
      }
    };
    const auto break_off = [&](Router::ServerId id) {
      under_way[id].clear();
      std::erase(open, id);
      router->on_end(id, gone, now, heard);
    };
    const auto speak = [&] {
      router->flush();
      for (const auto id : router->stirred()) {
        if (!std::ranges::count(open, id)) {
          open.push_back(id);
          router->on_open(id);
        }
        bool asking = false;
        for (Command& command : router->take_commands(id)) {
          const bool is_asking = command.front() == "ASKING";
          under_way[id].push_back({std::move(command), std::exchange(asking, is_asking)});
        }
      }
    };
    const auto answer_one = [&](Router::ServerId id) {
      auto& queue = under_way[id];
      if (queue.empty()) return;
      const auto index = static_cast<std::size_t>(std::ranges::find(cluster.hosts, router->where(id)) -
                                                  cluster.hosts.begin());
      const Value value = cluster.answer(index, queue.front());
      queue.pop_front();
      if (!router->on_value(id, value, now, heard)) break_off(id);
    };
    for (int step = 0; step < 400; ++step) {
      now += std::chrono::milliseconds(cluster.below(40));
      const std::uint64_t nonce = cluster.below(40) + 1;
      const std::string& key = cluster.below(2) == 0 ? in_a : in_b;
      const core::Grant by("us", nonce);
      switch (cluster.below(12)) {
        case 0:
        case 1:
          if (!given_up.contains(nonce)) ask(++asked, acquire(key, by));
          break;
        case 2:
          given_up.insert(nonce);
          for (const auto& each : {in_a, in_b}) {
            ask(++asked, release(each, by));
            releases[asked] = each + " " + std::to_string(nonce);
          }
          break;
        case 3:
          ask(++asked, renew({in_a, in_b}));
          break;
        case 4:
          cluster.move_something();
          break;
        case 5:
          for (const auto id : router->overdue(now, heard)) break_off(id);
          if (cluster.below(10) == 0 && !open.empty()) break_off(open.front());
          break;
        case 6:
          if (!router->wants_map()) break;
          if (cluster.below(4) == 0) {
            router->on_no_map(core::silence, now, heard);
          } else {
            give_map(both());
          }
          break;
        default:
          speak();
          for (const auto id : std::vector(open)) {
            if (cluster.below(2) == 0) answer_one(id);
          }
      }
      listen();
    }
    for (int i = 0; i < 1000 && router->waiting(); ++i) {
      if (router->wants_map()) give_map(both());
      speak();
      for (const auto id : std::vector(open)) answer_one(id);
      listen();
    }
    EXPECT_FALSE(router->waiting());
    EXPECT_EQ(answers.size(), static_cast<std::size_t>(asked));
    EXPECT_TRUE(std::ranges::all_of(answers, [](const auto& it) { return it.second == 1; }));
    for (const auto& [key, stamp] : cluster.shown) {
      for (const std::uint64_t nonce : given_up) {
        if (stamp != redis::stamp(core::Grant("us", nonce))) continue;
        EXPECT_FALSE(released.contains(key + " " + std::to_string(nonce))) << "its release was overtaken";
      }
    }
  }
}

}  // namespace
}  // namespace tenure::redis
