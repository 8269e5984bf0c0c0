// tenure poll: what it says, what it runs, how it starts and ends, and what bad sessions cost. P6, P24.
#include <csignal>
#include <regex>

#include "cli/pseudo_terminal.hpp"
#include "support/paths.hpp"
#include "support/poll_fleet.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;
using Visit = PollFleet::Visit;

bool matches(const std::string& text, const std::string& pattern) {
  return std::regex_search(text, std::regex(pattern));
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t times = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) times += 1;
  return times;
}

TEST(Poll, P24_SaysInTheQuickstartsWordsWhatHappensToALease) {
  PollFleet fleet({.sessions = 2, .words = {"--ttl", "1s", "--text"}});
  fleet.start_all({"web-1"});
  ASSERT_TRUE(prints(fleet["web-1"], "Lease renewed: instance=web-1 endpoint=s-2")) << fleet.told();
  ASSERT_TRUE(prints(fleet["web-1"], "Poll started: instance=web-1 endpoint=s-1")) << fleet.told();
  fleet.start("web-2");
  ASSERT_TRUE(wait_until([&] { return fleet.shared_by({"web-1", "web-2"}); })) << fleet.told();
  const std::string time = R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z )";
  EXPECT_TRUE(
      matches(fleet["web-1"].out(), time + R"(Lease acquired: instance=web-1 endpoint=s-1 token=\d+\n)"))
      << fleet.told();
  EXPECT_TRUE(wait_until([&] {
    return matches(fleet["web-1"].out(),
                   time + R"(Lease released: instance=web-1 endpoint=s-[12] token=\d+ reason=rebalance\n)");
  })) << fleet.told();
  EXPECT_TRUE(prints(fleet["web-2"], "Lease acquired: instance=web-2 endpoint=s-")) << fleet.told();
  fleet["web-2"].send(SIGTERM);
  EXPECT_EQ(fleet["web-2"].exit_code(), 0);
  EXPECT_TRUE(has(fleet["web-2"].out(), " reason=stopped\n")) << fleet.told();
  EXPECT_EQ(fleet["web-1"].err() + fleet["web-2"].err(), "");
  fleet.judge();
}

TEST(Poll, P24_IsTextOnATerminalAndJsonElsewhere) {
  PollFleet fleet({.sessions = 1});
  Terminal terminal(Words{paths::program, "poll", "--ttl", "1s", "--id", "web-1"} + fleet.place());
  EXPECT_TRUE(terminal.shows("Lease acquired: instance=web-1 endpoint=s-1")) << terminal.screen();
  terminal.type(ctrl_c);
  EXPECT_TRUE(terminal.shows("reason=stopped")) << terminal.screen();
  EXPECT_TRUE(terminal.shows("polls, 0 failed")) << terminal.screen();
  fleet.start_all({"web-2"});
  ASSERT_TRUE(wait_until([&] { return fleet.said("web-2", "lease_renewed") > 0; })) << fleet.told();
  fleet["web-2"].send(SIGTERM);
  ASSERT_EQ(fleet["web-2"].exit_code(), 0);
  std::istringstream lines(fleet["web-2"].out());
  for (std::string line; std::getline(lines, line);) {
    EXPECT_TRUE(matches(line,
                        R"re(^\{"time": "\d{4}-[^"]+Z", "level": "(info|debug)", "event": "[a-z_]+", )re"
                        R"re("message": "[^"]+", "instance": "web-2"(, "[a-z]+": ("[^"]*"|\d+))*\}$)re"))
        << line;
  }
  EXPECT_EQ(fleet.said("web-2", "lease_acquired", "s-1"), 1U);
  EXPECT_EQ(fleet.said("web-2", "lease_released", "s-1"), 1U);
}

TEST(Poll, P6_TheQuickstartsLinesForRedisCliWork) {
  PollFleet fleet({.sessions = 2});
  fleet.start_all({"web-1"});
  const auto lines = [&](const std::string& line) {
    Process shell({"bash", "-c", "redis-cli() { command redis-cli -s \"$0\" \"$@\"; }\n" + line,
                   fleet.nodes[0].socket_path()});
    EXPECT_EQ(shell.exit_code(), 0) << shell.err();
    return shell.out();
  };
  EXPECT_TRUE(matches(lines(R"(redis-cli KEYS "poll:lease:*")"), "^poll:lease:s-[12]\npoll:lease:s-[12]\n$"));
  EXPECT_EQ(lines(R"(redis-cli KEYS "poll:node:*")"), "poll:node:web-1\n");
  EXPECT_TRUE(lines(R"(redis-cli GET "poll:lease:s-1")").starts_with("web-1#"));
  const int left = std::stoi(lines(R"(redis-cli TTL "poll:lease:s-1")"));
  EXPECT_TRUE(left >= 1 && left <= 3) << left;
}

TEST(Poll, T44_ASecondInstanceOfTheSameIdSaysWhyItDoesNotStart) {
  PollFleet fleet({.sessions = 1});
  fleet.start_all({"web-1"});
  const Result second = tenure(Words{"poll", "--id", "web-1", "--ttl", "3s"} + fleet.place());
  EXPECT_EQ(second.code, 75);
  EXPECT_TRUE(has(second.err,
                  "an instance with the id web-1 lives already in the fleet poll; give this one another id"))
      << second.err;
  // Before that it waits whether the other goes on beating.
  EXPECT_EQ(count(second.err, "\n"), 2U) << second.err;
  EXPECT_TRUE(fleet.owned_by({"web-1"}));
  EXPECT_TRUE(fleet["web-1"].running());
}

// As a pod that is killed and started again under its name.
TEST(Poll, WhatWasKilledIsReplacedUnderItsIdWhenItsHeartbeatHasRunOut) {
  PollFleet fleet({.sessions = 1});
  fleet.start_all({"web-1"});
  fleet["web-1"].send(SIGKILL);
  ASSERT_TRUE(fleet["web-1"].wait());
  const auto again = start_tenure(Words{"poll", "--id", "web-1", "--ttl", "3s"} + fleet.place());
  EXPECT_TRUE(wait_until([&] { return has(again->err(), "its heartbeat runs out in "); })) << again->err();
  EXPECT_TRUE(prints(*again, "lease_acquired")) << again->err();
  EXPECT_EQ(count(again->err(), "\n"), 1U) << again->err();
  again->send(SIGTERM);
  EXPECT_EQ(again->exit_code(), 0);
}

TEST(Poll, P8_SessionsComePauseAndGoWithoutARestart) {
  PollFleet fleet({.sessions = 1});
  fleet.start_all({"web-1"});
  const auto sessions = [&](const Words& words) {
    const Result result = tenure(Words{"sessions"} + words + fleet.place());
    EXPECT_EQ(result.code, 0) << result.err;
  };
  const auto owned = [&](const std::string& id) { return fleet.lease_value(id).starts_with("web-1#"); };
  sessions({"add", "new", fleet.target->url("/"), "--every", "4s"});
  EXPECT_TRUE(wait_until([&] { return fleet.polled(core::long_ago).contains("new"); }, 3s)) << fleet.told();
  sessions({"pause", "new"});
  EXPECT_TRUE(wait_until([&] { return fleet.lease_value("new").empty(); }, 3s)) << fleet.told();
  sessions({"resume", "new"});
  EXPECT_TRUE(wait_until([&] { return owned("new"); }, 3s)) << fleet.told();
  sessions({"rm", "new"});
  EXPECT_TRUE(wait_until([&] { return fleet.lease_value("new").empty(); }, 3s)) << fleet.told();
  EXPECT_TRUE(owned("s-1"));
  fleet.judge();
}

TEST(Poll, ARedisThatIsAwayAtTheStartIsWaitedFor) {
  PollFleet fleet({.sessions = 2});
  fleet.nodes[0].kill();
  fleet.start("web-1");
  ASSERT_TRUE(wait_until([&] { return has(fleet["web-1"].err(), "trying again"); })) << fleet.told();
  std::this_thread::sleep_for(1200ms);  // two more tries
  EXPECT_EQ(count(fleet["web-1"].err(), "trying again"), 1U) << "said once\n" << fleet.told();
  fleet.nodes[0].restart();
  init(fleet.nodes[0]);
  fleet.add_sessions();
  EXPECT_TRUE(fleet.all_are_polled(core::long_ago, 5s)) << fleet.told();
  // And one that waits can be ended.
  fleet.nodes[0].kill();
  auto& waits = fleet.start("web-2");
  ASSERT_TRUE(wait_until([&] { return has(waits.err(), "trying again"); })) << fleet.told();
  waits.send(SIGTERM);
  EXPECT_EQ(waits.exit_code(3s), 0) << waits.err();
}

TEST(Poll, SigtermHandsOverWhatIsInFlightLast) {
  PollFleet fleet({.sessions = 2, .path = "/slow/800"});
  fleet.start_all({"web-1"});
  fleet.start("web-2");
  ASSERT_TRUE(wait_until([&] { return fleet.shared_by({"web-1", "web-2"}); })) << fleet.told();
  ASSERT_TRUE(wait_until([&] {
    const auto visits = fleet.target->visits();
    return !visits.empty() && visits.back().instance == "web-1" && !visits.back().ended;
  })) << fleet.told();
  const Visit last = fleet.target->visits().back();
  fleet["web-1"].send(SIGTERM);
  EXPECT_EQ(fleet["web-1"].exit_code(), 0);
  EXPECT_TRUE(wait_until([&] { return fleet.owned_by({"web-2"}); })) << fleet.told();
  const auto visits = fleet.target->visits();
  const auto same = std::ranges::find_if(
      visits, [&](const Visit& it) { return it.began == last.began && it.session == last.session; });
  ASSERT_NE(same, visits.end());
  EXPECT_TRUE(same->answered) << "a poll in flight may end";
  EXPECT_TRUE(has(fleet["web-1"].out(), " 0 aborted, 0 results refused")) << fleet["web-1"].out();
  EXPECT_EQ(fleet.data().command({"HGET", "state:" + last.session, "token"}).text,
            std::to_string(last.token));
  fleet.judge();
}

TEST(Poll, ExecRunsACommandWithTheLeaseInItsEnvironment) {
  PollFleet fleet(
      {.sessions = 1,
       .words = {"--ttl", "2s", "--strict", "--exec",
                 "echo \"$TENURE_SESSION $TENURE_ADDRESS $TENURE_TOKEN $TENURE_INSTANCE\"; exit 3"}});
  fleet.data().command({"SET", "session:s-1", R"({"address": "over there", "interval_ms": 4000})"});
  fleet.start_all({"web-1"});
  ASSERT_TRUE(wait_until([&] { return fleet.said("web-1", "poll_failed", "s-1") == 1; })) << fleet.told();
  const auto token = std::to_string(fleet.leases().at("s-1").token);
  const auto result = [&] { return fleet.data().command({"HGET", "state:s-1", "result"}).text; };
  ASSERT_TRUE(wait_until([&] { return has(result(), "s-1 over there " + token + " web-1\\n"); })) << result();
  EXPECT_TRUE(has(result(), R"("ok": false, "status": 3)")) << result();
}

TEST(Poll, BadSessionsAreToldOnceEachAndDelayNoOther) {
  PollFleet fleet({.sessions = 2, .words = {"--ttl", "3s", "--timeout", "1s"}});
  const auto put = [&](const std::string& id, const std::string& text) {
    fleet.data().command({"SET", "session:" + id, text});
  };
  const auto poll = [&](const std::string& id, const std::string& address) {
    put(id, R"({"interval_ms": 4000, "address": ")" + address + "\"}");
  };
  put("no-json", "{what");
  put("no-address", R"({"interval_ms": 4000})");
  put("no-port", R"({"address": "http://a:99999/", "interval_ms": 4000})");
  put("too-often", R"({"address": "http://a", "interval_ms": 3999})");
  put("too-seldom", R"({"address": "http://a", "interval_ms": 120001})");
  fleet.data().command({"HSET", "session:hash", "a", "b"});
  poll("long", fleet.target->url("/huge/104857600"));
  poll("longer", fleet.target->url("/stream/104857600"));
  poll("hangs", fleet.target->url("/hang"));
  poll("round", fleet.target->url("/redirect"));
  poll("nowhere", "http://nowhere.invalid/");
  fleet.start("web-1");
  const std::vector<std::string> unreadable{"no-json",   "no-address", "no-port",
                                            "too-often", "too-seldom", "hash"};
  const std::vector<std::string> failing{"long", "longer", "hangs", "round", "nowhere"};
  for (const auto& id : unreadable) {
    EXPECT_TRUE(wait_until([&] { return fleet.said("web-1", "session_bad", id) == 1; }))
        << id << fleet.told();
  }
  for (const auto& id : failing) {
    EXPECT_TRUE(wait_until([&] { return fleet.said("web-1", "poll_failed", id) == 1; }))
        << id << fleet.told();
  }
  // The others keep their times: three polls of each, four seconds apart.
  ASSERT_TRUE(wait_until(
      [&] {
        const auto visits = fleet.target->visits();
        return std::ranges::count(visits, "s-1", &Visit::session) >= 3 &&
               std::ranges::count(visits, "s-2", &Visit::session) >= 3;
      },
      15s))
      << fleet.told();
  for (const auto& id : fleet.sessions()) {
    std::vector<core::Time> began;
    for (const auto& visit : fleet.target->visits()) {
      if (visit.session == id) began.push_back(visit.began);
    }
    EXPECT_LT(began.at(2) - began.at(1), 4'500ms) << id;
    EXPECT_GT(began.at(2) - began.at(1), 3'500ms) << id;
  }
  for (const auto& id : unreadable) EXPECT_EQ(fleet.said("web-1", "session_bad", id), 1U) << id;
  for (const auto& id : failing) EXPECT_EQ(fleet.said("web-1", "poll_failed", id), 1U) << id;
  const Result status = tenure(Words{"status", "--all"} + fleet.place());
  EXPECT_EQ(status.code, 0) << status.err;
  for (const auto& id : unreadable) EXPECT_TRUE(has(status.out, id)) << id << '\n' << status.out;
  for (const auto& id : failing) EXPECT_TRUE(has(status.out, id)) << id << '\n' << status.out;
  // What becomes good is polled, and said to be.
  poll("no-json", fleet.target->url("/"));
  fleet.say_sessions_changed();
  EXPECT_TRUE(wait_until([&] { return fleet.said("web-1", "session_good", "no-json") == 1; }))
      << fleet.told();
  EXPECT_TRUE(wait_until([&] { return fleet.polled(core::long_ago).contains("no-json"); })) << fleet.told();
  fleet.judge();
}

TEST(Demo, LeavesNothingBehind) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("tenure-demo-test-" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  auto demo = start_tenure({"demo", "--plain"}, {"TMPDIR=" + folder.string()});
  ASSERT_TRUE(prints(*demo, " polls session-")) << demo->out() << demo->err();
  ASSERT_TRUE(prints(*demo, "Each has three, with nothing configured.")) << demo->out();
  Process children({"pgrep", "-P", std::to_string(demo->pid())});
  ASSERT_EQ(children.exit_code(), 0);
  std::istringstream pids(children.out());
  std::vector<pid_t> all;
  for (pid_t pid = 0; pids >> pid;) all.push_back(pid);
  EXPECT_EQ(all.size(), 5U) << "a Redis, three instances, and who serves the page";
  EXPECT_TRUE(has(demo->out(), "Watch it in a browser: http://127.0.0.1:")) << demo->out();
  const auto all_polled = [&] {
    const std::string out = demo->out();
    for (int i = 1; i <= 9; ++i) {
      if (!has(out, " polls session-" + std::to_string(i))) return false;
    }
    return true;
  };
  ASSERT_TRUE(wait_until(all_polled)) << demo->out();
  demo->send(SIGINT);
  EXPECT_EQ(demo->exit_code(), 0) << demo->err();
  EXPECT_TRUE(has(demo->out(), "of 9 sessions, overlaps: 0, ")) << demo->out();
  for (const pid_t pid : all) EXPECT_NE(kill(pid, 0), 0) << pid << " lives on";
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  std::filesystem::remove_all(folder);
}

// In a script or a CI job nobody presses Ctrl-C.
TEST(Demo, TellsItsStoryAndEndsWhereItsOutputIsNoTerminal) {
  auto demo = start_tenure({"demo"});
  EXPECT_EQ(demo->exit_code(100s), 0) << demo->out() << demo->err();
  for (const char* chapter :
       {"Each has three", "is killed", "have its sessions", "starts again", "Three each again"}) {
    EXPECT_TRUE(has(demo->out(), chapter)) << chapter << '\n' << demo->out();
  }
  EXPECT_TRUE(has(demo->out(), "of 9 sessions, overlaps: 0, ")) << demo->out();
  EXPECT_FALSE(has(demo->out(), "Ctrl-C")) << demo->out();
}

TEST(Demo, OnARedisOfSomebodyLeavesNothingBehindThere) {
  ReadyRedis redis;
  redis.command({"SET", "session:mine", "{}"});
  auto demo = start_tenure({"demo", "--store", redis.url()});
  ASSERT_TRUE(prints(*demo, " polls session-")) << demo->out() << demo->err();
  ASSERT_TRUE(prints(*demo, "Each has three, with nothing configured.")) << demo->out();
  EXPECT_TRUE(has(demo->out(), redis.url() + ", with a fleet of its own (demo-")) << demo->out();
  demo->send(SIGINT);
  EXPECT_EQ(demo->exit_code(), 0) << demo->err();
  EXPECT_EQ(demo->err(), "");
  const auto keys = redis.command({"KEYS", "*demo-*"});
  EXPECT_TRUE(keys.items.empty()) << keys.items.front().text;
  EXPECT_EQ(redis.command({"EXISTS", "session:mine"}).integer, 1);
}

// Leases of three seconds are not allowed where the cap is two.
TEST(Demo, WhoseInstancesEndSaysWhy) {
  const RedisServer redis;
  ASSERT_EQ(tenure({"init", "--redis", redis.url(), "--ttl-max", "2s"}).code, 0);
  const Result result = tenure({"demo", "--store", redis.url(), "--ttl-max", "2s"});
  EXPECT_EQ(result.code, 1) << result.out;
  EXPECT_TRUE(has(result.err, "has ended: ")) << result.err;
  EXPECT_TRUE(has(result.err, "ttl")) << result.err;
}

TEST(Demo, TakesNoOptionsOfNodesWithoutNodes) {
  const Result result = tenure({"demo", "--ttl-max", "30s"});
  EXPECT_EQ(result.code, 64);
  EXPECT_TRUE(has(result.err, "options of nodes want a --store or a --redis-file")) << result.err;
}

TEST(Demo, SaysByItsExitCodeWhyItCannotBegin) {
  const Result away = tenure({"demo", "--store", "redis://127.0.0.1:1"});
  EXPECT_EQ(away.code, 69);
  EXPECT_TRUE(has(away.err, "the demonstration cannot begin: not ready: 0 of 1 node")) << away.err;
  const Result without = tenure({"demo"}, {"PATH=/nonexistent"});
  EXPECT_EQ(without.code, 125);
  EXPECT_TRUE(has(without.err, "there is neither redis-server nor valkey-server in PATH")) << without.err;
}

TEST(Demo, FailsIfItsStoryIsNotOverInTime) {
  auto demo = start_tenure({"demo", "--seconds", "3"});
  EXPECT_EQ(demo->exit_code(60s), 1) << demo->out();
  EXPECT_TRUE(has(demo->err(), "the demonstration was not over after 3 s")) << demo->err();
  EXPECT_TRUE(has(demo->err(), "session-9: ")) << demo->err();
  EXPECT_EQ(tenure({"demo", "--seconds", "0"}).code, 64);
}

}  // namespace
}  // namespace tenure::test
