// A Redis that answers in order until it is asked for one thing, which it does, and then says what no Redis would: nobody takes
// it for success, nobody else's lease suffers, and nothing stays behind.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <deque>

#include "redis/scripts.hpp"
#include "support/bad_replies.hpp"
#include "support/fake_server.hpp"
#include "support/impostor.hpp"
#include "support/lease_client.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;
using core::FailureCode;
using core::RefusalCode;
using core::ReleaseOutcome;

using Command = std::vector<std::string>;

bool runs(const Command& command, const redis::Script& script) {
  return command.size() > 1 && (command[1] == script.sha1 || command[1] == script.body);
}

// Lies where it is asked for that, after it has done it or instead.
class Saboteur {
 public:
  using Where = std::function<bool(const Command&)>;
  enum class Does : std::uint8_t { it, nothing };

  Saboteur(const RedisServer& real, Where where, BadReply bad, Does does = Does::it)
      : name_(bad.name),
        connection_(real.socket_path()),
        server_([this, where = std::move(where), bad = std::move(bad), does](const Command& command) -> Said {
          if (command[0] == "SUBSCRIBE") return where(command) ? bad.said : listening;
          if (does == Does::nothing && where(command)) return bad.said;
          const auto answer = connection_.command(command);
          // One that is to be repeated has not been done.
          const bool lies = where(command) && !answer.text.starts_with("NOSCRIPT");
          return lies ? bad.said : Said(as_bytes(answer));
        }) {}

  const std::string& name() const { return name_; }
  std::string key() const { return "redlock:" + name_; }
  redis::Address address() const { return server_.address(); }
  runtime::Client client() const { return client_of({server_.address()}, cap_default); }

 private:
  static constexpr auto listening = "*3\r\n$9\r\nsubscribe\r\n$1\r\nx\r\n:1\r\n";

  std::string name_;
  RedisConnection connection_;
  FakeServer server_;
};

class BadReplyTest : public ::testing::Test {
 protected:
  // One for each bad reply.
  void sabotage(const Saboteur::Where& where) {
    for (auto& bad : bad_replies()) saboteurs.emplace_back(nodes[0], where, std::move(bad));
  }
  void expect_nothing_left() {
    for (const auto& it : saboteurs) {
      EXPECT_TRUE(wait_until([&] { return nodes.none_has(it.key()); })) << it.name();
    }
  }
  void TearDown() override {
    EXPECT_TRUE(is_renewed(*bystander));
    EXPECT_TRUE(bystander->held());
    EXPECT_FALSE(bystander->lost().stop_requested());
  }

  void expect_refused() {
    for (const auto& it : saboteurs) {
      auto client = it.client();
      const auto refused = client.acquire(it.key(), wish(1s));
      ASSERT_FALSE(refused) << it.name();
      EXPECT_EQ(refused.error().code, RefusalCode::no_quorum) << it.name();
      const auto& failure = refused.error().failures.at(0).failure;
      const bool typed = failure.code == FailureCode::protocol || failure.code == FailureCode::closed ||
                         failure.code == FailureCode::timed_out || failure.code == FailureCode::server;
      EXPECT_TRUE(typed) << it.name() << ": " << static_cast<int>(failure.code) << failure.detail;
      EXPECT_FALSE(failure.detail.empty()) << it.name();
      EXPECT_EQ(failure.detail.find('\x1b'), std::string::npos) << it.name();
    }
    expect_nothing_left();
  }

  Nodes nodes{1};
  runtime::Client good = client_of(nodes);
  tl::expected<runtime::Lease, core::Refusal> bystander = good.acquire("redlock:bystander", wish(1s));
  std::deque<Saboteur> saboteurs;
};

TEST_F(BadReplyTest, ToAnAdmissionIsRefused) {
  sabotage([](const Command& it) { return runs(it, redis::admit_script); });
  expect_refused();
}

TEST_F(BadReplyTest, ToAnAcquireIsRefusedAndWhatWasGrantedIsGivenBack) {  // T11
  sabotage([](const Command& it) { return runs(it, redis::acquire_script); });
  expect_refused();
}

TEST_F(BadReplyTest, ToARenewalIsNoRenewal) {  // T4, S11
  sabotage([](const Command& it) { return runs(it, redis::renew_script); });
  std::vector<runtime::Lease> leases;
  std::deque<runtime::Client> clients;
  for (const auto& it : saboteurs) {
    auto lease = clients.emplace_back(it.client()).acquire(it.key(), wish(1s));
    ASSERT_TRUE(lease) << it.name();
    leases.push_back(std::move(*lease));
  }
  for (std::size_t i = 0; i < leases.size(); ++i) {
    const std::string& name = saboteurs[i].name();
    ASSERT_TRUE(wait_until([&] { return leases[i].lost().stop_requested(); })) << name;
    EXPECT_EQ(leases[i].loss(), core::LossReason::not_renewed) << name;
    EXPECT_TRUE(wait_until([&] { return !leases[i].held(); })) << name;
  }
  leases.clear();
  expect_nothing_left();
}

TEST_F(BadReplyTest, ToAReleaseIsNoSuccessAndTheNameIsFree) {
  sabotage([](const Command& it) { return runs(it, redis::release_script); });
  for (const auto& it : saboteurs) {
    auto client = it.client();
    auto lease = client.acquire(it.key(), wish(1s));
    ASSERT_TRUE(lease) << it.name();
    EXPECT_EQ(lease->release().outcome, ReleaseOutcome::failed) << it.name();
    EXPECT_FALSE(lease->held()) << it.name();
  }
  expect_nothing_left();
}

// A message is a hint: without any the wait takes longer.
TEST_F(BadReplyTest, ToASubscriptionKeepsNobodyFromItsTurn) {  // T27
  sabotage([](const Command& it) { return it[0] == "SUBSCRIBE"; });
  std::deque<runtime::Client> clients;
  std::vector<runtime::Lease> held;
  std::deque<Wanting> waiting;
  for (const auto& it : saboteurs) {
    auto lease = good.acquire(it.key(), wish(1s));
    ASSERT_TRUE(lease) << it.name();
    held.push_back(std::move(*lease));
    waiting.emplace_back(clients.emplace_back(it.client()), it.key(), wish(1s, 20s));
  }
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    EXPECT_TRUE(wait_until([&] { return waiting[i].waits(); })) << saboteurs[i].name();
  }
  held.clear();
  for (std::size_t i = 0; i < waiting.size(); ++i) EXPECT_TRUE(waiting[i].get()) << saboteurs[i].name();
  expect_nothing_left();
}

TEST_F(BadReplyTest, ToALookAtTheClockCostsNoMoreThanTheTry) {
  sabotage([](const Command& it) { return it[0] == "TIME"; });
  for (const auto& it : saboteurs) {
    auto client = it.client();
    // It is granted when the answer to the acquire was there before, else refused.
    const auto lease = client.acquire(it.key(), wish(1s));
    EXPECT_TRUE(lease || lease.error().code == RefusalCode::no_quorum) << it.name();
  }
  expect_nothing_left();
}

// Each node gives another token, one of which must be confirmed. They are ahead of the clocks, so that a client that knows these
// by its second try can propose none that all would give.
void part_counters(Nodes& nodes) {
  constexpr std::uint64_t hour_us = 3'600'000'000;
  for (std::size_t node = 0; node < 3; ++node) {
    nodes[node].command({"INCRBY", "tenure:fence", std::to_string(hour_us + 100 * (node + 1))});
  }
}

// Of three nodes one may say what it likes; two may not.
TEST_F(BadReplyTest, ToAConfirmationIsAVoteThatIsMissing) {  // S3
  Nodes three(3);
  const auto there = three.addresses();
  for (auto& bad : short_bad_replies()) {
    const auto confirms = [](const Command& it) { return runs(it, redis::confirm_script); };
    // Had they done it, the token would stand there, and count when they are asked again.
    const Saboteur first(three[0], confirms, bad, Saboteur::Does::nothing);
    const Saboteur second(three[1], confirms, bad, Saboteur::Does::nothing);
    part_counters(three);
    auto one = client_of({first.address(), there[1], there[2]}, cap_default, {.set = three.set()});
    EXPECT_TRUE(one.acquire("redlock:one", wish(2s))) << bad.name;
    part_counters(three);
    auto two = client_of({first.address(), second.address(), there[2]}, cap_default, {.set = three.set()});
    const auto refused = two.acquire("redlock:two", wish(1s));
    ASSERT_FALSE(refused) << bad.name;
    EXPECT_EQ(refused.error().code, RefusalCode::no_quorum) << bad.name;
    EXPECT_TRUE(wait_until([&] { return three.none_has("redlock:two"); })) << bad.name;
  }
}

#ifndef __SANITIZE_ADDRESS__  // whose own memory is many times ours
TEST_F(BadReplyTest, WithoutEndIsGivenUpBeforeMuchOfItIsKept) {
  const auto acquires = [](const Command& it) { return runs(it, redis::acquire_script); };
  rusage before{};
  getrusage(RUSAGE_SELF, &before);
  for (auto& bad : endless_replies()) {
    const Saboteur saboteur(nodes[0], acquires, bad);
    auto client = saboteur.client();
    for (int i = 0; i < 3; ++i) EXPECT_FALSE(client.acquire(saboteur.key(), wish(1s))) << bad.name;
  }
  rusage after{};
  getrusage(RUSAGE_SELF, &after);
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 100'000) << "kilobytes; an answer may have 16 megabytes";
}
#endif

}  // namespace
}  // namespace tenure::test
