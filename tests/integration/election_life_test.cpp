// Starting, stopping, waiting, working and closing. E4, E8, T44, T48.
#include <array>
#include <atomic>
#include <future>
#include <stdexcept>
#include <thread>

#include "support/candidate.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;

class ElectionLifeTest : public testing::TestWithParam<std::size_t> {
 protected:
  void pause_all() {
    for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i].pause();
  }
  void resume_all() {
    for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i].resume();
  }

  Nodes nodes{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(Nodes, ElectionLifeTest, testing::Values(1, 3), testing::PrintToStringParamName());

using Story = std::vector<std::string>;

TEST_P(ElectionLifeTest, ItCanBeStartedAgainAndTermsGrow) {  // E4
  Candidate one(nodes, "web-1");
  EXPECT_TRUE(one.election.stop()) << "what does not run is stopped";
  for (int round = 0; round < 5; ++round) {
    ASSERT_TRUE(one.election.start());
    ASSERT_TRUE(one.election.start());
    ASSERT_TRUE(one.wins());
    ASSERT_TRUE(one.election.stop());
    EXPECT_TRUE(one.election.stop());
    EXPECT_FALSE(one.election.current_leader());
  }
  const auto terms = one.terms.all();
  ASSERT_EQ(terms.size(), 5U);
  EXPECT_TRUE(std::ranges::is_sorted(terms, std::less_equal<>()));
  EXPECT_EQ(one.told.all().size(), 10U);
}

TEST_P(ElectionLifeTest, ManyMayStartAndStopItAtOnce) {
  Candidate one(nodes, "web-1");
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 20; ++round) {
        static_cast<void>(one.election.start());  // another thread may be stopping it
        one.election.step_down();
        static_cast<void>(one.election.is_leader());
        static_cast<void>(one.election.current_leader());
        one.election.stop();
      }
    });
  }
  threads.clear();
  ASSERT_TRUE(one.election.stop());
  const auto told = one.told.all();
  EXPECT_EQ(told.size() % 2, 0U);
  for (std::size_t i = 0; i < told.size(); i += 2)
    EXPECT_EQ(told[i], "elected") << "on_lost follows on_elected";
  EXPECT_TRUE(wait_until([&] { return nodes.none_has(leader_key); }));
}

TEST_P(ElectionLifeTest, StoppingACandidateLeavesNothingBehind) {  // E4, T13
  Candidate one(nodes, "web-1");
  Candidate two(nodes, "web-2");
  ASSERT_TRUE(one.election.start());
  ASSERT_TRUE(one.wins());
  ASSERT_TRUE(two.election.start());
  ASSERT_TRUE(wait_until([&] { return nodes.enrolled(leader_key) == 1; }));
  ASSERT_TRUE(two.election.stop());
  EXPECT_TRUE(wait_until([&] { return nodes.enrolled(leader_key) == 0; }));
  EXPECT_TRUE(one.election.is_leader());
}

TEST_P(ElectionLifeTest, AStopThatIsGivenUpGoesOnInTheBackground) {  // E4
  std::atomic<bool> open = false;
  Candidate one(nodes, "web-1", {.lease = 30s});
  one.election.on_lost([&](const TermEnd&) {
    wait_until([&] { return open.load(); }, 30s);
    one.told.add("lost");
  });
  ASSERT_TRUE(one.election.start());
  ASSERT_TRUE(one.wins());
  std::stop_source give_up;
  give_up.request_stop();
  EXPECT_EQ(one.election.stop(give_up.get_token()).error().code, Refusal::Code::cancelled);
  EXPECT_FALSE(one.election.is_leader());
  std::stop_source later;
  auto stopped = std::async(std::launch::async, [&] { return one.election.stop(later.get_token()); });
  EXPECT_EQ(stopped.wait_for(100ms), std::future_status::timeout);
  later.request_stop();
  EXPECT_FALSE(stopped.get());
  open = true;
  EXPECT_TRUE(wait_until([&] { return nodes.none_has(leader_key); }));
  EXPECT_TRUE(one.election.stop());
  EXPECT_EQ(one.told.all(), (Story{"elected", "lost"}));
}

TEST_P(ElectionLifeTest, AWaitForLeadershipEndsAtItsDeadlineByItsTokenOrWithTheElection) {  // E8, T48
  Candidate one(nodes, "web-1");
  Candidate two(nodes, "web-2");
  EXPECT_EQ(two.election.wait_for_leadership().error().code, Refusal::Code::usage) << "it does not run";
  ASSERT_TRUE(one.election.start());
  ASSERT_TRUE(one.wins());
  EXPECT_EQ(one.election.wait_for_leadership(0ms).value(), one.election.term()) << "it leads already";
  ASSERT_TRUE(two.election.start());
  EXPECT_EQ(two.election.wait_for_leadership(50ms).error().code, Refusal::Code::waited);
  ASSERT_TRUE(wait_until([&] { return two.election.current_leader().has_value(); }));
  const auto waited = two.election.wait_for_leadership(0ms).error();
  const auto term = one.election.term().value();
  EXPECT_EQ(waited.holder, (Holder{"web-1", term}));
  EXPECT_EQ(waited.message,
            "waited too long to lead myapp:leader: web-1 leads (term " + std::to_string(term) + ")");
  std::stop_source stop;
  auto waits = [&](const std::stop_token& token) {
    return std::async(std::launch::async,
                      [&two, token] { return two.election.wait_for_leadership(std::nullopt, token); });
  };
  auto by_token = waits(stop.get_token());
  EXPECT_EQ(by_token.wait_for(50ms), std::future_status::timeout);
  stop.request_stop();
  EXPECT_EQ(by_token.get().error().code, Refusal::Code::cancelled);
  // Nobody can see whether the other thread waits yet. Where it came after the stop, it says that nothing runs: once more.
  Refusal stopped;
  ASSERT_TRUE(wait_until([&] {
    EXPECT_TRUE(two.election.start());
    auto by_stop = waits({});
    EXPECT_EQ(by_stop.wait_for(50ms), std::future_status::timeout);
    EXPECT_TRUE(two.election.stop());
    stopped = by_stop.get().error();
    return stopped.code != Refusal::Code::usage;
  }));
  EXPECT_EQ(stopped.code, Refusal::Code::cancelled);
  EXPECT_EQ(stopped.message, "the election myapp:leader was stopped");
  EXPECT_EQ(two.election.wait_for_leadership(1h).error().code, Refusal::Code::usage) << "it does not run";

  ASSERT_TRUE(two.election.start());
  auto by_close = waits({});
  EXPECT_EQ(by_close.wait_for(50ms), std::future_status::timeout);
  two.client.close();
  EXPECT_FALSE(by_close.get());
}

TEST_P(ElectionLifeTest, WorkIsBegunAgainInALaterTerm) {  // E8
  Candidate one(nodes, "web-1");
  std::stop_source stop;
  std::vector<std::uint64_t> terms;
  EXPECT_TRUE(one.election.run(stop.get_token(), [&](const Lease& term) {
    terms.push_back(term.token());
    EXPECT_TRUE(one.election.is_leader());
    if (terms.size() < 3) {
      one.election.step_down();
    } else {
      stop.request_stop();
    }
    EXPECT_TRUE(wait_until([&] { return term.lost().stop_requested(); }));
    EXPECT_EQ(term.loss(), terms.size() < 3 ? Loss::stepped_down : Loss::stopped);
  }));
  EXPECT_EQ(terms.size(), 3U);
  EXPECT_TRUE(std::ranges::is_sorted(terms, std::less_equal<>()));
  EXPECT_EQ(one.terms.all(), terms);
  EXPECT_TRUE(nodes.none_has(leader_key));
}

TEST_P(ElectionLifeTest, RunEndsWhenItIsStoppedBeforeItLeads) {  // E8
  Candidate one(nodes, "web-1");
  Candidate two(nodes, "web-2");
  ASSERT_TRUE(one.election.start());
  ASSERT_TRUE(one.wins());
  std::stop_source stop;
  std::atomic<int> times = 0;
  const auto work = [&](const Lease&) { times += 1; };
  auto by_token = std::async(std::launch::async, [&] { return two.election.run(stop.get_token(), work); });
  ASSERT_TRUE(wait_until([&] { return two.election.current_leader().has_value(); }));
  stop.request_stop();
  EXPECT_TRUE(by_token.get());
  auto by_stop = std::async(std::launch::async, [&] { return two.election.run({}, work); });
  ASSERT_TRUE(wait_until([&] { return two.election.current_leader().has_value(); }));
  EXPECT_TRUE(two.election.stop());
  EXPECT_TRUE(by_stop.get());
  EXPECT_TRUE(two.election.run(stop.get_token(), work));
  EXPECT_EQ(times, 0);
  EXPECT_EQ(two.told.all(), Story{});
}

TEST_P(ElectionLifeTest, NothingOfTheUsersIsCalledOrKeptAfterAllHandlesHaveGone) {
  for (int round = 0; round < 30; ++round) {
    const auto kept = std::make_shared<int>();
    std::atomic<bool> gone = false;
    std::atomic<bool> late = false;
    {
      ClientOptions options = options_for(nodes, "web-1");
      options.on_log = [&, kept](const LogLine&) {
        std::this_thread::sleep_for(1ms);
        if (gone) late = true;
      };
      const Client client = Client::open(options).value();
      auto election = client.election(leader_key, three_seconds()).value();
      election.on_elected([kept](const Lease&) { throw std::runtime_error("say something"); });
      election.on_lost([kept](const TermEnd&) { throw std::runtime_error("and more"); });
      ASSERT_TRUE(election.start());
      ASSERT_TRUE(election.wait_for_leadership(20s));
    }
    gone = true;
    EXPECT_EQ(kept.use_count(), 1) << round;
    if (HasFailure()) std::this_thread::sleep_for(100ms);  // what comes late finds its variables
    ASSERT_FALSE(late);
  }
}

TEST_P(ElectionLifeTest, ClosingTheClientEndsLeadershipAndCampaigns) {
  Candidate one(nodes, "web-1", {.lease = 30s});
  Candidate two(nodes, "web-2", {.lease = 30s});
  Candidate three(nodes, "web-3", {.lease = 30s});
  ASSERT_TRUE(one.election.start());
  ASSERT_TRUE(one.wins());
  ASSERT_TRUE(two.election.start());
  ASSERT_TRUE(wait_until([&] { return nodes.enrolled(leader_key) == 1; }));
  two.client.close();
  EXPECT_TRUE(wait_until([&] { return nodes.enrolled(leader_key) == 0; }));
  EXPECT_TRUE(two.election.stop());
  EXPECT_EQ(two.told.all(), Story{});
  ASSERT_TRUE(three.election.start());
  ASSERT_TRUE(wait_until([&] { return nodes.enrolled(leader_key) == 1; }));
  one.client.close();
  EXPECT_FALSE(one.election.is_leader());
  EXPECT_TRUE(one.election.stop());
  EXPECT_EQ(one.told.all(), (Story{"elected", "lost closed, not drained"}))
      << "the name was given back before";
  EXPECT_TRUE(three.wins()) << "its name was given back";
  EXPECT_EQ(one.election.start().error().code, Refusal::Code::closed);
  EXPECT_EQ(one.election.wait_for_leadership().error().code, Refusal::Code::closed)
      << "of a closed client none can be started";
}

TEST_P(ElectionLifeTest, WorkThatIsNotWaitedForByClosingIsNotDrained) {
  Candidate one(nodes, "web-1", {.lease = 30s});
  std::atomic<bool> works = false;
  std::atomic<bool> open = false;
  auto ran = std::async(std::launch::async, [&] {
    const auto run = one.election.run({}, [&](const Lease& term) {
      works = true;
      EXPECT_TRUE(wait_until([&] { return term.lost().stop_requested(); }));
      EXPECT_EQ(term.loss(), Loss::closed);
      EXPECT_FALSE(term.held());
      wait_until([&] { return open.load(); });
    });
    EXPECT_TRUE(!run && run.error().code == Refusal::Code::closed);
  });
  ASSERT_TRUE(wait_until([&] { return works.load(); }));
  // A handler that has not begun when its client is closed is not called any more.
  ASSERT_TRUE(wait_until([&] { return one.told.all().size() == 1; }));
  one.client.close();
  EXPECT_TRUE(wait_until([&] { return nodes.none_has(leader_key); })) << "another may lead now";
  open = true;
  ran.get();
  EXPECT_TRUE(wait_until([&] { return one.told.all().size() == 2; }));
  EXPECT_EQ(one.told.all(), (Story{"elected", "lost closed, not drained"}));
}

TEST_P(ElectionLifeTest, ClosingWhileRedisIsAwayDoesNotHang) {
  Candidate one(nodes, "web-1", {.lease = 30s});
  Candidate two(nodes, "web-2", {.lease = 30s});
  ASSERT_TRUE(one.election.start());
  ASSERT_TRUE(one.wins());
  ASSERT_TRUE(two.election.start());
  ASSERT_TRUE(wait_until([&] { return two.election.current_leader().has_value(); }));
  pause_all();
  std::stop_source give_up;
  give_up.request_stop();
  EXPECT_FALSE(one.election.stop(give_up.get_token())) << "it cannot give the name back";
  ASSERT_TRUE(wait_until([&] { return one.told.all().size() == 2; }));
  one.client.close();
  two.client.close();
  EXPECT_TRUE(one.election.stop());
  EXPECT_TRUE(two.election.stop());
  resume_all();
  EXPECT_EQ(one.told.all(), (Story{"elected", "lost stopped"}));
  EXPECT_TRUE(wait_until([&] { return nodes.none_has(leader_key); })) << "it is tried on (T47)";
}

TEST_P(ElectionLifeTest, TwoElectionsOfOneClientAreTwo) {
  const Client client = open(nodes, "web-1");
  auto one = client.election("myapp:one", three_seconds()).value();
  auto two = client.election("myapp:two", three_seconds()).value();
  ASSERT_TRUE(one.start());
  ASSERT_TRUE(two.start());
  ASSERT_TRUE(one.wait_for_leadership(10s));
  ASSERT_TRUE(two.wait_for_leadership(10s));
  EXPECT_NE(*one.term(), *two.term());
  ASSERT_TRUE(one.stop());
  EXPECT_TRUE(two.is_leader());
  EXPECT_TRUE(nodes.none_has("myapp:one"));
  EXPECT_FALSE(nodes.none_has("myapp:two"));
}

TEST_P(ElectionLifeTest, TwoCandidatesWithOneIdDoNotLeadTogether) {  // T44
  Oracle oracle;
  Candidate one(nodes, "web-1");
  Candidate two(nodes, "web-1");
  auto twin = one.client.election(leader_key, three_seconds()).value();
  {
    const std::array<Election*, 3> all{&one.election, &two.election, &twin};
    std::deque<Eye> eyes;
    for (Election* it : all) eyes.emplace_back(oracle, "web-1", *it);
    for (Election* it : all) ASSERT_TRUE(it->start());
    const auto leads = [](const Election* it) { return it->is_leader(); };
    for (int round = 0; round < 6; ++round) {
      ASSERT_TRUE(wait_until([&] { return std::ranges::count_if(all, leads) == 1; }, 20s)) << round;
      (*std::ranges::find_if(all, leads))->step_down();
    }
    for (Election* it : all) EXPECT_TRUE(it->stop());
  }
  oracle.judge();
  EXPECT_TRUE(nodes.none_has(leader_key));
}

}  // namespace
}  // namespace tenure::test
