// Waiters that are stopped or cut off: Redis counts them as listening, and they never come. X13
#include <gtest/gtest.h>

#include <csignal>
#include <deque>
#include <fstream>

#include "runtime/boot_clock.hpp"
#include "support/candidate.hpp"
#include "support/candidate_process.hpp"
#include "support/lease_client.hpp"
#include "support/lease_process.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;

constexpr auto ttl = 30s;
constexpr auto key = "redlock:a";

bool in_queue(Nodes& nodes, const std::string& lease, std::size_t count) {
  return wait_until([&] { return nodes.enrolled(lease) == count; });
}

// Stops a process, and waits until it is.
bool stop(const Process& process) {
  process.send(SIGSTOP);
  return wait_until([&] {
    std::string word;
    std::ifstream stat("/proc/" + std::to_string(process.pid()) + "/stat");
    stat >> word >> word >> word;
    return word == "T";
  });
}

// Waiters at the head of the queue who hear, and do nothing.
struct Silent {
  Silent(Nodes& nodes, std::size_t count) {
    for (std::size_t node = 0; node < nodes.size(); ++node) {
      RedisConnection& ear = ears.emplace_back(nodes[node].socket_path());
      for (std::size_t i = 0; i < count; ++i) {
        const std::string owner = "silent-" + std::to_string(i);
        ear.command({"SUBSCRIBE", "tenure:wake:" + owner});
        nodes[node].command({"RPUSH", "tenure:queue:redlock:a", owner + "#00000000000000aa#"});
      }
    }
  }
  std::deque<RedisConnection> ears;
};

class SilentWaiters : public testing::TestWithParam<std::size_t> {
 protected:
  void SetUp() override { ASSERT_TRUE(lease); }
  struct Served {
    std::size_t which = 0;
    core::Duration after{};
  };
  // Who of those who live has the name after it was given back, if one has it within half the TTL.
  std::optional<Served> next_after(runtime::Lease& given_back) {
    const core::Time begun = runtime::boot_now();
    given_back.release();
    const auto has_it = [](const Wanting& it) { return !it.taken() && it.done(); };
    if (!wait_until([&] { return std::ranges::any_of(waiting, has_it); }, ttl / 2)) return std::nullopt;
    const auto next = std::ranges::find_if(waiting, has_it);
    return Served{static_cast<std::size_t>(next - waiting.begin()), runtime::boot_now() - begun};
  }
  // The third, or, where that came too late for its turn, the fourth; then the other one.
  void expect_both_served(std::size_t silent) {
    const auto first = next_after(*lease);
    ASSERT_TRUE(first) << "they wait for the end of the TTL";
    RecordProperty("ms", static_cast<int>(first->after / 1ms));
    EXPECT_TRUE(first->which == 0 || first->after >= 250ms * (silent + 1)) << "one has overtaken the other";
    EXPECT_GE(first->after, 250ms * (silent - 1)) << "the silent have had their turns";
    lease = waiting[first->which].get();
    ASSERT_TRUE(lease);
    if (nodes.size() == 1) {
      EXPECT_TRUE(in_queue(nodes, key, 1)) << "who was silent has lost its place";
    }
    const auto second = next_after(*lease);
    ASSERT_TRUE(second) << "the other one waits for the end of the TTL";
    lease = waiting[second->which].get();
    ASSERT_TRUE(lease);
  }
  bool enrols(runtime::Client& client) {
    const std::size_t before = nodes.enrolled(key);
    waiting.emplace_back(client, key, wish(ttl, for_ever));
    return in_queue(nodes, key, before + 1);
  }

  Nodes nodes{GetParam()};
  runtime::Client holder = client_of(nodes);
  runtime::Client third = client_of(nodes);
  runtime::Client fourth = client_of(nodes);
  // Of the holder, and then of whoever was served last.
  tl::expected<runtime::Lease, core::Refusal> lease = holder.acquire(key, wish(ttl));
  std::deque<Wanting> waiting;
};

INSTANTIATE_TEST_SUITE_P(Nodes, SilentWaiters, testing::Values(1, 3), testing::PrintToStringParamName());

TEST_P(SilentWaiters, TwoThatAreStoppedDoNotMakeTheNextWaitForATtl) {
  std::deque<Process> stopped;
  for (std::size_t i = 0; i < 2; ++i) {
    stopped.emplace_back(lease_process(nodes, {.key = key, .ttl = ttl, .wait = true, .all_nodes = true}));
    ASSERT_TRUE(in_queue(nodes, key, i + 1)) << stopped.back().err();
  }
  ASSERT_TRUE(enrols(third));
  ASSERT_TRUE(enrols(fourth));
  for (const Process& it : stopped) ASSERT_TRUE(stop(it));

  ASSERT_NO_FATAL_FAILURE(expect_both_served(2));
  // They wake up, and wait anew.
  for (const Process& it : stopped) it.send(SIGCONT);
  ASSERT_TRUE(in_queue(nodes, key, 2));
  lease->release();
  EXPECT_TRUE(wait_until(
      [&] {
        return std::ranges::any_of(stopped, [](const Process& it) { return it.out().starts_with("held "); });
      },
      ttl / 2));
}

// More than are told one by one when to look.
TEST_P(SilentWaiters, ALongRowOfThemEndsToo) {
  const Silent silent(nodes, 11);
  ASSERT_TRUE(enrols(third));
  ASSERT_TRUE(enrols(fourth));
  expect_both_served(11);
}

// Somebody who comes while the name is kept for the silent waits behind those who live.
TEST(SilentWaitersOnOne, ANewcomerDoesNotOvertakeWhoWaits) {
  Nodes nodes(1);
  auto holder = client_of(nodes);
  auto client = client_of(nodes);
  auto newcomer = client_of(nodes);
  auto lease = holder.acquire(key, wish(ttl));
  ASSERT_TRUE(lease);
  const Silent silent(nodes, 3);
  Wanting waiting(client, key, wish(ttl, for_ever));
  ASSERT_TRUE(in_queue(nodes, key, 4));
  const core::Time begun = runtime::boot_now();
  lease->release();
  // The living one's is the last of four turns. What happens after them says nothing.
  while (!waiting.done() && runtime::boot_now() - begun < 900ms) {
    const auto got = newcomer.acquire(key, wish(ttl));
    const auto after = runtime::boot_now() - begun;
    ASSERT_FALSE(got && after < 900ms) << after / 1ms << " ms after the release";
  }
  EXPECT_TRUE(waiting.get());
}

// Where nobody lives, a newcomer waits no longer than the turns of the silent.
TEST(SilentWaitersOnOne, ANameThatOnlyTheSilentWaitForBecomesFree) {
  Nodes nodes(1);
  auto holder = client_of(nodes);
  auto newcomer = client_of(nodes);
  auto lease = holder.acquire(key, wish(ttl));
  ASSERT_TRUE(lease);
  const Silent silent(nodes, 3);
  lease->release();
  Wanting waiting(newcomer, key, wish(ttl, for_ever));
  EXPECT_TRUE(wait_until([&] { return waiting.done(); }, ttl / 2));
  EXPECT_TRUE(waiting.get());
}

// Only what a release writes counts as kept: a value of somebody else that ends like it is left alone.
TEST(SilentWaitersOnOne, AForeignValueIsNotTakenForANameThatIsKept) {
  Nodes nodes(1);
  auto client = client_of(nodes);
  for (const std::string value : {"backup#0399", "x#007", "a#b#01", "a#b#0123456"}) {
    nodes[0].command({"SET", key, value, "PX", "20000"});
    const auto refused = client.acquire(key, wish(ttl, 300ms));
    EXPECT_FALSE(refused) << value;
    EXPECT_EQ(nodes[0].command({"GET", key}).text, value);
  }
}

class SilentCandidates : public testing::TestWithParam<std::size_t> {};

INSTANTIATE_TEST_SUITE_P(Nodes, SilentCandidates, testing::Values(1, 3), testing::PrintToStringParamName());

TEST_P(SilentCandidates, TwoThatAreStoppedDoNotMakeTheNextWaitForALease) {
  constexpr auto length = 15s;
  Nodes nodes(GetParam());
  Candidate leader(nodes, "web-0", {.lease = length});
  ASSERT_TRUE(leader.election.start());
  ASSERT_TRUE(leader.wins());
  std::deque<CandidateProcess> stopped;
  for (std::size_t i = 0; i < 2; ++i) {
    stopped.emplace_back(nodes, "web-" + std::to_string(i + 1), length);
    ASSERT_TRUE(in_queue(nodes, leader_key, i + 1)) << stopped.back().said();
  }
  Candidate next(nodes, "web-3", {.lease = length});
  ASSERT_TRUE(next.election.start());
  ASSERT_TRUE(in_queue(nodes, leader_key, 3));
  for (CandidateProcess& it : stopped) ASSERT_TRUE(stop(it.process()));
  ASSERT_TRUE(leader.election.stop());
  EXPECT_TRUE(next.wins(length / 2)) << "it waits for the end of the lease";
}

}  // namespace
}  // namespace tenure::test
