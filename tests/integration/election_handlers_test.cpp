// What users do in their handlers and in their work: take long, throw, stop the election, or let it go. E2, E8, T43,
// T52, T58.
#include <atomic>
#include <future>
#include <stdexcept>
#include <thread>

#include "support/candidate.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;

class ElectionHandlersTest : public testing::TestWithParam<std::size_t> {
 protected:
  Nodes nodes{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(Nodes, ElectionHandlersTest, testing::Values(1, 3),
                         testing::PrintToStringParamName());

using Story = std::vector<std::string>;

// A handler that waits until it is let go, or for very long.
class Gate {
 public:
  void pass() {
    reached_ = true;
    wait_until([&] { return open_.load(); }, 30s);
  }
  bool reached() const { return reached_; }
  void open() { open_ = true; }

 private:
  std::atomic<bool> reached_ = false;
  std::atomic<bool> open_ = false;
};

TEST_P(ElectionHandlersTest, WhatHindersACampaignIsTold) {
  Record<Refusal> hindered;
  Candidate one(nodes, "web-1", {.lease = 3s});
  one.election.on_hindered([&](const Refusal& why) { hindered.add(why); });
  for (std::size_t i = 0; i < GetParam(); ++i) nodes[i].pause();
  ASSERT_TRUE(one.election.start());
  EXPECT_TRUE(wait_until([&] { return !hindered.all().empty(); }));
  for (std::size_t i = 0; i < GetParam(); ++i) nodes[i].resume();
  ASSERT_TRUE(one.wins());
  const Refusal why = hindered.all().at(0);
  EXPECT_EQ(why.code, Refusal::Code::no_quorum);
  EXPECT_FALSE(why.denied);
  EXPECT_FALSE(why.failed.empty());
  EXPECT_TRUE(why.message.starts_with("waiting for ")) << why.message;
}

TEST_P(ElectionHandlersTest, ACandidateWhoIsKeptOutIsToldSoAndMayStop) {
  for (std::size_t i = 0; i < GetParam(); ++i) nodes[i].command({"CONFIG", "SET", "requirepass", "secret"});
  Record<Refusal> hindered;
  Candidate one(nodes, "web-1", {.lease = 3s});
  one.election.on_hindered([&](const Refusal& why) {
    hindered.add(why);
    one.election.stop();
  });
  EXPECT_TRUE(one.election.run({}, [](const Lease&) { ADD_FAILURE() << "it cannot lead"; }));
  ASSERT_FALSE(hindered.all().empty());
  const Refusal why = hindered.all().back();
  EXPECT_TRUE(why.denied) << why.message;
  EXPECT_FALSE(why.message.starts_with("waiting for ")) << why.message;
}

TEST_P(ElectionHandlersTest, NobodyElseLeadsBeforeASlowHandlerHasReturned) {  // T43
  Gate gate;
  Candidate one(nodes, "web-1", {.lease = 30s});
  Candidate two(nodes, "web-2", {.lease = 30s});
  one.election.on_lost([&](const TermEnd& end) {
    gate.pass();
    one.told.add(end.drained ? "lost" : "overran");
  });
  ASSERT_TRUE(one.election.start());
  ASSERT_TRUE(one.wins());
  ASSERT_TRUE(two.election.start());
  ASSERT_TRUE(wait_until([&] { return two.election.current_leader().has_value(); }));
  auto stopped = std::async(std::launch::async, [&] { return one.election.stop(); });
  ASSERT_TRUE(wait_until([&] { return gate.reached(); }));
  EXPECT_FALSE(one.election.is_leader());
  EXPECT_FALSE(two.election.wait_for_leadership(300ms));
  gate.open();
  EXPECT_TRUE(stopped.get());
  ASSERT_TRUE(two.wins());
  EXPECT_EQ(one.told.all(), (Story{"elected", "lost"}));
}

TEST_P(ElectionHandlersTest, AHandlerThatOutlastsTheLeaseIsReportedAndAnotherLeadsThen) {  // T43, T52
  Gate gate;
  Candidate one(nodes, "web-1", {.lease = 2s});
  Candidate two(nodes, "web-2", {.lease = 2s});
  one.election.on_lost([&](const TermEnd&) {
    gate.pass();
    one.told.add("lost");
  });
  ASSERT_TRUE(one.election.start());
  ASSERT_TRUE(one.wins());
  const auto term = *one.election.term();
  ASSERT_TRUE(two.election.start());
  ASSERT_TRUE(wait_until([&] { return two.election.current_leader().has_value(); }));
  one.election.step_down();
  ASSERT_TRUE(two.wins());
  EXPECT_GT(*two.election.term(), term);
  EXPECT_TRUE(wait_until([&] {
    return one.has_logged("myapp:leader: the work of term " + std::to_string(term) +
                          " has not ended by its deadline; another may lead from now on");
  }));
  // The name is free again, but the old term is not over for its candidate.
  ASSERT_TRUE(two.election.stop());
  EXPECT_FALSE(one.election.wait_for_leadership(500ms));
  EXPECT_EQ(one.told.all(), Story{"elected"});
  gate.open();
  ASSERT_TRUE(one.wins());
  EXPECT_TRUE(wait_until([&] { return one.told.all() == Story({"elected", "lost", "elected"}); }));
}

TEST_P(ElectionHandlersTest, ATermWhoseOtherHandlersOutlastItIsNotDrained) {  // T43
  // Another leads before on_lost has its turn: it must not say that the term has ended in time.
  Gate gate;
  Candidate one(nodes, "web-1", {.lease = 2s});
  Candidate two(nodes, "web-2", {.lease = 2s});
  one.election.on_elected([&](const Lease&) {
    one.told.add("elected");
    if (one.told.all().size() == 1) gate.pass();
  });
  ASSERT_TRUE(one.election.start());
  ASSERT_TRUE(wait_until([&] { return gate.reached(); }));
  ASSERT_TRUE(two.election.start());
  ASSERT_TRUE(wait_until([&] { return two.election.current_leader().has_value(); }));
  one.election.step_down();
  ASSERT_TRUE(two.wins());
  gate.open();
  ASSERT_TRUE(wait_until([&] { return one.told.all().size() > 1; }));
  EXPECT_EQ(one.told.all()[1], "lost stepped_down, not drained");
}

TEST_P(ElectionHandlersTest, WorkThatOutlastsTheLeaseIsReportedWhileItGoesOn) {  // T43, T52
  Gate gate;
  Candidate one(nodes, "web-1", {.lease = 2s});
  Candidate two(nodes, "web-2", {.lease = 2s});
  std::stop_source stop;
  std::jthread worker([&] {
    EXPECT_TRUE(one.election.run(stop.get_token(), [&](const Lease& term) {
      one.told.add("begins");
      if (one.terms.all().size() < 2) gate.pass();
      wait_until([&] { return term.lost().stop_requested(); }, 30s);
      one.told.add("ends");
    }));
  });
  ASSERT_TRUE(wait_until([&] { return gate.reached(); }));
  ASSERT_TRUE(wait_until([&] { return one.told.all().size() == 2; }));
  ASSERT_TRUE(two.election.start());
  ASSERT_TRUE(wait_until([&] { return two.election.current_leader().has_value(); }));
  one.election.step_down();
  ASSERT_TRUE(two.wins());
  ASSERT_TRUE(wait_until([&] { return one.told.all().size() == 3; }));
  EXPECT_EQ(one.told.all().back(), "lost stepped_down, not drained");
  ASSERT_TRUE(two.election.stop());
  EXPECT_FALSE(one.election.wait_for_leadership(500ms)) << "its old work goes on";
  gate.open();
  ASSERT_TRUE(one.wins());
  ASSERT_TRUE(wait_until([&] { return one.told.all().size() == 6; }));
  const auto told = one.told.all();
  EXPECT_EQ(told[3], "ends") << "before the work of the next term begins";
  stop.request_stop();
  worker.join();
  EXPECT_EQ(one.told.all().back(), "lost stopped");
  EXPECT_EQ(std::ranges::count(one.told.all(), "ends"), 2);
}

TEST_P(ElectionHandlersTest, WhatHandlersThrowIsLoggedAndChangesNothing) {  // T21
  Candidate one(nodes, "web-1");
  one.election.on_elected([&](const Lease&) {
    one.told.add("elected");
    throw std::runtime_error("no disk");
  });
  one.election.on_lost([&](const TermEnd&) {
    one.told.add("lost");
    throw 42;  // NOLINT: users do
  });
  one.election.on_leader_changed([](const auto&, const auto&) { throw std::runtime_error("no printer"); });
  for (int round = 0; round < 2; ++round) {
    ASSERT_TRUE(one.election.start());
    ASSERT_TRUE(one.wins());
    ASSERT_TRUE(one.election.stop());
    EXPECT_TRUE(nodes.none_has(leader_key));
  }
  EXPECT_EQ(one.told.all(), (Story{"elected", "lost", "elected", "lost"}));
  for (const std::string sentence : {"myapp:leader: on_elected has thrown: no disk",
                                     "myapp:leader: on_lost has thrown something that is no std::exception",
                                     "myapp:leader: on_leader_changed has thrown: no printer"}) {
    EXPECT_TRUE(wait_until([&] { return one.has_logged(sentence); })) << sentence;
  }
}

TEST_P(ElectionHandlersTest, AHandlerMayStopTheElection) {
  for (const bool when_elected : {true, false}) {
    Candidate one(nodes, "web-1");
    const auto stop = [&] {
      const auto stopped = one.election.stop();
      ASSERT_FALSE(stopped) << "who must return first cannot wait for it";
      EXPECT_EQ(stopped.error().code, Refusal::Code::cancelled);
    };
    one.election.on_elected([&](const Lease&) {
      one.told.add("elected");
      if (when_elected) stop();
    });
    one.election.on_lost([&](const TermEnd&) {
      stop();
      one.told.add("lost");
    });
    ASSERT_TRUE(one.election.start());
    if (!when_elected) {
      ASSERT_TRUE(one.wins());
      one.election.step_down();
    }
    ASSERT_TRUE(wait_until([&] { return one.told.all().size() == 2; }));
    EXPECT_TRUE(one.election.stop());
    EXPECT_EQ(one.told.all(), (Story{"elected", "lost"}));
    EXPECT_FALSE(one.election.wait_for_leadership());
    EXPECT_TRUE(nodes.none_has(leader_key));
  }
}

TEST_P(ElectionHandlersTest, AHandlerAndTheWorkMayStepDown) {
  Candidate one(nodes, "web-1");
  one.election.on_elected([&](const Lease&) {
    one.told.add("elected");
    if (one.told.all().size() == 1) one.election.step_down();
  });
  std::stop_source stop;
  EXPECT_TRUE(one.election.run(stop.get_token(), [&](const Lease& term) {
    // In the first term it may come too late to work at all.
    wait_until([&] { return term.lost().stop_requested() || one.told.all().size() > 2; });
    if (one.told.all().size() < 3) return;
    if (one.told.all().size() == 3) {
      one.election.step_down();
    } else {
      stop.request_stop();
    }
    EXPECT_TRUE(wait_until([&] { return term.lost().stop_requested(); }));
  }));
  EXPECT_EQ(one.told.all(), (Story{"elected", "lost stepped_down", "elected", "lost stepped_down", "elected",
                                   "lost stopped"}));
}

TEST_P(ElectionHandlersTest, AHandlerMayLetTheElectionGoAndTheClient) {
  for (const bool when_elected : {true, false}) {
    std::atomic<bool> gone = false;
    auto client = std::make_unique<Client>(open(nodes, "web-1"));
    auto election = std::make_unique<Election>(client->election(leader_key, three_seconds()).value());
    const auto let_go = [&] {
      election.reset();
      client.reset();
      gone = true;
    };
    Election& it = *election;
    it.on_elected([&](const Lease&) {
      if (when_elected) {
        let_go();
      } else {
        it.step_down();
      }
    });
    it.on_lost([&](const TermEnd&) {
      if (!when_elected) let_go();
    });
    ASSERT_TRUE(it.start());
    ASSERT_TRUE(wait_until([&] { return gone.load(); }));
    EXPECT_TRUE(wait_until([&] { return nodes.none_has(leader_key); }));
  }
}

TEST_P(ElectionHandlersTest, TheWorkMayStopTheElectionAndLetItGo) {
  std::optional<Client> client = open(nodes, "web-1");
  auto election = std::make_unique<Election>(client->election(leader_key, three_seconds()).value());
  int times = 0;
  EXPECT_TRUE(election->run({}, [&](const Lease& term) {
    times += 1;
    EXPECT_FALSE(election->stop());
    EXPECT_TRUE(wait_until([&] { return term.lost().stop_requested(); }));
  }));
  EXPECT_TRUE(nodes.none_has(leader_key));
  Election& it = *election;
  EXPECT_TRUE(it.run({}, [&](const Lease& term) {
    times += 1;
    election.reset();
    client.reset();
    EXPECT_TRUE(wait_until([&] { return term.lost().stop_requested(); }));
    EXPECT_EQ(term.loss(), Loss::stopped);
  }));
  EXPECT_EQ(times, 2);
  EXPECT_TRUE(wait_until([&] { return nodes.none_has(leader_key); }));
}

TEST_P(ElectionHandlersTest, AHandlerMayCloseTheClient) {
  Candidate one(nodes, "web-1");
  one.election.on_elected([&](const Lease& term) {
    one.told.add("elected");
    one.client.close();
    EXPECT_FALSE(term.held());
  });
  ASSERT_TRUE(one.election.start());
  ASSERT_TRUE(wait_until([&] { return one.told.all() == Story({"elected", "lost closed, not drained"}); }));
  EXPECT_TRUE(one.election.stop());
}

TEST_P(ElectionHandlersTest, WhoNeverLedHearsOfNoLoss) {  // T58
  Candidate one(nodes, "web-1");
  Candidate two(nodes, "web-2");
  ASSERT_TRUE(one.election.start());
  ASSERT_TRUE(one.wins());
  ASSERT_TRUE(two.election.start());
  ASSERT_TRUE(wait_until([&] { return !two.leaders.all().empty(); }));
  two.election.step_down();
  ASSERT_TRUE(two.election.stop());
  EXPECT_EQ(two.told.all(), Story{});
  EXPECT_EQ(two.leaders.all().at(0), "leader web-1");
}

TEST_P(ElectionHandlersTest, ATermThatRanOutBeforeItsHandlerHadItsTurnIsToldToNobody) {  // T58
  // The handlers of one election come one after the other; this one is stuck for the whole of the next term.
  Gate gate;
  Candidate one(nodes, "web-1", {.lease = 1500ms});
  one.election.on_leader_changed([&](const auto&, const auto& now) {
    if (now && now->id == "web-2") gate.pass();
  });
  Candidate two(nodes, "web-2");
  ASSERT_TRUE(two.election.start());
  ASSERT_TRUE(two.wins());
  ASSERT_TRUE(one.election.start());
  ASSERT_TRUE(wait_until([&] { return gate.reached(); }));
  ASSERT_TRUE(two.election.stop());
  ASSERT_TRUE(one.wins());
  for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i].command({"DEL", leader_key});
  ASSERT_TRUE(wait_until([&] { return !one.election.is_leader(); }));
  EXPECT_EQ(one.told.all(), Story{});
  gate.open();
  ASSERT_TRUE(one.wins());
  ASSERT_TRUE(one.election.stop());
  EXPECT_EQ(one.told.all(), (Story{"elected", "lost stopped"})) << "of the second term";
  EXPECT_EQ(one.terms.all().size(), 1U);
}

}  // namespace
}  // namespace tenure::test
