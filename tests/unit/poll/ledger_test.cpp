#include "poll/ledger.hpp"

#include <gtest/gtest.h>

#include <mutex>
#include <vector>

#include "runtime/boot_clock.hpp"
#include "support/played_results.hpp"
#include "support/wait.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;
using namespace poll;
using runtime::boot_now;
using Words = std::vector<std::string>;

std::string text(const Ledger::Fate& fate) {
  using enum Ledger::Fate::Kind;
  switch (fate.kind) {
    case stored:
      return "stored";
    case lease_gone:
      return "lease gone: " + fate.detail;
    case outdated:
      return "outdated: " + fate.detail;
    case failed:
      return "failed: " + fate.detail;
    case dropped:
      break;
  }
  return "dropped";
}

// What the ledger says, in order: the fate of each result, the slot of each session, and its own troubles.
class LedgerTest : public ::testing::Test {
 protected:
  void open(const Ledger::Options& options = {}) {
    ledger_.emplace(results_.store(), options,
                    Ledger::Listener{[this](const std::string& why) { say("dropping: " + why); },
                                     [this] { say("back"); }});
  }
  void write(const std::string& session, WallTime slot = {}, const std::string& result = "{}") {
    ledger_->write({.session = session, .text = result, .slot = slot},
                   [this, session](const auto& fate) { say(session + " " + text(fate)); });
  }
  void read(const std::string& session) {
    ledger_->read_slot(session, [this, session](const auto& slot) {
      say(session + (slot ? " was polled for " + std::to_string(slot->time_since_epoch().count())
                          : " was never polled"));
    });
  }
  bool says(const Words& words) {
    return wait_until([&] {
      const std::lock_guard lock(mutex_);
      return said_ == words;
    });
  }
  void say(const std::string& word) {
    const std::lock_guard lock(mutex_);
    said_.push_back(word);
  }

  PlayedResults results_;
  std::mutex mutex_;
  Words said_;
  std::optional<Ledger> ledger_;  // goes first
};

TEST_F(LedgerTest, WhatIsAskedIsAnsweredInItsOrder) {
  results_.be_away("it is away");
  open();
  read("a");
  write("a", WallTime(7'000ms));
  read("a");
  read("b");
  write("a", WallTime(8'000ms));
  read("a");
  results_.be_back();
  EXPECT_TRUE(says({"a was never polled", "a stored", "a was polled for 7000", "b was never polled",
                    "a stored", "a was polled for 8000"}));
}

TEST_F(LedgerTest, WhyAStoreTakesNoResultIsSaid) {
  open();
  results_.answer([](const auto&) { return Published::lease_gone; });
  write("a");
  EXPECT_TRUE(says({"a lease gone: the lease has passed on"}));
  results_.answer([](const auto&) { return Published::outdated; });
  write("b");
  EXPECT_TRUE(
      says({"a lease gone: the lease has passed on", "b outdated: a later owner has stored a result"}));
}

TEST_F(LedgerTest, AResultThatCannotBeStoredHoldsUpNoOther) {
  open();
  results_.answer([](const Publish& result) -> ResultReply {
    if (result.session == "a") return Unstorable{"its key is a list"};
    return Published::stored;
  });
  write("a");
  write("b");
  EXPECT_TRUE(says({"a failed: its key is a list", "b stored"}));
}

TEST_F(LedgerTest, OfABatchOnlyWhatHadNoAnswerIsAskedAgain) {
  open();
  results_.answer([times = 0](const Publish& result) mutable -> ResultReply {
    if (result.session == "a" && times++ < 2) return NoAnswer{};
    return Published::stored;
  });
  write("a");
  write("b");
  EXPECT_TRUE(says({"b stored", "a stored"}));
}

TEST_F(LedgerTest, WhatIsKeptForTooLongIsDroppedWithOneReport) {
  results_.be_away("it is away");
  open({.keep_for = 500ms});
  write("a");
  write("b");
  read("c");
  EXPECT_TRUE(says({"dropping: it is away", "a dropped", "b dropped", "c was never polled"}));
  results_.be_back();
  write("a");
  EXPECT_TRUE(
      says({"dropping: it is away", "a dropped", "b dropped", "c was never polled", "back", "a stored"}));
}

TEST_F(LedgerTest, ASlotThatCannotBeReadIsNoReport) {
  results_.be_away("it is away");
  open({.keep_for = 50ms});
  read("a");
  EXPECT_TRUE(says({"a was never polled"}));
}

TEST_F(LedgerTest, MoreThanFitsIsDropped) {
  open({.bytes_max = 10});
  write("a", {}, std::string(11, 'x'));
  EXPECT_TRUE(says({"dropping: there are too many at once", "a dropped"}));
  EXPECT_EQ(results_.times_asked(), 0U);
}

TEST_F(LedgerTest, InAHurryEachResultIsTriedOnce) {
  results_.be_away("it is away");
  open();
  ledger_->hurry(boot_now());
  write("a");
  EXPECT_TRUE(says({"dropping: it is away", "a dropped"}));
  EXPECT_EQ(results_.times_asked(), 1U);
}

TEST_F(LedgerTest, TheEndDropsWhatIsLeft) {
  results_.be_away("it is away");
  open();
  write("a");
  ledger_->drain(boot_now() + 10ms);
  ledger_.reset();
  EXPECT_TRUE(says({"a dropped"}));
}

}  // namespace
}  // namespace tenure::test
