// Five candidates for one name: exactly one leads, and when it dies or leaves, exactly one of the others. E1, E7, F4.
#include <algorithm>
#include <csignal>
#include <list>

#include "support/candidate.hpp"
#include "support/candidate_process.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;

class ElectionCrowdTest : public testing::TestWithParam<std::size_t> {
 protected:
  // The moment before which too many nodes show the key for anybody else to have it.
  core::Time taken_until() {
    const core::Time now = runtime::boot_now();
    std::vector<std::int64_t> left;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      left.push_back(std::max<std::int64_t>(0, nodes[i].command({"PTTL", leader_key}).integer));
    }
    std::ranges::sort(left);
    // Redis rounds, and its clock is another.
    return now + std::chrono::milliseconds(left.at(nodes.size() / 2)) - 5ms;
  }

  Nodes nodes{GetParam()};
  Oracle oracle;
};

INSTANTIATE_TEST_SUITE_P(Nodes, ElectionCrowdTest, testing::Values(1, 3), testing::PrintToStringParamName());

TEST_P(ElectionCrowdTest, OneOfFiveLeadsAndEachThatStopsIsFollowedByOneAtOnce) {  // E1, E7
  Candidates all;
  for (int i = 1; i <= 5; ++i) {
    // So long that nobody leads by somebody's lease running out.
    all.emplace_back(nodes, "web-" + std::to_string(i), ElectionOptions{.lease = 30s});
  }
  {
    std::deque<Eye> eyes;
    for (auto& it : all) eyes.emplace_back(oracle, it.election.candidate_id(), it.election);
    for (auto& it : all) ASSERT_TRUE(it.election.start());
    const auto begun = BootClock::now();
    std::uint64_t term = 0;
    for (std::size_t left = 5; left > 0; --left) {
      ASSERT_TRUE(wait_until([&] { return leading(all) == 1; }, 20s)) << left;
      const auto leader = std::ranges::find_if(all, [](auto& it) { return it.election.is_leader(); });
      EXPECT_GT(*leader->election.term(), term);
      term = *leader->election.term();
      for (auto& it : all) {
        if (it.told.all().size() == 2) continue;  // it has left
        EXPECT_TRUE(wait_until([&] {
          return it.election.current_leader() == Leader{leader->client.id(), term};
        })) << it.client.id();
      }
      ASSERT_TRUE(leader->election.stop());
    }
    EXPECT_LT(BootClock::now() - begun, 25s) << "five times, and never by a lease that ran out";
    EXPECT_EQ(leading(all), 0U);
  }
  oracle.judge();
  for (const auto& it : all) {
    EXPECT_EQ(it.told.all(), (std::vector<std::string>{"elected", "lost stopped"})) << it.client.id();
  }
  EXPECT_TRUE(nodes.none_has(leader_key));
}

TEST_P(ElectionCrowdTest, WhenTheProcessThatLeadsIsKilledOneOfTheOthersLeadsAfterItsLease) {  // E1, E8
  std::list<CandidateProcess> all;
  for (int i = 1; i <= 5; ++i) all.emplace_back(nodes, "web-" + std::to_string(i), 2s);
  const auto leaders = [&] { return std::ranges::count_if(all, &CandidateProcess::leads); };
  core::Token term = 0;
  std::vector<Oracle::Term> dead;
  while (all.size() > 3) {
    ASSERT_TRUE(wait_until([&] { return leaders() == 1; }, 20s)) << all.front().said();
    const auto leader = std::ranges::find_if(all, &CandidateProcess::leads);
    ASSERT_TRUE(wait_until([&] { return leader->has_said("leads "); }));
    EXPECT_GT(leader->term(), term);
    term = leader->term();
    const core::Time until = taken_until();
    leader->process().send(SIGKILL);
    ASSERT_TRUE(leader->process().wait());
    const core::Time killed = runtime::boot_now();
    const auto terms = leader->terms();
    dead.insert(dead.end(), terms.begin(), terms.end());
    all.erase(leader);

    ASSERT_TRUE(wait_until([&] { return leaders() == 1; }, 20s));
    EXPECT_LT(runtime::boot_now() - killed, 10s);
    const auto next = std::ranges::find_if(all, &CandidateProcess::leads);
    ASSERT_TRUE(wait_until([&] { return next->has_said("leads "); }));
    EXPECT_GE(next->terms().front().from, until) << "the lease of the dead one had not run out";
  }
  // The others leave in peace, and each is followed by the next.
  while (!all.empty()) {
    ASSERT_TRUE(wait_until([&] { return leaders() == 1; }, 20s));
    const auto leader = std::ranges::find_if(all, &CandidateProcess::leads);
    ASSERT_TRUE(wait_until([&] { return leader->has_said("begins "); }));
    leader->process().send(SIGTERM);
    EXPECT_EQ(leader->process().exit_code(), 0);
    EXPECT_EQ(leader->count("told "), 1U) << leader->said();
    EXPECT_TRUE(leader->has_said("lost " + std::to_string(leader->term()) + " stopped drained"))
        << leader->said();
    const auto terms = leader->terms();
    dead.insert(dead.end(), terms.begin(), terms.end());
    all.erase(leader);
  }
  EXPECT_TRUE(nodes.none_has(leader_key));
  EXPECT_GE(dead.size(), 4U);
  for (auto& it : dead) oracle.note(std::move(it));
  oracle.judge();
}

TEST_P(ElectionCrowdTest, F4_ALeaderThatWasStoppedPastItsLeaseKnowsItAndCampaignsAgain) {  // T40
  CandidateProcess stopped(nodes, "web-1", 2s);
  ASSERT_TRUE(wait_until([&] { return stopped.has_said("leads ") && stopped.has_said("begins "); }, 20s));
  Candidate other(nodes, "web-2");
  {
    const Eye eye(oracle, "web-2", other.election);
    ASSERT_TRUE(other.election.start());
    ASSERT_TRUE(wait_until([&] { return other.election.current_leader().has_value(); }));
    stopped.process().send(SIGSTOP);
    const core::Time since = runtime::boot_now();
    ASSERT_TRUE(other.wins());
    EXPECT_GT(*other.election.term(), stopped.term());
    // Its last renewal may have been late; it says that it woke up only after most of a lease.
    ASSERT_TRUE(wait_until([&] { return runtime::boot_now() > since + 2s; }));

    stopped.process().send(SIGCONT);
    const std::string term = std::to_string(stopped.term());
    ASSERT_TRUE(wait_until([&] { return stopped.has_said("woke "); }));
    EXPECT_TRUE(stopped.has_said("woke leads=0")) << stopped.said();
    ASSERT_TRUE(wait_until([&] { return stopped.has_said("lost " + term + " not_renewed"); }))
        << stopped.said();
    EXPECT_TRUE(wait_until([&] { return stopped.has_said("told " + term); })) << stopped.said();
    ASSERT_TRUE(wait_until([&] { return stopped.has_said("leader web-2"); })) << stopped.said();
    EXPECT_TRUE(other.election.is_leader());

    ASSERT_TRUE(other.election.stop());
    ASSERT_TRUE(wait_until([&] { return stopped.count("begins ") == 2; }, 20s)) << stopped.said();
    stopped.process().send(SIGTERM);
    EXPECT_EQ(stopped.process().exit_code(), 0);
  }
  for (auto& it : stopped.terms()) oracle.note(std::move(it));
  oracle.judge();
}

TEST_P(ElectionCrowdTest, TheLeadersOwnLengthOfLeaseGoverns) {  // T50
  CandidateProcess patient(nodes, "web-1", 4s);
  ASSERT_TRUE(wait_until([&] { return patient.has_said("leads "); }, 20s));
  Candidate hasty(nodes, "web-2", {.lease = 1s});
  ASSERT_TRUE(hasty.election.start());
  ASSERT_TRUE(wait_until([&] { return hasty.election.current_leader().has_value(); }));
  const core::Time until = taken_until();
  patient.process().send(SIGKILL);
  ASSERT_TRUE(hasty.wins());
  EXPECT_GE(runtime::boot_now(), until) << "a short lease of ours does not shorten theirs";
  ASSERT_TRUE(hasty.election.stop());

  CandidateProcess quick(nodes, "web-3", 1s);
  ASSERT_TRUE(wait_until([&] { return quick.has_said("leads "); }, 20s));
  Candidate slow(nodes, "web-4", {.lease = 60s});
  ASSERT_TRUE(slow.election.start());
  ASSERT_TRUE(wait_until([&] { return slow.election.current_leader().has_value(); }));
  quick.process().send(SIGKILL);
  EXPECT_TRUE(slow.wins(20s)) << "a long lease of ours does not lengthen theirs";
}

}  // namespace
}  // namespace tenure::test
