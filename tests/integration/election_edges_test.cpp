// What only interleavings show: closing, stopping and starting at awkward moments. T21, T43, T51, T58.
#include <future>
#include <stdexcept>
#include <thread>

#include "runtime/engine/election.hpp"
#include "support/candidate.hpp"
#include "support/lease_client.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;

// The engine tells the lease of a term before it tells the election. Work that ends as soon as it hears of that has not ended by
// itself: run() goes on, and campaigns again.
TEST(ElectionEdges, WorkThatHearsOfTheEndOfItsTermFirstHasNotEndedByItself) {
  Nodes nodes(1);
  const runtime::Client client = client_of(nodes);
  const auto election = client.election(core::plan_election("myapp:leader", {}).value());
  const auto run = election->start();
  ASSERT_TRUE(run);
  const auto term = election->begin_work(*run, {});
  ASSERT_TRUE(term);
  EXPECT_EQ(election->leads(), term);
  term->loss = core::LossReason::stepped_down;
  EXPECT_EQ(election->leads(), nullptr);
  EXPECT_FALSE(election->end_work());
  EXPECT_TRUE(election->stop());
}

// A thread that works in each term until it is let go, whatever it is told.
class StubbornWork {
 public:
  explicit StubbornWork(Election& election) {
    thread_ = std::jthread([this, &election] {
      const auto run = election.run({}, [this](const Lease& its) {
        term_.set_value(&its);
        let_go_.get_future().wait();
      });
      EXPECT_TRUE(run || run.error().code == Refusal::Code::closed);
    });
    term = term_.get_future().get();
  }
  ~StubbornWork() { end(); }
  void end() {
    if (!std::exchange(ended_, true)) let_go_.set_value();
  }
  void join() { thread_.join(); }

  const Lease* term = nullptr;

 private:
  std::promise<const Lease*> term_;
  std::promise<void> let_go_;
  bool ended_ = false;
  std::jthread thread_;
};

TEST(ElectionEdges, ClosingWhileATermDrainsEndsItsBelief) {  // S1
  Nodes nodes(1);
  Candidate one(nodes, "web-1");
  Candidate two(nodes, "web-2");
  StubbornWork work(one.election);
  one.election.step_down();
  ASSERT_TRUE(work.term->held()) << "it is ours while the work drains";
  one.client.close();
  EXPECT_FALSE(work.term->held()) << "it was given back";
  ASSERT_TRUE(two.election.start());
  ASSERT_TRUE(two.wins());
  EXPECT_FALSE(work.term->held());
}

TEST(ElectionEdges, ClosingEndsTheBeliefInALockThatWasLostBefore) {  // S1
  Nodes nodes(1);
  Client client = open(nodes);
  const auto lease = client.lock("a", {.ttl = 3s, .grace = 1s, .node_timeout = 200ms}).try_acquire();
  ASSERT_TRUE(lease);
  nodes[0].pause();
  ASSERT_TRUE(wait_until([&] { return lease->loss().has_value(); }));
  nodes[0].resume();
  client.close();
  EXPECT_FALSE(lease->held());
}

TEST(ElectionEdges, AfterAClosedClientStopWaitsForTheWork) {
  Nodes nodes(1);
  Candidate one(nodes, "web-1");
  StubbornWork work(one.election);
  // Work may begin before the handler has run, and who was not told of a term is not told of its end.
  ASSERT_TRUE(wait_until([&] { return !one.told.all().empty(); }));
  one.client.close();
  std::stop_source give_up;
  std::jthread impatient([&] {
    std::this_thread::sleep_for(100ms);
    give_up.request_stop();
  });
  EXPECT_FALSE(one.election.stop(give_up.get_token())) << "the work still runs";
  work.end();
  EXPECT_TRUE(one.election.stop());
  EXPECT_EQ(one.told.all(), (std::vector<std::string>{"elected", "lost closed, not drained"}));
  EXPECT_EQ(one.election.start().error().code, Refusal::Code::closed);
}

TEST(ElectionEdges, WhatIsBeingStoppedIsNotStartedAgainBeforeItHasEnded) {
  Nodes nodes(1);
  Candidate one(nodes, "web-1");
  StubbornWork work(one.election);
  std::stop_source no_patience;
  no_patience.request_stop();
  EXPECT_FALSE(one.election.stop(no_patience.get_token()));
  EXPECT_EQ(one.election.start().error().code, Refusal::Code::usage);
  work.end();
  work.join();
  EXPECT_TRUE(one.election.start());
  EXPECT_TRUE(one.wins());
}

TEST(ElectionEdges, WhoWaitsForTheEndIsNotKeptByWhoStartsAgain) {
  Nodes nodes(1);
  Candidate one(nodes, "web-1");
  std::atomic<bool> done = false;
  std::vector<std::jthread> stoppers;
  for (int i = 0; i < 2; ++i) {
    stoppers.emplace_back([&] {
      for (int round = 0; round < 100; ++round) one.election.stop();
    });
  }
  std::jthread starter([&] {
    while (!done) static_cast<void>(one.election.start());
  });
  stoppers.clear();  // would wait for ever
  done = true;
}

TEST(ElectionEdges, AWaitWithoutAnEndIsNeverTooLongWhoeverStopsAndStartsMeanwhile) {
  Nodes nodes(1);
  Candidate one(nodes, "web-1", {.lease = 30s});
  Candidate two(nodes, "web-2");
  ASSERT_TRUE(one.election.start());
  ASSERT_TRUE(one.wins());
  // The jthread asks it to stop however this ends.
  const std::jthread waiter([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      const auto waited = two.election.wait_for_leadership(std::nullopt, stop);
      if (waited) {
        ADD_FAILURE() << "it leads, though another does";
        return;
      }
      EXPECT_NE(waited.error().code, Refusal::Code::waited);
    }
  });
  for (int round = 0; round < 200; ++round) {
    ASSERT_TRUE(two.election.start());
    two.election.stop();
  }
}

TEST(ElectionEdges, AWaitThatWasTooLongSaysWhatHinderedIt) {
  Nodes nodes(1);
  Candidate one(nodes, "web-1");
  Record<std::string> hindered;
  one.election.on_hindered([&](const Refusal& why) { hindered.add(why.message); });
  nodes[0].kill();
  ASSERT_TRUE(one.election.start());
  ASSERT_TRUE(wait_until([&] { return !hindered.all().empty(); }));
  const auto waited = one.election.wait_for_leadership(0ms);
  ASSERT_FALSE(waited);
  EXPECT_EQ(waited.error().code, Refusal::Code::waited);
  EXPECT_FALSE(waited.error().holder);
  ASSERT_EQ(waited.error().failed.size(), 1U);
  EXPECT_EQ(waited.error().failed[0].address, urls_of(nodes)[0]);
  EXPECT_TRUE(
      waited.error().message.starts_with("waited too long to lead myapp:leader: " + urls_of(nodes)[0]))
      << waited.error().message;
}

TEST(ElectionEdges, ClosingTheClientRefusesWhoeverRuns) {
  Nodes nodes(1);
  for (const bool waits : {true, false}) {
    Candidate other(nodes, "web-1");
    if (waits) {
      ASSERT_TRUE(other.election.start());
      ASSERT_TRUE(other.wins());
    }
    Candidate one(nodes, "web-2");
    std::atomic<bool> works = false;
    std::jthread runner([&] {
      const auto run = one.election.run({}, [&](const Lease& term) {
        works = true;
        wait_until([&] { return term.lost().stop_requested(); });
      });
      ASSERT_FALSE(run) << (waits ? "it waited" : "it worked");
      EXPECT_EQ(run.error().code, Refusal::Code::closed);
    });
    ASSERT_TRUE(wait_until([&] { return waits ? one.election.current_leader().has_value() : works.load(); }));
    one.client.close();
  }
}

TEST(ElectionEdges, WhoeverRunsIsStoppedAlsoWhereAnotherStartsAgainAtOnce) {
  Nodes nodes(1);
  Candidate one(nodes, "web-1", {.lease = 30s});
  ASSERT_TRUE(one.election.start());
  ASSERT_TRUE(one.wins());
  Candidate two(nodes, "web-2");
  for (int round = 0; round < 50; ++round) {
    ASSERT_TRUE(two.election.start());
    std::atomic<bool> begun = false;
    std::atomic<bool> ended = false;
    std::jthread runner([&] {
      begun = true;
      EXPECT_TRUE(two.election.run({}, [](const Lease&) {}));
      ended = true;
    });
    ASSERT_TRUE(wait_until([&] { return begun.load(); }));
    std::this_thread::sleep_for(5ms);  // it waits by now
    std::stop_source no_patience;
    no_patience.request_stop();
    two.election.stop(no_patience.get_token());
    while (!two.election.start()) std::this_thread::yield();
    const bool returned = wait_until([&] { return ended.load(); }, 5s);
    two.election.stop();
    ASSERT_TRUE(returned) << "it went on in the run that another had begun, in round " << round;
  }
}

TEST(ElectionEdges, AnEmptyHandlerIsNone) {
  Nodes nodes(1);
  Candidate one(nodes, "web-1");
  one.election.on_elected({});
  one.election.on_lost({});
  one.election.on_leader_changed({});
  ASSERT_TRUE(one.election.start());
  ASSERT_TRUE(one.wins());
  ASSERT_TRUE(one.election.stop());
  one.election.on_hindered([](const Refusal&) {});
  one.election.on_hindered({});
  nodes[0].kill();
  ASSERT_TRUE(one.election.start());
  EXPECT_TRUE(wait_until([&] { return one.has_logged("waiting for myapp:leader: " + urls_of(nodes)[0]); }))
      << "as where none was set";
  EXPECT_FALSE(one.has_logged("has thrown"));
}

TEST(ElectionEdges, WorkThatThrowsInALostTermIsNotElectedAgain) {  // T58
  for (int round = 0; round < 10; ++round) {
    Nodes nodes(1);
    Candidate one(nodes, "web-1");
    const auto work = [&](const Lease& term) {
      one.election.step_down();
      wait_until([&] { return term.lost().stop_requested(); });
      throw std::runtime_error("lost");
    };
    EXPECT_THROW((void)one.election.run({}, work), std::runtime_error);
    EXPECT_EQ(one.terms.all().size(), 1U);
  }
}

TEST(ElectionEdges, WhoseWorkOutlastsItsDeadlineSeesWhoLeadsInstead) {  // T43, T51
  Nodes nodes(1);
  Candidate one(nodes, "web-1");
  Candidate two(nodes, "web-2");
  StubbornWork work(one.election);
  ASSERT_TRUE(two.election.start());
  one.election.step_down();
  ASSERT_TRUE(two.wins());
  EXPECT_TRUE(wait_until([&] { return one.election.current_leader() == two.election.current_leader(); }))
      << "it takes itself for the leader";
  EXPECT_EQ(one.told.all().back(), "lost stepped_down, not drained");
  work.end();
  EXPECT_TRUE(one.election.stop());
}

TEST(ElectionEdges, ADeadlineLongAgoIsNotWaitedFor) {  // T48
  Nodes nodes(1);
  Candidate one(nodes, "web-1");
  Candidate two(nodes, "web-2");
  ASSERT_TRUE(one.election.start());
  ASSERT_TRUE(one.wins());
  ASSERT_TRUE(two.election.start());
  EXPECT_FALSE(two.election.wait_for_leadership(0ms));
}

}  // namespace
}  // namespace tenure::test
