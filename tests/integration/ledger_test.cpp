#include "poll/ledger.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <vector>

#include "redis/poll/redis_results.hpp"
#include "runtime/boot_clock.hpp"
#include "support/redis_server.hpp"
#include "support/wait.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;
using poll::Ledger;
using poll::Publish;
using poll::WallTime;
using Kind = Ledger::Fate::Kind;
using runtime::boot_now;

const std::string stamp = "here#0123456789abcdef#";

class Ledgers : public ::testing::Test {
 protected:
  // With leases that live elsewhere, unless a test says otherwise.
  void open(const Ledger::Options& options = {}, bool leases_here = false) {
    redis::RedisResults::Place place{.address = redis::parse_url(server_.url()).value(),
                                     .state_prefix = "state:",
                                     .channel_prefix = "poll:events:",
                                     .leases_here = leases_here,
                                     .timeout = 300ms};
    ledger_.emplace(std::make_unique<redis::RedisResults>(std::move(place)), options,
                    Ledger::Listener{[this](const std::string& why) { say("dropping: " + why); },
                                     [this] { say("back"); }});
  }
  void say(const std::string& word) {
    const std::lock_guard lock(mutex_);
    said_.push_back(word);
  }
  std::vector<std::string> said() const {
    const std::lock_guard lock(mutex_);
    return said_;
  }
  static Publish result(std::uint64_t token, const std::string& text = "{}") {
    return {.session = "a",
            .lease = {.key = "poll:lease:a", .value = stamp + std::to_string(token), .token = token},
            .text = text,
            .slot = WallTime(7'000ms),
            .at = WallTime(7'123ms)};
  }
  Kind fate_of(Publish result) {
    std::atomic<int> kind = -1;
    ledger_->write(std::move(result), [&](const Ledger::Fate& fate) { kind = static_cast<int>(fate.kind); });
    EXPECT_TRUE(wait_until([&] { return kind >= 0; }));
    return static_cast<Kind>(kind.load());
  }
  std::optional<WallTime> slot_of(const std::string& session) {
    std::atomic<bool> read = false;
    std::optional<WallTime> found;
    ledger_->read_slot(session, [&](auto slot) {
      found = slot;
      read = true;
    });
    EXPECT_TRUE(wait_until([&] { return read.load(); }));
    return found;
  }

  RedisServer server_;
  mutable std::mutex mutex_;
  std::vector<std::string> said_;
  std::optional<Ledger> ledger_;  // goes first
};

TEST_F(Ledgers, AResultIsStoredAndTheNextOwnerReadsItsSlot) {
  open();
  EXPECT_EQ(slot_of("a"), std::nullopt) << "nobody has polled it";
  EXPECT_EQ(fate_of(result(5, "{\"ok\": true}")), Kind::stored);
  EXPECT_EQ(server_.command({"HGET", "state:a", "result"}).text, "{\"ok\": true}");
  EXPECT_EQ(server_.command({"HGET", "state:a", "token"}).text, "5");
  EXPECT_EQ(server_.command({"HGET", "state:a", "at"}).text, "7123");
  EXPECT_EQ(slot_of("a"), WallTime(7'000ms));
}

TEST_F(Ledgers, AResultIsToldOnItsChannel) {
  open();
  RedisConnection listener(server_.socket_path());
  listener.command({"SUBSCRIBE", "poll:events:a"});
  EXPECT_EQ(fate_of(result(5, "{\"n\": 1}")), Kind::stored);
  EXPECT_EQ(listener.receive().items.at(2).text, "{\"n\": 1}");
}

TEST_F(Ledgers, AStaleResultIsRefusedByRedisItself) {
  open();
  EXPECT_EQ(fate_of(result(6, "new")), Kind::stored);
  EXPECT_EQ(fate_of(result(5, "old")), Kind::outdated);
  open({}, true);
  EXPECT_EQ(fate_of(result(7, "gone")), Kind::lease_gone);
  server_.command({"SET", "poll:lease:a", stamp + "7"});
  EXPECT_EQ(fate_of(result(7, "gone")), Kind::stored);
  EXPECT_EQ(server_.command({"HGET", "state:a", "result"}).text, "gone");
}

TEST_F(Ledgers, AKeyOfAnotherKindHarmsNoOther) {
  server_.command({"SET", "state:a", "by hand"});
  open();
  EXPECT_EQ(fate_of(result(5)), Kind::failed);
  EXPECT_EQ(slot_of("a"), std::nullopt);
  Publish other = result(5);
  other.session = "b";
  EXPECT_EQ(fate_of(other), Kind::stored);
  EXPECT_TRUE(said().empty());
}

TEST_F(Ledgers, WhatIsWrittenWhileRedisIsAwayForAMomentArrives) {
  open();
  EXPECT_EQ(fate_of(result(1)), Kind::stored);
  server_.kill();
  std::atomic<int> stored = 0;
  for (std::uint64_t token = 2; token <= 500; ++token) {
    ledger_->write(result(token),
                   [&](const Ledger::Fate& fate) { stored += fate.kind == Kind::stored ? 1 : 0; });
  }
  std::this_thread::sleep_for(300ms);
  EXPECT_EQ(stored, 0);
  server_.restart();
  EXPECT_TRUE(wait_until([&] { return stored == 499; })) << stored << " (and it knew no script any more)";
  EXPECT_EQ(server_.command({"HGET", "state:a", "token"}).text, "500") << "in their order";
  EXPECT_TRUE(said().empty());
}

TEST_F(Ledgers, WhatCannotBeWrittenForLongIsDroppedWithOneReport) {
  open({.keep_for = 400ms});
  server_.pause();
  std::atomic<int> dropped = 0;
  for (std::uint64_t token = 1; token <= 400; ++token) {
    ledger_->write(result(token),
                   [&](const Ledger::Fate& fate) { dropped += fate.kind == Kind::dropped ? 1 : 0; });
  }
  EXPECT_TRUE(wait_until([&] { return dropped == 400; }));
  EXPECT_EQ(said().size(), 1U);
  EXPECT_TRUE(said().at(0).starts_with("dropping: "));
  server_.resume();
  EXPECT_EQ(fate_of(result(500)), Kind::stored);
  EXPECT_EQ(said().size(), 2U);
  EXPECT_EQ(said().at(1), "back");
}

TEST_F(Ledgers, NoMoreIsKeptThanFits) {
  open({.bytes_max = 10'000'000});
  server_.pause();
  std::atomic<int> dropped = 0;
  std::atomic<int> stored = 0;
  for (std::uint64_t token = 1; token <= 300; ++token) {
    ledger_->write(result(token, std::string(100'000, 'x')),
                   [&](const Ledger::Fate& fate) { (fate.kind == Kind::dropped ? dropped : stored) += 1; });
  }
  std::this_thread::sleep_for(100ms);
  server_.resume();
  EXPECT_TRUE(wait_until([&] { return dropped + stored == 300; }));
  EXPECT_GE(stored, 90);
  EXPECT_GE(dropped, 100);
}

TEST_F(Ledgers, AServerErrorIsWaitedOut) {
  open();
  server_.command({"CONFIG", "SET", "min-replicas-to-write", "1"});
  std::atomic<bool> stored = false;
  ledger_->write(result(1), [&](const Ledger::Fate& fate) { stored = fate.kind == Kind::stored; });
  std::this_thread::sleep_for(300ms);
  EXPECT_FALSE(stored);
  server_.command({"CONFIG", "SET", "min-replicas-to-write", "0"});
  EXPECT_TRUE(wait_until([&] { return stored.load(); }));
}

TEST_F(Ledgers, TheEndWaitsForWhatIsWrittenButNotForARedisThatHangs) {
  open();
  std::atomic<int> told = 0;
  for (std::uint64_t token = 1; token <= 1'000; ++token) {
    ledger_->write(result(token), [&](const Ledger::Fate&) { told += 1; });
  }
  ledger_->drain(boot_now() + 5s);
  EXPECT_EQ(told, 1'000);
  server_.pause();
  ledger_->write(result(2'000), [&](const Ledger::Fate&) { told += 1; });
  const auto began = boot_now();
  ledger_->drain(boot_now() + 200ms);
  ledger_.reset();
  EXPECT_LT(boot_now() - began, 2s);
  EXPECT_EQ(told, 1'001) << "nobody waits for ever for what was dropped";
  server_.resume();
}

}  // namespace
}  // namespace tenure::test
