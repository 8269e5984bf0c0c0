// One failover after the other, each of which loses a grant on purpose. Two of them as a rule, which a slow machine gets through before
// ctest ends the test; for evidence run this program itself with TENURE_FAILOVERS=100.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

#include "support/lease_client.hpp"
#include "support/oracle.hpp"
#include "support/sentinel_group.hpp"

namespace tenure::test {
namespace {

using std::chrono::duration;

// A holder keeps its lease if the failover is over before its deadline, which is 6.5 s or more away when the master dies. A failover
// takes 3 s, and longer where the Sentinels' first vote is split or the machine has much else to do.
constexpr core::Ttl cap{10'000};
const double quarantine = duration<double>(core::quarantine_length(cap)).count();
constexpr double slack = 15;  // seconds, on a machine with much else to do

int rounds_wanted() {
  const char* given = std::getenv("TENURE_FAILOVERS");  // NOLINT(concurrency-mt-unsafe): nobody here sets one
  return given == nullptr ? 2 : std::max(1, std::atoi(given));
}

double seconds_between(core::Time from, core::Time to) { return duration<double>(to - from).count(); }

std::string half_and_most(std::vector<double> values) {
  std::ranges::sort(values);
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "p50 %.2f s, max %.2f s", values[values.size() / 2], values.back());
  return text.data();
}

TEST(Failovers, ThatLoseGrantsMakeNoSecondOwnerAndInterruptNobody) {  // X6, S1, S3, S7
  SentinelGroup group;
  init(group.master(), cap);
  group.wait_for_replication();
  auto holder = client_of({group.address()}, cap);
  auto other = client_of({group.address()}, cap);
  auto rival = client_of({group.address()}, cap);
  Oracle of_one;   // who holds the name that is held all the time
  Oracle of_each;  // and the name that is granted anew in every round, always by a grant that is lost
  std::vector<double> promoted;
  std::vector<double> granted;
  int interrupted = 0;
  {
    auto always = holder.acquire("redlock:always", wish(cap));
    ASSERT_TRUE(always);
    const Watch watch(of_one, "the holder", *always);
    core::Token last = always->token();
    for (int round = 0; round < rounds_wanted(); ++round) {
      SCOPED_TRACE("round " + std::to_string(round + 1));
      group.stop_replicas();
      // A single attempt gives the server a second, which a machine with much else to do may take.
      auto lost = holder.acquire("redlock:each", wish(cap, for_ever));
      ASSERT_TRUE(lost) << static_cast<int>(lost.error().code) << ' '
                        << (lost.error().failures.empty() ? "" : lost.error().failures.front().failure.detail)
                        << '\n'
                        << record_state(group.master()) << '\n'
                        << group.sentinel(0).log();
      EXPECT_GT(lost->token(), last);
      {
        const Watch watch_lost(of_each, "the holder", *lost);
        Wanting wanting(rival, "redlock:each", wish(cap, for_ever));
        Wanting also_wanting(other, "redlock:always", wish(cap, for_ever));
        ASSERT_TRUE(wait_until([&] { return wanting.waits() && also_wanting.waits(); }));

        const core::Time killed = runtime::boot_now();
        RedisServer& after = group.fail_over();
        promoted.push_back(seconds_between(killed, runtime::boot_now()));
        ASSERT_TRUE(lost->held() && always->held())
            << "a replica was promoted after " << promoted.back() << " s\n"
            << group.sentinel(0).log();
        auto next = other.acquire("redlock:new", wish(cap, for_ever));
        ASSERT_TRUE(next);
        granted.push_back(seconds_between(killed, runtime::boot_now()));
        // Not before the quarantine is over, which begins with the first client that sees the promoted server, and soon after.
        EXPECT_GE(granted.back(), quarantine);
        EXPECT_GE(granted.back(), promoted.back());
        EXPECT_LE(granted.back(), promoted.back() + quarantine + slack);
        EXPECT_GT(next->token(), lost->token());
        EXPECT_EQ(record_state(after), "open");
        interrupted += (lost->held() ? 0 : 1) + (always->held() ? 0 : 1);
        EXPECT_FALSE(wanting.done());
        EXPECT_FALSE(also_wanting.done());
        EXPECT_EQ(next->release().outcome, core::ReleaseOutcome::released);

        EXPECT_EQ(lost->release().outcome, core::ReleaseOutcome::released);
        auto handed_on = wanting.get();
        ASSERT_TRUE(handed_on);
        EXPECT_GT(handed_on->token(), next->token());
        last = handed_on->token();
        const Watch watch_next(of_each, "the rival", *handed_on);
        ASSERT_TRUE(is_renewed(*handed_on));
        EXPECT_EQ(handed_on->release().outcome, core::ReleaseOutcome::released);
      }
      group.restart_dead();
      group.wait_until_ready();
    }
    EXPECT_FALSE(always->lost().stop_requested());
  }
  of_one.judge();
  of_each.judge();
  EXPECT_EQ(interrupted, 0);
  std::printf(
      "%zu failovers, each with a lost grant: %d holders interrupted; a replica was promoted after %s; the "
      "next new "
      "grant came after %s, with a cap of %.1f s\n",
      granted.size(), interrupted, half_and_most(promoted).c_str(), half_and_most(granted).c_str(),
      duration<double>(cap).count());
}

}  // namespace
}  // namespace tenure::test
