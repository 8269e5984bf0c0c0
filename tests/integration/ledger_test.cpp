#include "poll/ledger.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <vector>

#include "runtime/boot_clock.hpp"
#include "support/redis_server.hpp"
#include "support/wait.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;
using poll::Ledger;
using Kind = Ledger::Fate::Kind;
using runtime::boot_now;

constexpr auto stamp = "here#0123456789abcdef#";

class Ledgers : public ::testing::Test {
 protected:
  Ledger::Options options() const {
    Ledger::Options options;
    options.address = redis::parse_url(server_.url()).value();
    options.timeout = 300ms;
    return options;
  }
  void open(const Ledger::Options& options) {
    ledger_.emplace(options, Ledger::Listener{[this](const std::string& why) { say("dropping: " + why); },
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
  static redis::Result result(std::uint64_t token, const std::string& text = "{}") {
    return {.state = "state:a",
            .stamp = stamp,
            .token = token,
            .text = text,
            .turn = redis::Result::Turn{7'000, 7'123}};
  }
  Kind fate_of(redis::Result result) {
    std::atomic<int> kind = -1;
    ledger_->write(std::move(result), [&](const Ledger::Fate& fate) { kind = static_cast<int>(fate.kind); });
    EXPECT_TRUE(wait_until([&] { return kind >= 0; }));
    return static_cast<Kind>(kind.load());
  }
  std::optional<poll::WallTime> slot_of(const std::string& state) {
    std::atomic<bool> read = false;
    std::optional<poll::WallTime> found;
    ledger_->read_slot(state, [&](auto slot) {
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
  open(options());
  EXPECT_EQ(slot_of("state:a"), std::nullopt) << "nobody has polled it";
  EXPECT_EQ(fate_of(result(5, "{\"ok\": true}")), Kind::stored);
  EXPECT_EQ(server_.command({"HGET", "state:a", "result"}).text, "{\"ok\": true}");
  EXPECT_EQ(server_.command({"HGET", "state:a", "token"}).text, "5");
  EXPECT_EQ(server_.command({"HGET", "state:a", "at"}).text, "7123");
  EXPECT_EQ(slot_of("state:a"), poll::WallTime(7'000ms));
}

TEST_F(Ledgers, AResultIsToldOnItsChannel) {
  open(options());
  RedisConnection listener(server_.socket_path());
  listener.command({"SUBSCRIBE", "poll:events:a"});
  redis::Result told = result(5, "{\"n\": 1}");
  told.channel = "poll:events:a";
  EXPECT_EQ(fate_of(told), Kind::stored);
  EXPECT_EQ(listener.receive().items.at(2).text, "{\"n\": 1}");
}

TEST_F(Ledgers, AStaleResultIsRefusedByRedisItself) {
  open(options());
  EXPECT_EQ(fate_of(result(6, "new")), Kind::stored);
  EXPECT_EQ(fate_of(result(5, "old")), Kind::outdated);
  redis::Result with_lease = result(7, "gone");
  with_lease.lease = "poll:lease:a";
  EXPECT_EQ(fate_of(with_lease), Kind::lease_gone);
  server_.command({"SET", "poll:lease:a", std::string(stamp) + "7"});
  EXPECT_EQ(fate_of(with_lease), Kind::stored);
  EXPECT_EQ(server_.command({"HGET", "state:a", "result"}).text, "gone");
}

TEST_F(Ledgers, AKeyOfAnotherKindHarmsNoOther) {
  server_.command({"SET", "state:a", "by hand"});
  open(options());
  EXPECT_EQ(fate_of(result(5)), Kind::failed);
  EXPECT_EQ(slot_of("state:a"), std::nullopt);
  redis::Result other = result(5);
  other.state = "state:b";
  EXPECT_EQ(fate_of(other), Kind::stored);
  EXPECT_TRUE(said().empty());
}

TEST_F(Ledgers, WhatIsWrittenWhileRedisIsAwayForAMomentArrives) {
  open(options());
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
  auto short_memory = options();
  short_memory.keep_for = 400ms;
  open(short_memory);
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
  auto small = options();
  small.bytes_max = 10'000'000;
  open(small);
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
  open(options());
  server_.command({"CONFIG", "SET", "min-replicas-to-write", "1"});
  std::atomic<bool> stored = false;
  ledger_->write(result(1), [&](const Ledger::Fate& fate) { stored = fate.kind == Kind::stored; });
  std::this_thread::sleep_for(300ms);
  EXPECT_FALSE(stored);
  server_.command({"CONFIG", "SET", "min-replicas-to-write", "0"});
  EXPECT_TRUE(wait_until([&] { return stored.load(); }));
}

TEST_F(Ledgers, TheEndWaitsForWhatIsWrittenButNotForARedisThatHangs) {
  open(options());
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
