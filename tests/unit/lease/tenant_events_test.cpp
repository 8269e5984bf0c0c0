// What the driver tells the client core, and in which order it hears back.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "core/lease/tenant.hpp"
#include "unit/core/machine.hpp"

namespace tenure::core {
namespace {

struct OfTenant : testing::Test {
  std::optional<Tenant> tenant;
  Actions actions;

  void begin(std::size_t nodes) { tenant.emplace(Tenant::Config{.owner = "us", .nodes = nodes}, Random(1)); }

  // The requests since the last look, in order; the other actions are forgotten.
  std::vector<Send> sent() {
    std::vector<Send> found;
    for (const Action& action : std::exchange(actions, {})) {
      if (const auto* send = std::get_if<Send>(&action)) found.push_back(*send);
    }
    return found;
  }
  template <class Kind>
  std::vector<Send> sent() {
    auto found = sent();
    std::erase_if(found, [](const Send& it) { return !std::holds_alternative<Kind>(it.request); });
    return found;
  }
  void reply(const std::vector<Send>& to, const Reply& reply, Time now) {
    for (const Send& it : to) tenant->on_reply(it.id, reply, now, actions);
  }
  template <class Kind>
  std::size_t told() const {
    return static_cast<std::size_t>(std::ranges::count_if(
        actions, [](const Action& action) { return std::holds_alternative<Kind>(action); }));
  }
  Wish wish(const std::string& key, std::optional<Duration> wait_max = Duration::zero()) const {
    return {.key = key, .timing = timing_of(), .wait_max = wait_max};
  }
};

// F8: the answer that comes first says whether the next one counts.
TEST_F(OfTenant, EveryNodeIsAskedForTheTimeBeforeTheFirstAcquire) {
  begin(3);
  tenant->acquire(wish("a"), at(0s), actions);
  const auto requests = sent();
  ASSERT_EQ(requests.size(), 6U);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(requests[i].node, i / 2);
    EXPECT_EQ(std::holds_alternative<ClockRequest>(requests[i].request), i % 2 == 0);
  }
}

TEST_F(OfTenant, AfterThatAtMostOnceASecondANode) {
  begin(1);
  tenant->acquire(wish("a"), at(0s), actions);
  tenant->acquire(wish("b"), at(0s), actions);
  const auto first = sent<ClockRequest>();
  ASSERT_EQ(first.size(), 1U);
  reply(first, NodeClock{1000h}, at(0s));
  tenant->acquire(wish("c"), at(999ms), actions);
  EXPECT_TRUE(sent<ClockRequest>().empty());
  tenant->acquire(wish("d"), at(1s), actions);
  EXPECT_EQ(sent<ClockRequest>().size(), 1U);
}

TEST_F(OfTenant, ARenewalAsksForTheTimeAndAReleaseDoesNot) {
  begin(1);
  tenant->acquire(wish("a"), at(0s), actions);
  auto requests = sent();
  reply({requests.at(0)}, NodeClock{1000h}, at(0s));
  reply({requests.at(1)}, Granted{7}, at(0s));
  const LeaseId lease = std::get<Acquired>(actions.at(0)).lease;
  actions.clear();
  tenant->on_timer(at(3400ms), actions);
  requests = sent();
  ASSERT_EQ(requests.size(), 2U);
  EXPECT_TRUE(std::holds_alternative<ClockRequest>(requests[0].request));
  EXPECT_TRUE(std::holds_alternative<RenewRequest>(requests[1].request));
  reply({requests[0]}, NodeClock{1000h + 34s}, at(3400ms));
  EXPECT_EQ(told<ClockJumped>(), 1U);
  reply({requests[1]}, KeyAnswers{KeyAnswer::done}, at(3400ms));
  EXPECT_EQ(told<Renewed>(), 1U);  // what is held stays held: only new grants do not count
  actions.clear();
  tenant->release(lease, at(6s), actions);
  EXPECT_EQ(sent().size(), 1U);
}

// T28, T20: two wait in one process, by one channel; each has its own ticket.
TEST_F(OfTenant, ACallGoesToTheWaiterWhoseTicketItNames) {
  begin(1);
  tenant->on_listening(0, true, at(0s));
  std::map<std::string, Grant> tickets;
  for (const std::string key : {"a", "b"}) {
    tenant->acquire(wish(key, std::nullopt), at(0s), actions);
    reply(sent<AcquireRequest>(), Held{{"web-3", 5}, 20s}, at(0s));
    tenant->on_timer(at(0s), actions);
    const auto queued = sent<AcquireRequest>();
    ASSERT_EQ(queued.size(), 1U);
    tickets[key] = std::get<AcquireRequest>(queued[0].request).ticket.value();
    reply(queued, Held{{"web-3", 5}, 20s, 0}, at(0s));
  }
  EXPECT_GT(tenant->wake(), at(20s));
  tenant->on_wake_up(0, Grant("us", 0x0123456789abcdef), 0ms, at(1s));
  EXPECT_GT(tenant->wake(), at(20s));
  tenant->on_wake_up(0, tickets["b"], 0ms, at(1s));
  EXPECT_EQ(tenant->wake(), at(1s));
  tenant->on_timer(at(1s), actions);
  const auto asked = sent<AcquireRequest>();
  ASSERT_EQ(asked.size(), 1U);
  EXPECT_EQ(std::get<AcquireRequest>(asked[0].request).key, "b");
}

// L9: whoever gave up is called no more, and nothing of it stays.
TEST_F(OfTenant, ACallForAWaiterThatHasGoneIsIgnored) {
  begin(1);
  tenant->on_listening(0, true, at(0s));
  const AcquireId id = tenant->acquire(wish("a", std::nullopt), at(0s), actions);
  const auto requests = sent();
  reply({requests.at(0)}, NodeClock{1000h}, at(0s));
  reply({requests.at(1)}, Held{{"web-3", 5}, 20s}, at(0s));
  tenant->on_timer(at(0s), actions);
  const auto queued = sent<AcquireRequest>();
  const auto ticket = std::get<AcquireRequest>(queued.at(0).request).ticket.value();
  reply(queued, Held{{"web-3", 5}, 20s, 0}, at(0s));
  tenant->cancel(id, at(1s), actions);
  const auto left = sent<ReleaseRequest>();
  ASSERT_EQ(left.size(), 1U);
  EXPECT_EQ(std::get<ReleaseRequest>(left[0].request).ticket, ticket);
  reply(left, KeyAnswers{KeyAnswer::missing}, at(1s));
  tenant->on_wake_up(0, ticket, 0ms, at(2s));
  EXPECT_EQ(tenant->wake(), std::nullopt);
  EXPECT_TRUE(tenant->idle());
}

// S7
TEST_F(OfTenant, WhoeverWaitsForAQuarantineGoesOnWhenItIsOver) {
  const NotOpen closed{in_quarantine("e1")};
  for (const bool by_another : {false, true}) {
    begin(1);
    actions.clear();
    tenant->on_admitted({0}, {.terms = {60s}, .epoch = "e1", .longest = 60s}, at(0s));
    tenant->acquire(wish("a", std::nullopt), at(65'990ms), actions);
    reply(sent<AcquireRequest>(), closed, at(65'990ms));
    if (by_another) {
      tenant->on_admitted({0}, {.terms = {60s}, .epoch = "e1", .open = true, .longest = 60s}, at(65'995ms));
    } else {
      tenant->on_timer(at(66s), actions);
      const auto open = sent<OpenRequest>();
      ASSERT_EQ(open.size(), 1U);
      reply(open, Opened{}, at(66s));
    }
    EXPECT_EQ(tenant->wake(), by_another ? at(65'995ms) : at(66s));
  }
}

// Slots of a Cluster: another one is sat out for each, and one that is open says nothing of the others.
TEST_F(OfTenant, EachPartHasAQuarantineOfItsOwn) {
  tenant.emplace(
      Tenant::Config{.owner = "us",
                     .part_of = [](std::string_view key) -> Part { return static_cast<Part>(key.front()); }},
      Random(1));
  tenant->on_admitted({0, 'a'}, {.terms = {60s}, .epoch = "ea", .longest = 60s}, at(0s));
  tenant->on_admitted({0, 'b'}, {.terms = {60s}, .epoch = "eb", .longest = 60s}, at(10s));
  tenant->on_admitted({0, 'c'}, {.terms = {60s}, .epoch = "ec", .open = true, .longest = 60s}, at(10s));
  EXPECT_TRUE(tenant->quarantined(0));
  EXPECT_EQ(tenant->open_by({0}), at(76s));
  EXPECT_EQ(tenant->wake(), at(66s));
  tenant->on_timer(at(66s), actions);
  const auto first = sent<OpenRequest>();
  ASSERT_EQ(first.size(), 1U);
  EXPECT_EQ(std::get<OpenRequest>(first[0].request), (OpenRequest{"ea", 0, 'a'}));
  reply(first, Opened{}, at(66s));
  EXPECT_TRUE(tenant->quarantined(0));
  actions.clear();
  tenant->on_timer(at(76s), actions);
  const auto second = sent<OpenRequest>();
  ASSERT_EQ(second.size(), 1U);
  EXPECT_EQ(std::get<OpenRequest>(second[0].request), (OpenRequest{"eb", 0, 'b'}));
  reply(second, Opened{}, at(76s));
  EXPECT_FALSE(tenant->quarantined(0));
  EXPECT_TRUE(tenant->idle());
}

// T8, T5: every node that might hold it is asked, also those that never confirmed.
TEST_F(OfTenant, AReleaseGoesToAllNodes) {
  begin(3);
  tenant->acquire(wish("a"), at(0s), actions);
  auto requests = sent<AcquireRequest>();
  reply({requests.at(0), requests.at(2)}, Granted{7}, at(0s));
  const LeaseId lease = std::get<Acquired>(actions.at(0)).lease;
  actions.clear();
  tenant->forget(lease, at(1s), actions);
  EXPECT_EQ(sent<ReleaseRequest>().size(), 3U);
}

// T8: the caller is told, and the node that did not answer is cleaned up as soon as it can be reached.
TEST_F(OfTenant, WhatWasReleasedByTheOthersIsCleanedUpWhereItFailed) {
  begin(3);
  tenant->acquire(wish("a"), at(0s), actions);
  reply(sent<AcquireRequest>(), Granted{7}, at(0s));
  const LeaseId lease = std::get<Acquired>(actions.at(0)).lease;
  tenant->release(lease, at(1s), actions);
  const auto releases = sent<ReleaseRequest>();
  reply({releases.at(0), releases.at(1)}, KeyAnswers{KeyAnswer::done}, at(1s));
  reply({releases.at(2)}, failed(Applied::no), at(1s));
  EXPECT_EQ(told<Released>(), 1U);
  auto left = sent<ReleaseRequest>();
  ASSERT_EQ(left.size(), 1U);
  EXPECT_EQ(left[0].node, 2U);
  EXPECT_EQ(std::get<ReleaseRequest>(left[0].request).grant,
            std::get<ReleaseRequest>(releases[0].request).grant);
  reply(left, failed(Applied::no), at(1s));
  tenant->on_timer(at(2s), actions);
  left = sent<ReleaseRequest>();
  ASSERT_EQ(left.size(), 1U);
  reply(left, KeyAnswers{KeyAnswer::done}, at(2s));
  EXPECT_EQ(told<Released>(), 0U);  // nobody waits for it
  EXPECT_EQ(tenant->wake(), std::nullopt);
}

// With each acquisition, as soon as the clocks are known; what a node has minted is not proposed again.
TEST_F(OfTenant, SeveralNodesAreProposedATokenByTheirClocks) {
  begin(3);
  tenant->acquire(wish("a"), at(0s), actions);
  const auto proposed = [&] {
    return std::get<AcquireRequest>(sent<AcquireRequest>().at(0).request).proposal;
  };
  const auto first = sent();
  for (const Send& it : first) {
    const auto* acquire = std::get_if<AcquireRequest>(&it.request);
    if (acquire != nullptr) {
      EXPECT_EQ(acquire->proposal, 0U);
    }
    reply({it}, acquire != nullptr ? Reply(Granted{7}) : Reply(NodeClock{1000h}), at(0s));
  }
  actions.clear();
  const Token time = std::chrono::duration_cast<std::chrono::microseconds>(1000h).count();
  tenant->acquire(wish("b"), at(0s), actions);
  EXPECT_EQ(proposed(), time);
  tenant->acquire(wish("c"), at(0s), actions);
  const auto third = sent<AcquireRequest>();
  EXPECT_EQ(std::get<AcquireRequest>(third.at(0).request).proposal, time + 1);
  reply({third.at(0)}, Granted{time + 5}, at(0s));
  reply({third.at(1)}, Held{{"web-3", time + 9}, 20s}, at(0s));
  tenant->acquire(wish("d"), at(0s), actions);
  EXPECT_EQ(proposed(), time + 10);
}

// L9: the answer that nobody waited for is heard, and then nothing is left.
TEST_F(OfTenant, AnAnswerThatAWonAcquisitionDidNotWaitForIsHeardAndForgotten) {
  for (const Token minted : {7U, 6U}) {
    begin(3);
    actions.clear();
    tenant->acquire(wish("a"), at(0s), actions);
    const auto all = sent();
    std::vector<Send> requests;
    for (const Send& it : all) {
      if (std::holds_alternative<AcquireRequest>(it.request)) {
        requests.push_back(it);
      } else {
        reply({it}, NodeClock{1000h}, at(0s));
      }
    }
    reply({requests.at(0), requests.at(1)}, Granted{7}, at(0s));
    const LeaseId lease = std::get<Acquired>(actions.at(0)).lease;
    reply({requests.at(2)}, Granted{minted}, at(1ms));
    const auto confirms = sent<ConfirmRequest>();
    EXPECT_EQ(confirms.size(), minted == 7 ? 0U : 1U);
    tenant->release(lease, at(1s), actions);
    reply(confirms, KeyAnswers{KeyAnswer::done}, at(1s));
    reply(sent<ReleaseRequest>(), KeyAnswers{KeyAnswer::done}, at(1s));
    EXPECT_TRUE(tenant->idle());
  }
}

// A node of another cap is open to others.
TEST_F(OfTenant, AnAdmissionByAnotherCapEndsNoWait) {
  begin(1);
  tenant->acquire(wish("a", std::nullopt), at(0s), actions);
  reply(sent<AcquireRequest>(), NotOpen{in_quarantine("e1")}, at(0s));
  const auto next = tenant->wake();
  EXPECT_GT(next, at(1ms));
  tenant->on_admitted({0}, {.terms = {30s}, .epoch = "e1", .open = true, .longest = 30s}, at(1ms));
  EXPECT_EQ(tenant->wake(), next);
}

// Missing, but not lapsed: the node has lost its data, and has given it to nobody since. The holder had it
// until now.
TEST_F(OfTenant, ALeaseThatANodeInQuarantineForgotIsReleasedAndNotExpired) {
  struct Case {
    bool quarantined;
    Time released;
    ReleaseOutcome outcome;
  };
  for (const auto& [quarantined, released, outcome] :
       {Case{true, at(3s), ReleaseOutcome::released}, Case{false, at(3s), ReleaseOutcome::expired},
        Case{true, at(9s), ReleaseOutcome::expired}}) {
    begin(1);
    actions.clear();
    tenant->acquire(wish("a"), at(0s), actions);
    reply(sent<AcquireRequest>(), Granted{7}, at(0s));
    const LeaseId lease = std::get<Acquired>(actions.at(0)).lease;
    EXPECT_EQ(tenant->key_of(lease), "a");
    tenant->on_admitted({0}, {.terms = {60s}, .epoch = "e1", .open = !quarantined, .longest = 60s}, at(2s));
    tenant->release(lease, released, actions);
    const auto requests = sent<ReleaseRequest>();
    reply(requests, KeyAnswers{KeyAnswer::missing}, released);
    EXPECT_EQ(std::get<Released>(actions.at(0)).outcome, outcome);
    actions.clear();
  }
}

// In a quorum, only when a majority has forgotten it.
TEST_F(OfTenant, OneNodeInQuarantineOfThreeDoesNotSpeakForTheOthers) {
  for (const NodeIndex quarantined : {1U, 2U}) {
    begin(3);
    actions.clear();
    tenant->acquire(wish("a"), at(0s), actions);
    reply(sent<AcquireRequest>(), Granted{7}, at(0s));
    const LeaseId lease = std::get<Acquired>(actions.at(0)).lease;
    for (NodeIndex node = 0; node < quarantined; ++node) {
      tenant->on_admitted({node}, {.terms = {60s}, .epoch = "e1", .longest = 60s}, at(2s));
    }
    tenant->release(lease, at(3s), actions);
    const auto requests = sent<ReleaseRequest>();
    reply(requests, KeyAnswers{KeyAnswer::missing}, at(3s));
    const auto expected = quarantined == 2 ? ReleaseOutcome::released : ReleaseOutcome::expired;
    EXPECT_EQ(std::get<Released>(actions.at(0)).outcome, expected);
  }
}

// S14
TEST_F(OfTenant, TheSameSeedSendsTheSameRequests) {
  const auto grant = [](std::uint64_t seed) {
    Tenant it({.owner = "us"}, Random(seed));
    Actions asked;
    it.acquire({.key = "a", .timing = timing_of()}, at(0s), asked);
    return std::get<AcquireRequest>(std::get<Send>(asked.at(1)).request).grant;
  };
  EXPECT_EQ(grant(1), grant(1));
  EXPECT_NE(grant(1), grant(2));
}

TEST(TenantDeathTest, ATenantHasAnOwnerAndAtMost31Nodes) {
  EXPECT_DEATH(Tenant({.owner = ""}, Random(1)), "an owner");
  EXPECT_DEATH(Tenant({.owner = "us", .nodes = 32}, Random(1)), "1 to 31 nodes");
  EXPECT_DEATH(Tenant({.owner = "us", .nodes = 0}, Random(1)), "1 to 31 nodes");
}

}  // namespace
}  // namespace tenure::core
