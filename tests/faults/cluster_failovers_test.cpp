// One failover of a shard after the other, each of which loses a grant on purpose; every other master is frozen instead of killed. Two of
// them as a rule, which a slow machine gets through before ctest ends the test; for evidence run this program itself with
// TENURE_FAILOVERS=100.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

#include "support/cluster_records.hpp"
#include "support/lease_client.hpp"
#include "support/oracle.hpp"
#include "support/redis_cluster.hpp"

namespace tenure::test {
namespace {

using core::ReleaseOutcome;
using std::chrono::duration;
using namespace std::chrono_literals;

// A holder keeps its lease if the failover is over before its deadline, which is 6.5 s or more away when the master dies. A failover
// takes 2.5 s, and longer where the first vote is split or the machine has much else to do.
constexpr core::Ttl cap{10'000};
const double quarantine = duration<double>(core::quarantine_length(cap)).count();
constexpr double slack = 15;  // seconds, on a machine with much else to do
constexpr std::size_t shards = 3;

int rounds_wanted() {
  const char* given = std::getenv("TENURE_FAILOVERS");  // NOLINT(concurrency-mt-unsafe): nobody here sets one
  return given == nullptr ? 2 : std::max(1, std::atoi(given));
}

double seconds_since(core::Time then) { return duration<double>(runtime::boot_now() - then).count(); }

std::string half_and_most(std::vector<double> values) {
  std::ranges::sort(values);
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "p50 %.2f s, max %.2f s", values[values.size() / 2], values.back());
  return text.data();
}

redis::Slot slot_in(std::size_t shard, std::size_t number) {
  return static_cast<redis::Slot>(((shard * redis::slots + 2) / shards) + 100 + number);
}
std::string name_in(redis::Slot slot, const std::string& rest = "") {
  return "redlock:{" + redis::tag_of(slot) + "}" + rest;
}

class ClusterFailovers : public ::testing::Test {
 protected:
  void SetUp() override {
    init(cluster_, cap);
    cluster_.wait_until_ready();
    for (std::size_t shard = 0; shard < shards; ++shard) {
      auto lease = holder_.acquire(name_in(slot_in(shard, 0)), wish(cap));
      ASSERT_TRUE(lease);
      always_.push_back(std::move(*lease));
    }
  }

  // Which server is to be lost, and what it alone has.
  struct Failing {
    std::size_t shard;
    bool frozen;  // and goes on later, as if it were the master still
    std::size_t master;
    std::size_t replica;
    std::string mark;
  };

  // From here on the replica gets nothing of what the master writes.
  Failing part(int round) {
    const std::size_t shard = static_cast<std::size_t>(round) % shards;
    const std::size_t master = cluster_.master_of(slot_in(shard, 0));
    const std::size_t replica = cluster_.replica_of(master);
    cluster_.stop(replica);
    // A stopped process still has what its kernel takes in, and would apply it when it goes on.
    EXPECT_EQ(cluster_.server(master).command({"CLIENT", "KILL", "TYPE", "REPLICA"}).integer, 1);
    const std::string mark = name_in(slot_in(shard, 1), "mark-" + std::to_string(round));
    EXPECT_EQ(cluster_.server(master).command({"SET", mark, "1"}).text, "OK");
    return {shard, round % 2 == 1, master, replica, mark};
  }
  // Returns when the replica is the master, which takes so many seconds.
  void lose(const Failing& failing) {
    const core::Time lost = runtime::boot_now();
    if (failing.frozen)
      cluster_.stop(failing.master);
    else
      cluster_.kill(failing.master);
    cluster_.go_on(failing.replica);
    ASSERT_TRUE(wait_until([&] { return cluster_.is_master(failing.replica); }, 30s))
        << cluster_.server(failing.replica).log();
    promoted_.push_back(seconds_since(lost));
    ASSERT_EQ(cluster_.server(failing.replica).command({"EXISTS", failing.mark}).integer, 0)
        << "the promoted server has what was written after it was stopped";
  }
  void bring_back(const Failing& failing) {
    if (failing.frozen)
      cluster_.go_on(failing.master);
    else
      cluster_.restart(failing.master);
    cluster_.wait_until_ready();
    ASSERT_TRUE(cluster_.is_master(failing.replica));
  }

  bool all_held() const {
    return std::ranges::all_of(
        always_, [](const auto& lease) { return lease.held() && !lease.lost().stop_requested(); });
  }
  int lost_of(const runtime::Lease& lost) const {
    const auto gone = std::ranges::count_if(
        always_, [](const auto& lease) { return !lease.held() || lease.lost().stop_requested(); });
    return static_cast<int>(gone) + (lost.held() && !lost.lost().stop_requested() ? 0 : 1);
  }

  void play(int round);
  void see_new_grants(const Failing& failing, const runtime::Lease& lost, core::Time then);

  RedisCluster cluster_;
  runtime::Client holder_ = client_of({cluster_.address()}, cap);
  runtime::Client other_ = client_of({cluster_.address()}, cap);
  runtime::Client rival_ = client_of({cluster_.address()}, cap);
  std::vector<runtime::Lease> always_{};     // one of each shard
  std::array<Oracle, shards> of_each_{};     // the name that is granted anew, always by a grant that is lost
  std::array<core::Token, shards> last_{};   // in its slot
  std::vector<double> promoted_{};           // seconds after the master was lost
  std::vector<double> granted_{};            // in the slot of the grant that was lost
  std::vector<double> granted_beside_it_{};  // in another shard
  int interrupted_ = 0;
};

// In another shard soon, in this one not before the quarantine of its slot is over, which begins with the first client that sees the
// promoted server, and soon after.
void ClusterFailovers::see_new_grants(const Failing& failing, const runtime::Lease& lost, core::Time then) {
  const redis::Slot beside = slot_in((failing.shard + 1) % shards, 0);
  auto elsewhere = other_.acquire(name_in(beside, "new"), wish(cap, for_ever));
  ASSERT_TRUE(elsewhere);
  granted_beside_it_.push_back(seconds_since(then));
  EXPECT_LT(granted_beside_it_.back(), promoted_.back() + quarantine) << "there is no quarantine";
  EXPECT_EQ(elsewhere->release().outcome, ReleaseOutcome::released);

  auto next = other_.acquire(name_in(slot_in(failing.shard, 1), "new"), wish(cap, for_ever));
  ASSERT_TRUE(next);
  granted_.push_back(seconds_since(then));
  EXPECT_GE(granted_.back(), quarantine);
  EXPECT_GE(granted_.back(), promoted_.back());
  EXPECT_LE(granted_.back(), promoted_.back() + quarantine + slack);
  EXPECT_GT(next->token(), lost.token()) << "tokens that were lost do not come again";
  last_.at(failing.shard) = next->token();
  EXPECT_EQ(next->release().outcome, ReleaseOutcome::released);
}

void ClusterFailovers::play(int round) {
  const Failing failing = part(round);
  const std::string name = name_in(slot_in(failing.shard, 1));
  auto lost = holder_.acquire(name, wish(cap, for_ever));
  ASSERT_TRUE(lost);
  EXPECT_GT(lost->token(), last_.at(failing.shard));
  const std::string value = cluster_.server(failing.master).command({"GET", name}).text;
  const Watch watch(of_each_.at(failing.shard), "the holder", *lost);
  Wanting wanting(rival_, name, wish(cap, for_ever));
  Wanting also_wanting(other_, name_in(slot_in(failing.shard, 0)), wish(cap, for_ever));
  ASSERT_TRUE(wait_until([&] { return wanting.waits() && also_wanting.waits(); }));

  const core::Time then = runtime::boot_now();
  ASSERT_NO_FATAL_FAILURE(lose(failing));
  ASSERT_TRUE(lost->held() && all_held()) << "a replica was promoted after " << promoted_.back() << " s";
  // The holder puts its lease back, with the token that it has.
  EXPECT_TRUE(
      wait_until([&] { return cluster_.server(failing.replica).command({"GET", name}).text == value; }, 10s));
  // Nothing is lost in this slot, and nobody can know. Who asks may not have found the promoted server yet.
  const auto is_told = [&] {
    const auto tried = rival_.acquire(name_in(slot_in(failing.shard, 0), "new"), wish(cap));
    EXPECT_FALSE(tried && seconds_since(then) < quarantine) << "it was granted in quarantine";
    return tried || tried.error().code == core::RefusalCode::not_open;
  };
  EXPECT_TRUE(wait_until(is_told, 5s));
  ASSERT_NO_FATAL_FAILURE(see_new_grants(failing, *lost, then));
  interrupted_ += lost_of(*lost);
  EXPECT_FALSE(wanting.done());
  EXPECT_FALSE(also_wanting.done());

  EXPECT_EQ(lost->release().outcome, ReleaseOutcome::released);
  auto handed_on = wanting.get();
  ASSERT_TRUE(handed_on);
  EXPECT_GT(handed_on->token(), last_.at(failing.shard));
  last_.at(failing.shard) = handed_on->token();
  {
    const Watch watch_next(of_each_.at(failing.shard), "the rival", *handed_on);
    ASSERT_TRUE(is_renewed(*handed_on));
    bring_back(failing);
  }
  EXPECT_TRUE(handed_on->held());
  EXPECT_EQ(handed_on->release().outcome, ReleaseOutcome::released);
}

TEST_F(ClusterFailovers, ThatLoseGrantsMakeNoSecondOwnerAndInterruptNobody) {  // X6, X7, S1, S3, S7
  std::array<Oracle, shards> of_always;
  {
    std::vector<std::unique_ptr<Watch>> watches;
    for (std::size_t shard = 0; shard < shards; ++shard)
      watches.push_back(std::make_unique<Watch>(of_always.at(shard), "the holder", always_.at(shard)));
    for (int round = 0; round < rounds_wanted(); ++round) {
      SCOPED_TRACE("round " + std::to_string(round + 1));
      ASSERT_NO_FATAL_FAILURE(play(round));
      std::printf("%d: promoted after %.2f s, a new grant after %.2f s, in another shard after %.2f s\n",
                  round + 1, promoted_.back(), granted_.back(), granted_beside_it_.back());
      std::fflush(stdout);
    }
    EXPECT_TRUE(all_held());
  }
  for (auto& oracle : of_always) oracle.judge();
  for (auto& oracle : of_each_) oracle.judge();
  EXPECT_EQ(interrupted_, 0);
  std::printf(
      "%zu failovers of a shard, each with a lost grant: %d holders interrupted; the replica was promoted "
      "after %s; "
      "the next new grant in that slot came after %s, with a cap of %.1f s, and in another shard after %s\n",
      granted_.size(), interrupted_, half_and_most(promoted_).c_str(), half_and_most(granted_).c_str(),
      duration<double>(cap).count(), half_and_most(granted_beside_it_).c_str());
}

}  // namespace
}  // namespace tenure::test
