// Slots move to another master and back, with the leases in them, while names are held and change hands and a fleet polls. Once as a
// rule; for evidence run this program itself with TENURE_RESHARDINGS=20.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <set>

#include "redis/grant_text.hpp"
#include "support/cluster_records.hpp"
#include "support/lease_client.hpp"
#include "support/oracle.hpp"
#include "support/poll_fleet.hpp"
#include "support/redis_cluster.hpp"

namespace tenure::test {
namespace {

using core::ReleaseOutcome;
using redis::Slot;
using std::chrono::duration;
using namespace std::chrono_literals;

constexpr core::Ttl cap{6'000};
const double quarantine = duration<double>(core::quarantine_length(cap)).count();
constexpr double slack = 15;  // seconds, on a machine with much else to do
constexpr std::size_t shards = 3;
constexpr std::size_t range_length = 320;  // of slots that move from each shard
constexpr std::size_t locks = 20;

int rounds_wanted() {
  const char* given =
      std::getenv("TENURE_RESHARDINGS");  // NOLINT(concurrency-mt-unsafe): nobody here sets one
  return given == nullptr ? 1 : std::max(1, std::atoi(given));
}

double seconds_between(core::Time from, core::Time to) { return duration<double>(to - from).count(); }

std::string half_and_most(std::vector<double> values) {
  std::ranges::sort(values);
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "p50 %.2f s, max %.2f s", values[values.size() / 2], values.back());
  return text.data();
}

std::size_t first_of(std::size_t shard) { return (shard * redis::slots + 2) / shards; }
std::size_t shard_of(Slot slot) { return slot < first_of(1) ? 0 : slot < first_of(2) ? 1 : 2; }
// In a range that moves, as long as the number is less than its length.
Slot slot_in(std::size_t shard, std::size_t number) {
  return static_cast<Slot>(first_of(shard) + 100 + number);
}
bool moves_with_others(Slot slot) {
  const std::size_t number = slot - first_of(shard_of(slot));
  return number >= 100 && number < 100 + range_length;
}
std::string name_in(Slot slot, const std::string& rest = "") {
  return "redlock:{" + redis::tag_of(slot) + "}" + rest;
}

// Two who take turns on a name, until this goes.
class Turns {
 public:
  Turns(std::string name, runtime::Client& one, runtime::Client& another) : name_(std::move(name)) {
    threads_.emplace_back([this, &one](const std::stop_token& stop) { take("one", one, stop); });
    threads_.emplace_back([this, &another](const std::stop_token& stop) { take("another", another, stop); });
  }

  int taken() const { return taken_; }
  void judge() {
    threads_.clear();
    oracle_.judge();
  }

 private:
  void take(const std::string& who, runtime::Client& client, const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      auto lease = client.acquire(name_, wish(cap, for_ever), stop);
      if (!lease) {
        EXPECT_TRUE(stop.stop_requested()) << name_ << ": refused, " << static_cast<int>(lease.error().code);
        return;
      }
      {
        const Watch watch(oracle_, who, *lease);
        std::this_thread::sleep_for(20ms);
      }
      EXPECT_TRUE(lease->held() && !lease->lost().stop_requested()) << name_ << ": lost by " << who;
      // While its slot moves it may have to be asked for again.
      EXPECT_TRUE(wait_until([&] { return lease->release().outcome != ReleaseOutcome::failed; }, 30s));
      taken_ += 1;
    }
  }

  std::string name_;
  Oracle oracle_;
  std::atomic<int> taken_ = 0;
  std::vector<std::jthread> threads_{};
};

struct Granted {
  core::Token token = 0;
  core::Time when{};
};

class ClusterReshard : public ::testing::Test {
 protected:
  void SetUp() override {
    init(cluster_, cap);
    for (std::size_t i = 0; i < locks; ++i) {
      held_slots_.push_back(slot_in(i % shards, i / shards));
      auto lease = (i % 2 == 0 ? one_ : another_).acquire(name_in(held_slots_[i]), wish(cap));
      ASSERT_TRUE(lease) << i;
      held_.push_back(std::move(*lease));
    }
    for (const auto& id : fleet_.sessions()) {
      const Slot slot = redis::slot_of("poll:lease:" + id);
      if (!moves_with_others(slot)) session_slots_.insert(slot);
    }
    for (const std::string id : {"web-1", "web-2"}) fleet_.start(id, fleet_.place(Words{cluster_.url()}));
    ASSERT_TRUE(wait_until([&] { return is_shared(); }, 30s)) << fleet_.told();
    ASSERT_TRUE(fleet_.all_are_polled(core::long_ago)) << fleet_.told();
  }

  // Has each instance half of the sessions?
  bool is_shared() {
    std::map<std::string, std::size_t> shares;
    for (const auto& id : fleet_.sessions()) {
      const std::string key = "poll:lease:" + id;
      const std::string value = cluster_.server(shard_of(redis::slot_of(key))).command({"GET", key}).text;
      const auto holder = redis::read_holder(value);
      if (!value.empty() && !holder.waits && holder.token != 0) shares[holder.owner] += 1;
    }
    return shares["web-1"] == fleet_.sessions().size() / 2 && shares["web-2"] == shares["web-1"];
  }
  std::size_t sessions_taken() const {
    std::size_t taken = 0;
    for (const auto& id : fleet_.sessions()) taken += fleet_.times_taken(id);
    return taken;
  }

  // A part of what each shard has goes to the next one, or comes back from there.
  void move(bool back) {
    const auto one = [&](std::size_t shard, Slot first, Slot last) {
      const std::size_t next = (shard + 1) % shards;
      cluster_.move_slots(first, last, back ? next : shard, back ? shard : next);
      slots_moved_ += last - first + 1U;
    };
    for (std::size_t shard = 0; shard < shards; ++shard)
      one(shard, slot_in(shard, 0), slot_in(shard, range_length - 1));
    for (const Slot slot : session_slots_) one(shard_of(slot), slot, slot);
  }
  void reshard(bool back);
  void see_new_grants(core::Time from, core::Time until);

  RedisCluster cluster_{{.replicas = 0}};
  PollFleet fleet_{{.apart = true, .sessions = 40, .words = {"--ttl", "6s"}, .cap = cap}};
  runtime::Client one_ = client_of({cluster_.address()}, cap);
  runtime::Client another_ = client_of({cluster_.address()}, cap);
  runtime::Client newcomer_ = client_of({cluster_.address()}, cap);
  std::vector<Slot> held_slots_{};
  std::vector<runtime::Lease> held_{};
  std::set<Slot> session_slots_{};
  std::size_t slots_moved_ = 0;
  std::vector<double> moving_{};   // how long it took
  std::vector<double> granted_{};  // a new grant in a slot that had moved, after all had
};

// Beside every lock that is held.
void ClusterReshard::see_new_grants(core::Time from, core::Time until) {
  std::vector<std::future<Granted>> grants;
  for (const Slot slot : held_slots_) {
    grants.push_back(std::async(std::launch::async, [this, slot] {
      auto lease = newcomer_.acquire(name_in(slot, "new"), wish(cap, 60s));
      return lease ? Granted{lease->token(), runtime::boot_now()} : Granted{};
    }));
  }
  for (std::size_t i = 0; i < grants.size(); ++i) {
    const Granted granted = grants[i].get();
    ASSERT_NE(granted.token, 0U) << "no new grant in slot " << held_slots_[i];
    EXPECT_GT(granted.token, held_[i].token());
    EXPECT_GE(seconds_between(from, granted.when), quarantine);
    granted_.push_back(seconds_between(until, granted.when));
    EXPECT_LE(granted_.back(), quarantine + slack);
  }
}

void ClusterReshard::reshard(bool back) {
  const core::Time from = runtime::boot_now();
  move(back);
  const core::Time until = runtime::boot_now();
  moving_.push_back(seconds_between(from, until));
  ASSERT_NO_FATAL_FAILURE(see_new_grants(from, until));
  ASSERT_TRUE(fleet_.all_are_polled(until)) << fleet_.told();
}

TEST_F(ClusterReshard, UnderLoadMakesNoSecondOwnerAndInterruptsNobody) {  // S1, S3, S7
  // One in each range that moves, and one that stays.
  std::vector<std::unique_ptr<Turns>> turns;
  for (std::size_t shard = 0; shard < shards; ++shard)
    turns.push_back(std::make_unique<Turns>(name_in(slot_in(shard, 50)), one_, another_));
  turns.push_back(std::make_unique<Turns>(name_in(slot_in(0, range_length + 50)), one_, another_));
  ASSERT_TRUE(
      wait_until([&] { return std::ranges::all_of(turns, [](auto& it) { return it->taken() > 2; }); }));
  const std::size_t taken_before = sessions_taken();  // all of which have been told by now
  int in_turn = 0;
  {
    // Each of another name: what the watches see is that none of them is held again once it was not.
    Oracle of_held;
    std::vector<std::unique_ptr<Watch>> watches;
    for (const auto& lease : held_) watches.push_back(std::make_unique<Watch>(of_held, "the holder", lease));
    for (int round = 0; round < rounds_wanted(); ++round) {
      for (const bool back : {false, true}) {
        SCOPED_TRACE("round " + std::to_string(round + 1) + (back ? ", back" : ", there"));
        ASSERT_NO_FATAL_FAILURE(reshard(back));
        std::printf("%d: moved in %.2f s\n", round + 1, moving_.back());
        std::fflush(stdout);
      }
    }
  }
  const auto interrupted = std::ranges::count_if(
      held_, [](const auto& lease) { return !lease.held() || lease.lost().stop_requested(); });
  EXPECT_EQ(interrupted, 0);
  for (auto& each : turns) {
    each->judge();
    in_turn += each->taken();
  }
  EXPECT_EQ(sessions_taken(), taken_before) << "a session changed its owner\n" << fleet_.told();
  fleet_.judge();
  for (auto& lease : held_) EXPECT_EQ(lease.release().outcome, ReleaseOutcome::released);
  std::printf(
      "%d reshardings, %zu slots moved: %td of %zu holders interrupted; %d turns taken; %zu slots were moved "
      "there or back in %s; the next new grant in a moved slot came after %s, with a cap of %.1f s\n",
      rounds_wanted(), slots_moved_, interrupted, locks, in_turn, slots_moved_ / moving_.size(),
      half_and_most(moving_).c_str(), half_and_most(granted_).c_str(), duration<double>(cap).count());
}

}  // namespace
}  // namespace tenure::test
