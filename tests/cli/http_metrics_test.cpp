// GET /metrics: what Prometheus scrapes.
#include <csignal>

#include "cli/endpoint.hpp"
#include "support/poll_fleet.hpp"
#include "support/promtool.hpp"

namespace tenure::test {
namespace {

TEST(HttpMetrics, ARunThatHoldsItsLockCountsItAndPrometheusReadsThePage) {
  ReadyRedis redis;
  const ServingTenure holder(Words{"run", "secret-name"} + redis_options({redis.url()}) + Words{"--"} +
                             stay());
  ASSERT_TRUE(holder.comes_to("/metrics", 200, "\ntenure_leases_held 1\n"));
  const auto page = holder.get("/metrics");
  EXPECT_EQ(page.header("Content-Type"), "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_TRUE(has(page.body, "tenure_acquisitions_total{outcome=\"granted\"} 1\n")) << page.body;
  EXPECT_FALSE(has(page.body, "secret-name")) << "a name would be a label without bound";
  EXPECT_EQ(promtool_complaints(page.body), "");
}

TEST(HttpMetrics, ARunThatWaitsForItsTurnSaysSo) {
  ReadyRedis redis;
  const auto words = Words{"run", "a"} + redis_options({redis.url()}) + Words{"--"} + stay();
  const ServingTenure holder(words);
  ASSERT_TRUE(holder.comes_to("/metrics", 200, "\ntenure_leases_held 1\n"));
  const ServingTenure waiter(words);
  ASSERT_TRUE(waiter.comes_to("/metrics", 200, "\ntenure_acquisitions_waiting 1\n"));
  EXPECT_TRUE(has(holder.get("/metrics").body, "\ntenure_acquisitions_waiting 0\n"));
  holder.process().send(SIGTERM);
  ASSERT_TRUE(waiter.comes_to("/metrics", 200, "\ntenure_leases_held 1\n"));
  EXPECT_TRUE(has(waiter.get("/metrics").body, "\ntenure_acquisitions_waiting 0\n"));
}

TEST(HttpMetrics, ACandidateSaysWhetherItLeads) {
  ReadyRedis redis;
  const auto words = Words{"elect", "a"} + redis_options({redis.url()});
  const ServingTenure leader(words);
  ASSERT_TRUE(leader.comes_to("/metrics", 200, "tenure_election_is_leader{election=\"1\"} 1\n"))
      << leader.get("/metrics").body;
  const ServingTenure follower(words);
  ASSERT_TRUE(follower.comes_to("/metrics", 200, "tenure_election_is_leader{election=\"1\"} 0\n"));
  leader.process().send(SIGTERM);
  EXPECT_TRUE(follower.comes_to("/metrics", 200, "tenure_election_is_leader{election=\"1\"} 1\n"));
}

TEST(HttpMetrics, AnInstanceCountsItsSessionsAndPolls) {
  PollFleet fleet({.sessions = 3});
  const ServingTenure instance(Words{"poll", "--ttl", "3s"} + fleet.place());
  ASSERT_TRUE(instance.comes_to("/metrics", 200, "\ntenure_fleet_sessions_owned 3\n"))
      << instance.get("/metrics").body;
  ASSERT_TRUE(wait_until([&] {
    const auto page = instance.get("/metrics").body;
    return has(page, "tenure_polls_total{outcome=\"succeeded\"} ") &&
           !has(page, "tenure_polls_total{outcome=\"succeeded\"} 0\n");
  })) << instance.get("/metrics").body;
  EXPECT_EQ(promtool_complaints(instance.get("/metrics").body), "");
}

// It has no client whose counts it could tell, and so tells of the nodes.
TEST(HttpMetrics, WebTellsHowTheNodesAre) {
  ReadyRedis redis({.tcp = true});
  RedisServer empty({.tcp = true});
  const ServingTenure web(Words{"web"} + redis_options({redis.url(), empty.url()}));
  const std::string first = R"({node="1",address=")" + redis.url() + R"(/0"} )";
  const std::string second = R"({node="2",address=")" + empty.url() + R"(/0"} )";
  ASSERT_TRUE(web.comes_to("/metrics", 200, "tenure_node_up" + first + "1\n")) << web.get("/metrics").body;
  const auto page = web.get("/metrics");
  EXPECT_EQ(page.header("Content-Type"), "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_TRUE(has(page.body, "tenure_node_last_round_trip_seconds" + first)) << page.body;
  EXPECT_TRUE(has(page.body, "tenure_node_quarantined" + second + "1\n")) << page.body;
  EXPECT_FALSE(has(page.body, "tenure_leases_held")) << page.body;
  EXPECT_EQ(promtool_complaints(page.body), "");
  empty.kill();
  EXPECT_TRUE(web.comes_to("/metrics", 200, "tenure_node_up" + second + "0\n")) << web.get("/metrics").body;
}

}  // namespace
}  // namespace tenure::test
