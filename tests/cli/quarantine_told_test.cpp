// Whoever waits for a Redis in quarantine is told so: by tenure poll, status and explain, with the node and the time.
#include <regex>

#include "cli/fleet_facts.hpp"
#include "support/poll_fleet.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;

bool matches(const std::string& text, const std::string& pattern) {
  return std::regex_search(text, std::regex(pattern));
}

// Of that event, the first line.
std::string line_of(const Process& process, const std::string& event) {
  std::istringstream lines(process.out());
  for (std::string line; std::getline(lines, line);) {
    if (has(line, R"("event": ")" + event + '"')) return line;
  }
  return "";
}

// A quarantine of 2.2 s.
const PollFleetOptions short_cap{.sessions = 2, .words = {"--ttl", "1s"}, .cap = core::Ttl(2'000)};

TEST(QuarantineTold, APollerSaysWhoItIsWhenItStarts) {
  PollFleet fleet({.apart = true, .sessions = 1});
  fleet.start_all({"web-1"});
  const std::string start = fleet["web-1"].out().substr(0, fleet["web-1"].out().find('\n'));
  EXPECT_TRUE(
      has(start,
          R"("event": "starting", "message": "Starting", "instance": "web-1", "fleet": "poll", "redis": ")" +
              fleet.nodes[0].url() + R"(", "data": ")" + fleet.data().url() + R"(", "ttl": "3s")"))
      << start;
  const auto text = start_tenure(Words{"poll", "--id", "web-2", "--text"} + fleet.place());
  EXPECT_TRUE(prints(*text, "Starting: instance=web-2 fleet=poll redis=" + fleet.nodes[0].url() +
                                " data=" + fleet.data().url() + " ttl=30s\n"))
      << text->out();
}

TEST(QuarantineTold, APollerSaysWhichNodeItWaitsForAndForHowLongAndWhenThatIsOver) {
  PollFleet fleet(short_cap);
  fleet.nodes[0].restart();
  fleet.add_sessions();
  auto& poller = fleet.start("web-1");
  ASSERT_TRUE(prints(poller, R"("event": "quarantine")")) << fleet.told();
  EXPECT_TRUE(matches(line_of(poller, "quarantine"),
                      R"("detail": ")" + fleet.nodes[0].url() +
                          " has no record of Tenure: new, or its data was lost. "
                          "New grants within [123]s. If it is new, tenure init opens it at once: tenure init "
                          R"(--redis [^"]+", "opens_in_ms": \d{3,4}\}$)"))
      << line_of(poller, "quarantine");
  EXPECT_TRUE(fleet.all_are_polled(core::long_ago)) << fleet.told();
  EXPECT_TRUE(prints(poller, R"("event": "open", "message": "New leases again", "instance": "web-1"})"))
      << fleet.told();
  EXPECT_EQ(fleet.said("web-1", "quarantine"), 1U) << fleet.told();
  EXPECT_EQ(fleet.said("web-1", "open"), 1U) << fleet.told();
}

TEST(QuarantineTold, APollerThatIsGrantedItsLeasesAtOnceSaysNothingOfIt) {
  PollFleet fleet({.nodes = 3, .sessions = 2});
  fleet.nodes[2].restart();
  fleet.start_all({"web-1"});
  EXPECT_EQ(fleet.said("web-1", "quarantine"), 0U) << fleet.told();
  EXPECT_EQ(fleet.said("web-1", "open"), 0U) << fleet.told();
}

TEST(QuarantineTold, OfSeveralNodesThoseInQuarantineAreNamed) {
  PollFleet fleet({.nodes = 3, .sessions = 2});
  fleet.nodes[0].restart();
  fleet.nodes[2].restart();
  fleet.add_sessions();
  auto& poller = fleet.start("web-1");
  ASSERT_TRUE(prints(poller, R"("event": "quarantine")")) << fleet.told();
  const std::string line = line_of(poller, "quarantine");
  EXPECT_TRUE(has(line, fleet.nodes[0].url())) << line;
  EXPECT_TRUE(has(line, fleet.nodes[2].url())) << line;
  EXPECT_TRUE(has(line,
                  " have no record of Tenure: new, or their data was lost, and 2 of 3 nodes must give "
                  "a lease. New grants within 66s."))
      << line;
}

TEST(QuarantineTold, APollerWithAnotherCapIsToldWhichOneToUse) {
  PollFleet fleet({.sessions = 1});
  const auto poller =
      start_tenure({"poll", "--redis", fleet.nodes[0].url(), "--ttl", "1s", "--ttl-max", "30s"});
  EXPECT_TRUE(prints(
      *poller,
      "the cap of this Redis is 1m, ours is 30s; all clients must use the same ttl_max: use --ttl-max 1m"))
      << poller->out();
}

struct StatusTold : testing::Test {
  ReadyRedis redis{{.arguments = {"--appendonly", "yes", "--appendfsync", "always"}}};
  FleetFacts facts{redis};

  StatusTold() {
    facts.instance("web-1");
    facts.session("s-1");
  }
  Result answer_to(const Words& words) const { return tenure(words + Words{"--redis", redis.url()}); }
};

TEST_F(StatusTold, AnOpenRedisIsNotMentioned) {
  const Result page = answer_to({"status"});
  EXPECT_FALSE(has(page.out, "new lease")) << page.out;
  const Result json = answer_to({"status", "--json"});
  EXPECT_TRUE(has(json.out, R"("open": true, "not_open": [])")) << json.out;
}

TEST_F(StatusTold, BeforeAClientHasComeItSaysThatAQuarantineIsToBegin) {
  redis.restart();
  const Result page = answer_to({"status"});
  EXPECT_TRUE(
      has(page.out, "\nNobody gets a new lease now:\n  " + redis.url() +
                        ": it was restarted since its record was written\n    why: it may have forgotten "
                        "leases: the first client to come begins a quarantine of 66s "))
      << page.out;
  const Result json = answer_to({"status", "--json"});
  EXPECT_TRUE(has(json.out, R"("open": false, "not_open": [{"node": ")" + redis.url() +
                                R"(", "code": "restarted", "what": "it was restarted )"))
      << json.out;
  EXPECT_TRUE(has(json.out, R"("left_ms": null, "left_max_ms": 66000}])")) << json.out;
}

TEST_F(StatusTold, InQuarantineItSaysHowLongThatLasts) {
  redis.restart();
  ASSERT_EQ(tenure(Job{.options = {"-n"}}.words(redis.url())).code, 76);  // begins it, and leaves
  const std::string told =
      "\nNobody gets a new lease now:\n  " + redis.url() +
      ": it was restarted, promoted or restored from a copy, and may have forgotten leases; "
      "new grants (in \\d\\ds if a client has been waiting, otherwise )?within 66s, once "
      "(a client waits for them|one waits)\n    why: ";
  const Result page = answer_to({"status"});
  EXPECT_TRUE(matches(page.out, told)) << page.out;
  const Result json = answer_to({"status", "--json"});
  EXPECT_TRUE(matches(json.out,
                      R"("code": "quarantined", "what": "[^"]+", "why": "[^"]+", "advice": "wait", )"
                      R"("left_ms": \d\d000, "left_max_ms": 66000\}\])"))
      << json.out;
  const Result explained = answer_to({"explain", "s-1"});
  EXPECT_TRUE(matches(explained.out, told)) << explained.out;
}

TEST_F(StatusTold, AMinorityInQuarantineIsToldApart) {
  RedisServer nodes[3];
  const Words urls{nodes[0].url(), nodes[1].url(), nodes[2].url()};
  make_ready(urls);
  RedisServer& third = nodes[2];
  third.command({"FLUSHALL"});
  const Result page = tenure(Words{"status"} + redis_options(urls));
  EXPECT_TRUE(has(page.out, "\nEnough nodes give new leases, but not these:\n  " + third.url() +
                                ": it has no record of Tenure: new, or its data was lost\n"))
      << page.out;
}

TEST_F(StatusTold, WhoWatchesSeesItBeginAndEnd) {
  const Words place{"--redis", redis.url(), "--ttl-max", "2s"};
  redis.command({"FLUSHALL"});
  facts.session("s-1");
  const auto watch = start_tenure(Words{"status", "--watch"} + place);
  EXPECT_TRUE(
      prints(*watch, "\nNobody gets a new lease now:\n  " + redis.url() + ": it has no record of Tenure"))
      << watch->out();
  const auto poller = start_tenure(Words{"poll", "--id", "web-9", "--ttl", "1s"} + place);
  EXPECT_TRUE(wait_until([&] {
    const std::string out = watch->out();
    const auto last = out.rfind("fleet poll:");
    return has(out.substr(last), "web-9") && !has(out.substr(last), "new lease");
  })) << watch->out();
}

}  // namespace
}  // namespace tenure::test
