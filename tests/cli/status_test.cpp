// tenure status: a fleet as people and programs see it.
#include <gtest/gtest.h>

#include "cli/fleet_facts.hpp"
#include "cli/pseudo_terminal.hpp"
#include "support/paths.hpp"

namespace tenure::test {
namespace {

class StatusTest : public testing::Test {
 protected:
  Result status(const Words& words = {}) {
    return tenure(Words{"status"} + words + redis_options(urls_of(nodes)));
  }
  void owned(const std::string& session, const std::string& owner) {
    for (auto& node : nodes) lease(node, session, owner);
  }

  RedisServer nodes[3];
  FleetFacts fleet{nodes[0]};
};

TEST_F(StatusTest, ShowsInstancesBalanceLeasesAndWhatIsWrong) {
  fleet.instance("web-1");
  fleet.instance("web-2", "leaving");
  nodes[0].command({"HSET", "poll:nodes", "long-gone", "1"});
  for (const char* id : {"s1", "s2", "s3"}) fleet.session(id);
  fleet.session("s4", R"({"address":"http://a","paused":true})");
  fleet.session("s5", "{}");
  fleet.result("s2", R"({"ok":false,"error":"no\u001b[2J answer","at":)" + wall_ms() + "}");
  owned("s1", "web-1");
  owned("s2", "dead");
  lease(nodes[1], "s3", "web-1");  // what is left of it on one of three
  const Result result = status();
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  EXPECT_TRUE(
      result.out.starts_with("fleet poll: 3 instances, 4 sessions, 2 owned, 1 paused, 1 with nobody, "
                             "1 failing, 1 bad\nbalance: most 1, fewest 1: not balanced within one\n"))
      << result.out;
  EXPECT_EQ(row_of(result.out, "INSTANCE"),
            (Words{"INSTANCE", "STATUS", "AGE", "WEIGHT", "OWNED", "SHARE", "BEAT", "LEFT"}));
  EXPECT_EQ(row_of(result.out, "web-1"), (Words{"web-1", "ready", "3m", "1", "1", "3", "30s"}));
  EXPECT_EQ(row_of(result.out, "web-2"), (Words{"web-2", "leaving", "3m", "1", "0", "-", "30s"}));
  EXPECT_EQ(row_of(result.out, "dead"), (Words{"dead", "silent", "-", "1", "1", "-", "-"}));
  EXPECT_EQ(row_of(result.out, "s1"), (Words{"s1", "web-1", "17", "25s", "10s", "never"}));
  EXPECT_EQ(row_of(result.out, "s3"), (Words{"s3", "nobody", "-", "-", "10s", "never"}));
  EXPECT_EQ(row_of(result.out, "s4"), (Words{"s4", "-", "-", "-", "paused", "never"}));
  EXPECT_TRUE(has(result.out, "\nSessions with nobody:\n  s3\n")) << result.out;
  EXPECT_TRUE(has(result.out, "\nFailing polls:\n  s2: no\\x1b[2J answer (error ")) << result.out;
  EXPECT_TRUE(has(result.out, "\nBad sessions, which nobody polls:\n  s5: it has no address\n"))
      << result.out;
}

TEST_F(StatusTest, ABalancedFleetSaysSo) {
  fleet.instance("web-1");
  fleet.instance("web-2");
  for (const char* id : {"s1", "s2", "s3"}) fleet.session(id);
  owned("s1", "web-1");
  owned("s2", "web-1");
  owned("s3", "web-2");
  EXPECT_TRUE(has(status().out, "balance: most 2, fewest 1: balanced within one\n"));
}

TEST_F(StatusTest, WeightsCountInTheBalance) {
  fleet.instance("web-1", "ready", 2);
  fleet.instance("web-2");
  for (const char* id : {"s1", "s2", "s3"}) fleet.session(id);
  owned("s1", "web-1");
  owned("s2", "web-1");
  owned("s3", "web-2");
  EXPECT_TRUE(has(status().out, "balance: most 1, fewest 1 for each weight of one: balanced within one\n"));
}

TEST_F(StatusTest, OfNothingItSaysThat) {
  make_ready(urls_of(nodes));
  const Result result = status();
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.out, "fleet poll: 0 instances, 0 sessions, 0 owned\nbalance: no instance is ready\n");
}

TEST_F(StatusTest, JsonHasTheSameFacts) {
  fleet.instance("web-1");
  fleet.session("s\"1");
  fleet.session("s2", "x");
  owned("s\"1", "web-1");
  fleet.result("s\"1", R"({"ok":true,"at":1794750636000})");
  const Result result = status({"--json"});
  EXPECT_EQ(result.code, 0);
  EXPECT_TRUE(result.out.starts_with(R"({"fleet": "poll", "at_ms": 1)")) << result.out;
  EXPECT_TRUE(has(result.out, R"("instances": [{"id": "web-1", "status": "ready", "started_ms": 1)"))
      << result.out;
  EXPECT_TRUE(has(result.out, R"("weight": 1, "owned": 1, "says_owned": 0, "share": 1.00, "left_ms": 2)"));
  EXPECT_TRUE(has(result.out, R"("balance": {"within_one": true, "most": 1.00, "fewest": 1.00})"));
  EXPECT_TRUE(has(
      result.out,
      R"("counts": {"sessions": 1, "paused": 0, "owned": 1, "unlisted": 0, "nobody": 0, "failing": 0, "bad": 1})"));
  EXPECT_TRUE(has(result.out,
                  R"("sessions": [{"id": "s\"1", "address": "http://a", "interval_ms": 10000, )"
                  R"("paused": false, "state": "held", "owner": "web-1", "token": 17, "left_ms": 2)"))
      << result.out;
  EXPECT_TRUE(has(result.out,
                  R"("result": {"ok": true, "error": "", "at_ms": 1794750636000, "took_ms": null, )"
                  R"("token": 17}})"));
  EXPECT_TRUE(has(result.out, R"("bad": [{"id": "s2", "why": "its text is not JSON: )"));
  EXPECT_TRUE(result.out.ends_with("}\n"));
}

TEST_F(StatusTest, OneNodeThatDoesNotAnswerIsSaidAndTwoAreTooMany) {
  fleet.instance("web-1");
  fleet.session("s1");
  owned("s1", "web-1");
  nodes[2].kill();
  const Result some = status();
  EXPECT_EQ(some.code, 0);
  EXPECT_TRUE(has(some.err, "tenure: " + nodes[2].url() + ": connection refused")) << some.err;
  EXPECT_EQ(row_of(some.out, "s1").at(1), "web-1");
  nodes[1].kill();
  const Result few = status();
  EXPECT_EQ(few.code, 69);
  EXPECT_EQ(few.out, "");
  EXPECT_TRUE(has(few.err, "2 of 3 nodes must answer, and 2 failed:")) << few.err;
}

TEST_F(StatusTest, TheFirstFiftySessionsAreEnoughUnlessAllAreAskedFor) {
  for (int i = 0; i < 1'203; ++i) fleet.session("s" + std::to_string(10'000 + i));
  const Result some = status();
  EXPECT_TRUE(has(some.out, "s10049   nobody")) << some.out;
  EXPECT_FALSE(has(some.out, "s10050")) << some.out;
  EXPECT_TRUE(has(some.out, "and 1153 more; --all shows them\n")) << some.out;
  const Result all = status({"--all"});
  EXPECT_TRUE(has(all.out, "s11202   nobody"));
  EXPECT_FALSE(has(all.out, "more; --all"));
}

TEST_F(StatusTest, WatchRedrawsTheTerminalAsThingsChangeUntilCtrlC) {
  fleet.session("s1");
  Terminal terminal(Words{paths::program, "status", "--watch"} + redis_options(urls_of(nodes)));
  ASSERT_TRUE(terminal.shows("1 with nobody")) << terminal.screen();
  fleet.instance("web-1");
  owned("s1", "web-1");
  EXPECT_TRUE(terminal.shows("balanced within one")) << terminal.screen();
  EXPECT_TRUE(has(terminal.screen(), "\x1b[H\x1b[J"));
  nodes[0].kill();
  EXPECT_TRUE(terminal.shows(nodes[0].url() + ": connection refused")) << terminal.screen();
  nodes[0].restart();
  EXPECT_TRUE(terminal.shows("0 sessions")) << terminal.screen();
  terminal.type(ctrl_c);
  EXPECT_EQ(terminal.exit_code(), 0);
}

TEST_F(StatusTest, WatchInAPipeWritesOnePageAfterTheOther) {
  const auto watching = start_tenure(Words{"status", "--watch", "--json"} + redis_options(urls_of(nodes)));
  EXPECT_TRUE(wait_until([&] { return std::ranges::count(watching->out(), '\n') >= 2; }));
  EXPECT_FALSE(has(watching->out(), "\x1b"));
  watching->send(SIGTERM);
  EXPECT_EQ(watching->exit_code(), 0);
}

}  // namespace
}  // namespace tenure::test
