// What an instance of a fleet answers, and what it is told, call by call. P25, T43.
#include <atomic>
#include <future>
#include <stdexcept>
#include <thread>

#include "integration/api.hpp"
#include "support/no_threads.hpp"
#include "support/shared_fleet.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;
using Kind = FleetEvent::Kind;
using Story = std::vector<std::string>;

// An instance that notes what it is told of sessions, and says at once, or never, that its work has ended.
class Listener {
 public:
  struct Heard {
    FleetEvent event{};
    BootClock::time_point at{};
  };
  using Work = std::function<void(Fleet&, const FleetEvent&)>;

  Listener(const Nodes& nodes, const std::string& id, std::vector<std::string> sessions, Work on_ending = {},
           const FleetOptions& options = short_lives())
      : client(open(nodes, id)), fleet(client.fleet("poll", options).value()) {
    fleet->on_event([this, on_ending = std::move(on_ending)](const FleetEvent& event) {
      heard.add({event, BootClock::now()});
      if (event.kind != Kind::ending) return;
      if (on_ending) return on_ending(*fleet, event);
      fleet->ended(event.session, event.token);
    });
    fleet->share(std::move(sessions));
    const auto joined = fleet->start();
    EXPECT_TRUE(joined) << (joined ? "" : joined.error().message);
  }

  bool owns(std::size_t count) const {
    return wait_until([&] { return fleet->owned_sessions().size() == count; });
  }
  // "acquired", "ending removed", …
  Story told_of(const std::string& session) const {
    Story story;
    for (const auto& [event, at] : heard.all()) {
      if (event.session != session) continue;
      story.push_back(std::string(to_string(event.kind)) +
                      (event.reason ? " " + std::string(to_string(*event.reason)) : ""));
    }
    return story;
  }
  bool is_told(const std::string& session, const Story& story) const {
    return wait_until([&] { return told_of(session) == story; });
  }
  // Waits for it.
  std::optional<Heard> first(Kind kind, const std::string& session) const {
    std::optional<Heard> found;
    wait_until([&] {
      for (const auto& it : heard.all()) {
        if (!found && it.event.kind == kind && it.event.session == session) found = it;
      }
      return found.has_value();
    });
    return found;
  }

  Record<Heard> heard;
  Client client;
  std::unique_ptr<Fleet> fleet;
};

class FleetCalls : public testing::Test {
 protected:
  std::string value(const std::string& session) {
    return nodes[0].command({"GET", "poll:lease:" + session}).text;
  }

  Nodes nodes{1};
};

TEST_F(FleetCalls, P25_WhatIsOursIsSaidInEveryWay) {
  const auto began = BootClock::now();
  Listener one(nodes, "web-1", {"a", "b"});
  ASSERT_TRUE(one.owns(2));
  Fleet& fleet = *one.fleet;
  EXPECT_EQ(fleet.instance_id(), "web-1");
  EXPECT_EQ(fleet.owned_sessions(), (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(fleet.is_owned("a"));
  EXPECT_FALSE(fleet.is_uncertain("a"));
  EXPECT_TRUE(fleet.is_owned_strict("a"));
  EXPECT_EQ(fleet.preferred_owner("a"), "web-1");
  EXPECT_TRUE(fleet.is_preferred_owner("a"));
  const auto lease = fleet.lease_info("a");
  ASSERT_TRUE(lease);
  EXPECT_EQ(lease->session, "a");
  EXPECT_EQ(lease->key, "poll:lease:a");
  EXPECT_EQ(lease->value, value("a"));
  EXPECT_EQ(lease->owner, "web-1");
  EXPECT_TRUE(lease->value.ends_with("#" + std::to_string(lease->token)));
  EXPECT_GT(lease->deadline, began + 2s);
  EXPECT_LT(lease->deadline, BootClock::now() + three_seconds_ttl);
  ASSERT_TRUE(wait_until([&] { return fleet.live_instances().at(0).owned == 2; })) << "as its next beat says";
  EXPECT_EQ(fleet.live_instances().size(), 1U);
  EXPECT_EQ(fleet.live_instances()[0].id, "web-1");

  EXPECT_FALSE(fleet.is_owned("c"));
  EXPECT_FALSE(fleet.is_uncertain("c"));
  EXPECT_FALSE(fleet.is_owned_strict("c"));
  EXPECT_FALSE(fleet.lease_info("c"));
  EXPECT_FALSE(fleet.preferred_owner("c"));
  EXPECT_FALSE(fleet.is_preferred_owner("c"));
  EXPECT_FALSE(fleet.release("c"));
}

TEST_F(FleetCalls, P25_OneIsTakenAndGivenBackByHand) {
  Listener one(nodes, "web-1", {});
  Listener two(nodes, "web-2", {});
  const auto lease = one.fleet->try_acquire("x");
  ASSERT_TRUE(lease) << lease.error().message;
  EXPECT_EQ(lease->value, value("x"));
  EXPECT_TRUE(one.fleet->is_owned("x"));
  EXPECT_EQ(one.fleet->try_acquire("x")->token, lease->token) << "it is ours already";
  const auto refused = two.fleet->try_acquire("x");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Refusal::Code::held);
  ASSERT_TRUE(refused.error().holder);
  EXPECT_EQ(refused.error().holder->owner, "web-1");
  EXPECT_FALSE(two.fleet->release("x"));
  one.fleet->share({"y"});
  ASSERT_TRUE(one.owns(2)) << "what is shared takes nothing away that was taken by hand";
  EXPECT_TRUE(one.fleet->release("x"));
  ASSERT_TRUE(one.is_told("x", {"acquired", "ending released", "ended released"}));
  const auto next = two.fleet->try_acquire("x");
  ASSERT_TRUE(next) << next.error().message;
  EXPECT_GT(next->token, lease->token);
  EXPECT_FALSE(two.fleet->try_acquire("")) << "no name";
}

TEST_F(FleetCalls, P14_AStrictCheckSeesWhatTheClockCannot) {
  Listener one(nodes, "web-1", {"a"}, {}, {.ttl = 30s});
  ASSERT_TRUE(one.owns(1));
  const auto token = one.fleet->lease_info("a")->token;
  nodes[0].command({"DEL", "poll:lease:a"});
  EXPECT_TRUE(one.fleet->is_owned("a")) << "until the next renewal nobody can know";
  EXPECT_FALSE(one.fleet->is_owned_strict("a"));
  EXPECT_FALSE(one.fleet->is_owned("a"));
  ASSERT_TRUE(wait_until([&] { return one.fleet->is_owned("a"); })) << "it is taken again";
  EXPECT_GT(one.fleet->lease_info("a")->token, token);
  EXPECT_TRUE(one.is_told("a", {"acquired", "ending missing", "ended missing", "acquired"}));
}

TEST_F(FleetCalls, AStrictCheckThatIsOvertakenByAReleaseEnds) {
  Listener one(nodes, "web-1", {"a"});
  ASSERT_TRUE(wait_until([&] { return one.fleet->is_owned("a"); }));
  nodes[0].pause();
  std::atomic<bool> done = false;
  std::jthread asker([&] {
    (void)one.fleet->is_owned_strict("a");
    done = true;
  });
  std::this_thread::sleep_for(20ms);  // its renewal is on its way
  one.fleet->release("a");
  EXPECT_TRUE(wait_until([&] { return done.load(); }));
  nodes[0].resume();
}

TEST_F(FleetCalls, P11_ARenewalThatFailsMakesTheLeaseUncertainAndTheNextCertainAgain) {
  Listener one(nodes, "web-1", {"a"}, {}, {.ttl = 10s, .renew = 300ms, .node_timeout = 200ms});
  ASSERT_TRUE(one.owns(1));
  nodes[0].pause();
  EXPECT_TRUE(wait_until([&] { return one.fleet->is_uncertain("a"); }));
  EXPECT_FALSE(one.fleet->is_owned("a")) << "nothing new is begun";
  EXPECT_FALSE(one.fleet->is_owned_strict("a"));
  nodes[0].resume();
  EXPECT_TRUE(wait_until([&] { return one.fleet->is_owned("a"); }));
  EXPECT_FALSE(one.fleet->is_uncertain("a"));
  EXPECT_TRUE(one.is_told("a", {"acquired", "uncertain", "certain"}));
}

TEST_F(FleetCalls, T43_NobodyElseHasItBeforeTheWorkHasEnded) {
  Record<std::pair<std::string, BootClock::time_point>> finished;
  Listener one(nodes, "web-1", sessions(4), [&](Fleet& fleet, const FleetEvent& event) {
    EXPECT_FALSE(fleet.is_owned(event.session)) << "nothing new is begun";
    std::this_thread::sleep_for(300ms);  // the work
    EXPECT_EQ(fleet.lease_info(event.session)->token, event.token);
    finished.add({event.session, BootClock::now()});
    fleet.ended(event.session, event.token);
  });
  ASSERT_TRUE(one.owns(4));
  Listener two(nodes, "web-2", sessions(4));
  ASSERT_TRUE(two.owns(2));
  for (const auto& [session, at] : finished.all()) {
    const auto taken = two.first(Kind::acquired, session);
    ASSERT_TRUE(taken) << session;
    EXPECT_LT(at, taken->at) << session;
    EXPECT_GT(taken->event.token, one.first(Kind::acquired, session)->event.token) << session;
    EXPECT_TRUE(one.is_told(session, {"acquired", "ending rebalance", "ended rebalance"})) << session;
  }
  EXPECT_EQ(finished.all().size(), 2U);
}

TEST_F(FleetCalls, T43_WorkThatNeverEndsKeepsItUntilTheDeadlineAndNoLonger) {
  Listener one(nodes, "web-1", sessions(2), [](Fleet&, const FleetEvent&) {});
  ASSERT_TRUE(one.owns(2));
  Listener two(nodes, "web-2", sessions(2));
  ASSERT_TRUE(two.owns(1));
  const std::string session = two.fleet->owned_sessions()[0];
  const auto ending = one.first(Kind::ending, session);
  ASSERT_TRUE(ending);
  EXPECT_GE(two.first(Kind::acquired, session)->at, ending->event.deadline);
  EXPECT_TRUE(one.is_told(session, {"acquired", "ending rebalance", "ended rebalance"}));
}

TEST_F(FleetCalls, WhatIsNoLongerSharedIsGivenBackByWhoHasIt) {
  Listener one(nodes, "web-1", {"a", "b"});
  ASSERT_TRUE(one.owns(2));
  one.fleet->share({"b"});
  EXPECT_TRUE(one.is_told("a", {"acquired", "ending removed", "ended removed"}));
  EXPECT_TRUE(wait_until([&] { return value("a").empty(); }));
  EXPECT_FALSE(one.fleet->preferred_owner("a"));
  EXPECT_EQ(one.fleet->owned_sessions(), std::vector<std::string>{"b"});
  one.fleet->share({"a", "b"});
  EXPECT_TRUE(one.owns(2));
}

TEST_F(FleetCalls, ItMayBeStoppedFromItsHandlerAndStartedAgain) {
  std::atomic<bool> once = true;
  std::atomic<int> ended = 0;
  Client client = open(nodes, "web-1");
  const auto fleet = client.fleet("poll", short_lives()).value();
  fleet->on_event([&](const FleetEvent& event) {
    if (event.kind == Kind::acquired && once.exchange(false)) {
      EXPECT_EQ(fleet->stop().error().code, Refusal::Code::cancelled) << "it cannot be waited for here";
    }
    if (event.kind == Kind::ended) {
      ASSERT_TRUE(wait_until([&] { return fleet->live_instances().empty(); })) << "it takes no part any more";
      EXPECT_FALSE(fleet->stop()) << "what is told here is not over before it has returned";
    }
    if (event.kind == Kind::ending) fleet->ended(event.session, event.token);
    if (event.kind == Kind::ended) ended += 1;
  });
  fleet->share({"a"});
  ASSERT_TRUE(fleet->start());
  ASSERT_TRUE(wait_until([&] { return ended == 1; }));
  EXPECT_TRUE(fleet->stop());
  EXPECT_TRUE(fleet->stop()) << "what does not run is stopped";
  EXPECT_TRUE(nodes.none_has("poll:lease:a"));
  EXPECT_TRUE(wait_until([&] { return nodes.none_has("poll:node:web-1"); }));
  const auto refused = fleet->try_acquire("a");
  ASSERT_FALSE(refused) << "who takes no part takes nothing";
  EXPECT_EQ(refused.error().code, Refusal::Code::usage);
  EXPECT_EQ(refused.error().message, "the fleet poll does not run: start it first");
  ASSERT_TRUE(fleet->start());
  EXPECT_TRUE(wait_until([&] { return fleet->is_owned("a"); })) << "what was shared is still shared";
}

TEST_F(FleetCalls, WhoIsTiredOfWaitingForItsEndLetsItEndInTheBackground) {
  Client client = open(nodes, "web-1");
  const auto fleet = client.fleet("poll", short_lives()).value();
  std::atomic<std::uint64_t> ending = 0;
  fleet->on_event([&](const FleetEvent& event) {
    if (event.kind == Kind::ending) ending = event.token;
  });
  fleet->share({"a"});
  ASSERT_TRUE(fleet->start());
  ASSERT_TRUE(wait_until([&] { return fleet->is_owned("a"); }));
  std::stop_source no_patience;
  no_patience.request_stop();
  const auto stopped = fleet->stop(no_patience.get_token());
  ASSERT_FALSE(stopped) << "its work has not ended";
  EXPECT_EQ(stopped.error().code, Refusal::Code::cancelled);
  ASSERT_TRUE(wait_until([&] { return ending != 0; }));
  fleet->ended("a", ending);
  EXPECT_TRUE(fleet->stop());
  EXPECT_TRUE(nodes.none_has("poll:lease:a"));
}

TEST_F(FleetCalls, StoppingWaitsUntilTheHandlerHasHeardOfIt) {
  std::atomic<bool> in_handler = false;
  std::atomic<bool> stopped = false;
  std::atomic<int> ended = 0;
  Client client = open(nodes, "web-1");
  const auto fleet = client.fleet("poll", short_lives()).value();
  std::jthread stopping;
  std::promise<void> let_go;  // goes first, and lets the handler go
  fleet->on_event([&, go = let_go.get_future().share()](const FleetEvent& event) {
    if (event.kind == Kind::ending) fleet->ended(event.session, event.token);
    if (event.kind != Kind::ended) return;
    in_handler = true;
    go.wait();
    ended += 1;
  });
  fleet->share(sessions(3));
  ASSERT_TRUE(fleet->start());
  ASSERT_TRUE(wait_until([&] { return fleet->owned_sessions().size() == 3; }));
  stopping = std::jthread([&] {
    EXPECT_TRUE(fleet->stop());
    EXPECT_EQ(ended, 3);
    stopped = true;
  });
  ASSERT_TRUE(wait_until([&] { return in_handler.load(); }));
  ASSERT_TRUE(wait_until([&] { return fleet->live_instances().empty(); })) << "it takes no part any more";
  std::stop_source no_patience;
  no_patience.request_stop();
  const auto too_early = fleet->stop(no_patience.get_token());
  ASSERT_FALSE(too_early);
  EXPECT_EQ(too_early.error().code, Refusal::Code::cancelled);
  EXPECT_FALSE(stopped);
  let_go.set_value();
  EXPECT_TRUE(wait_until([&] { return stopped.load(); }));
}

TEST_F(FleetCalls, WhatRunsIsStartedAndWhatIsStillBeingStoppedIsNot) {
  Listener one(nodes, "web-1", {"a"}, [](Fleet&, const FleetEvent&) {});
  ASSERT_TRUE(one.owns(1));
  const auto token = one.fleet->lease_info("a")->token;
  EXPECT_TRUE(one.fleet->start());
  EXPECT_EQ(one.fleet->lease_info("a")->token, token) << "nothing was begun anew";
  std::stop_source no_patience;
  no_patience.request_stop();
  ASSERT_FALSE(one.fleet->stop(no_patience.get_token())) << "its work has not ended";
  const auto again = one.fleet->start();
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, Refusal::Code::usage);
  EXPECT_EQ(again.error().message, "the fleet poll is still being stopped");
  one.fleet->ended("a", token);
  EXPECT_TRUE(one.fleet->stop());
  EXPECT_TRUE(one.fleet->start());
  EXPECT_TRUE(one.owns(1));
}

TEST_F(FleetCalls, WithoutAThreadForItsHandlerItIsRefused) {
  Client client = open(nodes, "web-1");
  const auto fleet = client.fleet("poll", short_lives()).value();
  tl::expected<void, Refusal> started;
  {
    const NoThreads none;
    EXPECT_NO_THROW(started = fleet->start());
  }
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code, Refusal::Code::system);
  EXPECT_EQ(started.error().message,
            "this machine refuses: there is no thread for the handler of the fleet poll");
  EXPECT_TRUE(fleet->start());
}

TEST_F(FleetCalls, AHandlerThatThrowsHarmsNothing) {
  const auto log = std::make_shared<Record<std::string>>();  // it may be told of later than the client lives
  auto options = options_for(nodes, "web-1");
  options.on_log = [log](const LogLine& line) { log->add(line.message); };
  auto client = Client::open(options).value();
  const auto fleet = client.fleet("poll", short_lives()).value();
  fleet->on_event([](const FleetEvent&) { throw std::runtime_error("oh"); });
  fleet->share({"a"});
  ASSERT_TRUE(fleet->start());
  EXPECT_TRUE(wait_until([&] { return fleet->is_owned("a"); }));
  EXPECT_TRUE(wait_until([&] {
    const auto all = log->all();
    return std::ranges::find(all, "the handler of a fleet has thrown: oh") != all.end();
  }));
}

TEST_F(FleetCalls, ClosingTheClientEndsItWithoutWaitingForWork) {
  Listener one(nodes, "web-1", sessions(3), [](Fleet&, const FleetEvent&) {});
  ASSERT_TRUE(one.owns(3));
  const auto began = BootClock::now();
  one.client.close();
  EXPECT_LT(BootClock::now() - began, 1500ms);
  EXPECT_EQ(one.fleet->owned_sessions(), std::vector<std::string>{});
  EXPECT_TRUE(one.is_told("s-000", {"acquired", "ending closed", "ended closed"}));
  EXPECT_TRUE(nodes.none_has("poll:lease:s-000"));
  EXPECT_TRUE(nodes.none_has("poll:node:web-1"));
  const auto again = one.fleet->start();
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, Refusal::Code::closed);
  EXPECT_EQ(one.fleet->try_acquire("x").error().code, Refusal::Code::closed);
}

TEST_F(FleetCalls, WhatIsOursAndEndingIsNotTakenAgain) {
  Listener one(nodes, "web-1", {}, [](Fleet&, const FleetEvent&) {});
  const auto lease = one.fleet->try_acquire("x");
  ASSERT_TRUE(lease);
  ASSERT_TRUE(one.fleet->release("x"));
  ASSERT_TRUE(one.first(Kind::ending, "x"));
  const auto refused = one.fleet->try_acquire("x");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Refusal::Code::held);
  ASSERT_TRUE(refused.error().holder);
  EXPECT_EQ(refused.error().holder->owner, "web-1");
  EXPECT_EQ(refused.error().holder->token, lease->token);
}

TEST_F(FleetCalls, WhoCannotJoinSaysWhichRedisDoesNotAnswer) {
  RedisServer data;
  const std::string url = data.url();
  data.kill();
  Client client = open(nodes, "web-1");
  auto options = short_lives();
  for (const auto& [given, address] :
       std::vector<std::pair<std::string, std::string>>{{url, url}, {"", urls_of(nodes)[0]}}) {
    options.data = given;
    if (given.empty()) nodes[0].kill();
    const auto joined = client.fleet("poll", options).value()->start();
    ASSERT_FALSE(joined);
    EXPECT_EQ(joined.error().code, Refusal::Code::no_quorum);
    ASSERT_EQ(joined.error().failed.size(), 1U);
    EXPECT_EQ(joined.error().failed[0].address, address);
    EXPECT_TRUE(joined.error().message.starts_with("the fleet poll cannot be joined: " + address + ": "))
        << joined.error().message;
  }
}

TEST_F(FleetCalls, ADestructorGivesEverythingBack) {
  {
    Member one(nodes, "web-1", sessions(3));
    ASSERT_TRUE(wait_until([&] { return one.owned().size() == 3; }));
  }
  for (const auto& session : sessions(3)) EXPECT_TRUE(nodes.none_has("poll:lease:" + session)) << session;
  EXPECT_TRUE(nodes.none_has("poll:node:web-1"));
}

TEST_F(FleetCalls, AHandlerIsNotCalledAnyMoreWhenTheFleetIsGone) {
  std::atomic<bool> gone = false;
  std::atomic<int> late = 0;
  std::atomic<int> ended = 0;
  Client client = open(nodes, "web-1");
  auto fleet = client.fleet("poll", short_lives()).value();
  fleet->on_event([&, it = fleet.get()](const FleetEvent& event) {
    std::this_thread::sleep_for(10ms);
    if (gone) late += 1;
    if (event.kind == Kind::ending) it->ended(event.session, event.token);
    if (event.kind == Kind::ended) ended += 1;
  });
  fleet->share(sessions(10));
  ASSERT_TRUE(fleet->start());
  ASSERT_TRUE(wait_until([&] { return fleet->owned_sessions().size() == 10; }));
  fleet.reset();
  gone = true;
  EXPECT_EQ(ended, 10) << "all was told";
  client.close();
  EXPECT_EQ(late, 0);
}

TEST_F(FleetCalls, OneClientTakesPartInOneFleet) {
  Listener one(nodes, "web-1", {"a"});
  const auto other = one.client.fleet("others", short_lives()).value();
  const auto refused = other->start();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Refusal::Code::usage);
  EXPECT_EQ(refused.error().message, "this client takes part in a fleet already: one client, one fleet");
  EXPECT_FALSE(other->is_owned("a"));
  other->stop();
  EXPECT_TRUE(one.owns(1)) << "the end of the one is not that of the other";
}

TEST_F(FleetCalls, WhatContradictsItselfIsRefused) {
  Client client = open(nodes, "web-1");
  const auto why = [&](const FleetOptions& options, const std::string& name = "poll") {
    const auto fleet = client.fleet(name, options);
    return fleet ? "" : fleet.error().message;
  };
  EXPECT_EQ(why({.weight = 0}), "a weight of 0 is not between 1 and 1000");
  EXPECT_NE(why({.ttl = 61s}).find("over the cap"), std::string::npos);
  EXPECT_NE(why({.ttl = 3s, .renew = 3s}).find("does not fit"), std::string::npos);
  EXPECT_NE(why({.data = "http://a"}), "");
  EXPECT_EQ(why({.data = "redis://a", .data_tls = {.ca_file = "ca.crt"}}),
            "TLS is set up, and no address asks for it: those begin with rediss://");
  EXPECT_NE(why({}, ""), "");
  EXPECT_EQ(why({}), "");
}

TEST_F(FleetCalls, HeartbeatsLiveOnTheRedisOfTheData) {
  RedisServer data;
  auto options = short_lives();
  options.data = data.url();
  Member one(nodes, "web-1", sessions(4), options);
  Member two(nodes, "web-2", sessions(4), options);
  ASSERT_TRUE(wait_until([&] { return shares({&one, &two}) == Shares{2, 2}; }));
  EXPECT_TRUE(nodes.none_has("poll:node:web-1"));
  EXPECT_EQ(data.command({"EXISTS", "poll:node:web-1", "poll:node:web-2"}).integer, 2);
  EXPECT_EQ(data.command({"EXISTS", "poll:lease:s-000"}).integer, 0);
  EXPECT_FALSE(nodes.none_has("poll:lease:s-000"));
}

TEST_F(FleetCalls, WhoHasTwiceTheWeightGetsTwiceAsMuch) {
  auto heavy = short_lives();
  heavy.weight = 2;
  Member one(nodes, "web-1", sessions(9), heavy);
  Member two(nodes, "web-2", sessions(9));
  ASSERT_TRUE(wait_until([&] { return shares({&one, &two}) == Shares{6, 3}; }));
  EXPECT_EQ(one.fleet().live_instances().at(0).weight, 2U);
}

TEST_F(FleetCalls, OthersThatComeAndGoAreTold) {
  Listener one(nodes, "web-1", {"a"});
  ASSERT_TRUE(one.owns(1));
  const auto told = [&] {
    const auto all = one.heard.all();
    return std::ranges::count_if(all, [](const auto& it) { return it.event.kind == Kind::instances; });
  };
  const auto before = told();
  {
    Member two(nodes, "web-2", {"a"});
    ASSERT_TRUE(wait_until([&] { return one.fleet->live_instances().size() == 2 && told() > before; }));
  }
  EXPECT_TRUE(wait_until([&] { return one.fleet->live_instances().size() == 1 && told() > before + 1; }));
}

// While a fleet is upgraded, one instance after the other: each counts those of the version before and after its own.
TEST_F(FleetCalls, InstancesOfOtherVersionsHaveTheirShares) {
  const auto lives = [&](const std::string& id, const std::string& fields) {
    nodes[0].command({"HSET", "poll:nodes", id, ""});
    nodes[0].command({"SET", "poll:node:" + id, R"({"boot":")" + id + R"(",)" + fields + "}", "PX", "30000"});
  };
  lives("before", R"("status":"ready","started":1,"weight":1,"owned":0,"version":0)");
  lives("after",
        R"("v":2,"weight":1,"zone":{"name":"a"},"owned":0,"version":0,"status":"ready","started":1)");
  Listener one(nodes, "web-1", {"1", "2", "3", "4", "5", "6", "7", "8", "9"});
  const auto placed_on = [&](const std::string& id) {
    std::size_t count = 0;
    for (int i = 1; i <= 9; ++i) count += one.fleet->preferred_owner(std::to_string(i)) == id ? 1U : 0U;
    return count;
  };
  for (const auto* id : {"web-1", "before", "after"}) {
    EXPECT_TRUE(wait_until([&] { return placed_on(id) == 3; })) << id;
  }
  EXPECT_EQ(one.fleet->live_instances().size(), 3U);
}

}  // namespace
}  // namespace tenure::test
