// --http on a PostgreSQL: the same paths and answers as on Redis.
#include <csignal>

#include "cli/endpoint.hpp"
#include "cli/ready_postgres.hpp"

namespace tenure::test {
namespace {

TEST(PostgresqlHttp, RunAndElectAnswerProbes) {
  const ReadyPostgres postgres;
  const Words place = store(postgres.url());
  for (const auto& words :
       {run_words(postgres.url(), {}, stay()), Words{"elect", "a"} + place,
        Words{"elect", "b", "--observe"} + place, Words{"elect", "c"} + place + Words{"--"} + stay()}) {
    const ServingTenure tenure(words);
    EXPECT_EQ(tenure.get("/livez").body, "ok\n");
    const auto ready = tenure.get("/readyz");
    EXPECT_EQ(ready.status, 200);
    EXPECT_EQ(ready.body, "ready: 1 of 1 node gives leases, 1 is needed\n");
    EXPECT_TRUE(has(tenure.get("/api/v1/self").body, "\"command\": \"" + words.front() + "\""));
    const auto nodes = tenure.get("/api/v1/nodes").body;
    EXPECT_TRUE(has(nodes, postgres.url())) << nodes;
    EXPECT_TRUE(has(nodes, "\"status\": \"healthy\"")) << nodes;
    EXPECT_TRUE(tenure.comes_to("/metrics", 200, "tenure_"));
    tenure.process().send(SIGTERM);
    EXPECT_TRUE(tenure.process().wait());
  }
}

TEST(PostgresqlHttp, SelfShowsTheLeaseOfARun) {
  const ReadyPostgres postgres;
  const ServingTenure tenure(run_words(postgres.url(), {}, stay()));
  const long token = number_printed(tenure.process());
  EXPECT_TRUE(tenure.comes_to("/api/v1/self", 200, "\"token\": " + std::to_string(token)))
      << tenure.get("/api/v1/self").body;
}

TEST(PostgresqlHttp, LeaderNamesWhoeverLeads) {
  const ReadyPostgres postgres;
  const ServingTenure leader(Words{"elect", "a", "--id", "web-1"} + store(postgres.url()));
  ASSERT_TRUE(leader.comes_to("/leader", 200, "\"name\": \"web-1\"")) << leader.get("/leader").body;
  const ServingTenure other(Words{"elect", "a", "--id", "web-2"} + store(postgres.url()));
  EXPECT_TRUE(other.comes_to("/leader", 200, "\"name\": \"web-1\"")) << other.get("/leader").body;
}

TEST(PostgresqlHttp, ReadyzSaysThatTheServerIsAwayAndWhenItIsBack) {
  ReadyPostgres postgres;
  const ServingTenure tenure(run_words(postgres.url(), {}, stay()));
  ASSERT_TRUE(tenure.comes_to("/readyz", 200));
  postgres.stop_fast();
  ASSERT_TRUE(tenure.comes_to("/readyz", 503,
                              "not ready: 0 of 1 node gives leases, 1 is needed\n" + postgres.url() + ": "))
      << tenure.get("/readyz").body;
  EXPECT_EQ(tenure.get("/livez").status, 200);  // to start again would not help
  postgres.restart();
  EXPECT_TRUE(tenure.comes_to("/readyz", 200, "ready: 1 of 1")) << tenure.get("/readyz").body;
}

// What it forgets by a crash may still be held.
TEST(PostgresqlHttp, ReadyzSaysThatTheServerIsInQuarantineAndWhenItIsOver) {
  PostgresServer postgres({.settings = {"synchronous_commit=off"}});
  make_ready_postgres(postgres.url(), {"--ttl-max", "3s"});
  const ServingTenure tenure(Words{"elect", "a", "--lease", "2s", "--ttl-max", "3s"} + store(postgres.url()));
  ASSERT_TRUE(tenure.comes_to("/readyz", 200));
  postgres.restart();
  ASSERT_TRUE(tenure.comes_to("/readyz", 503, "may have forgotten leases")) << tenure.get("/readyz").body;
  EXPECT_TRUE(tenure.comes_to("/readyz", 200, "ready: 1 of 1")) << tenure.get("/readyz").body;
}

TEST(PostgresqlHttp, ReadyzSaysThatTheSchemaIsGone) {
  const ReadyPostgres postgres;
  const ServingTenure tenure(run_words(postgres.url(), {}, stay()));
  // Without its lease it would end with what the server says to its request.
  number_printed(tenure.process());
  ASSERT_TRUE(tenure.comes_to("/readyz", 200));
  postgres.execute("DROP SCHEMA tenure CASCADE");
  EXPECT_TRUE(tenure.comes_to("/readyz", 503, postgres.url() + ": it has no schema tenure\n"))
      << tenure.get("/readyz").body;
}

// One of three is no harm, and is named.
TEST(PostgresqlHttp, ReadyzCountsTheNodesOfASet) {
  std::vector<PostgresServer> servers(3);
  Words place;
  for (const auto& server : servers) place = std::move(place) + store(server.url());
  ASSERT_EQ(tenure(Words{"init"} + place).code, 0);
  const ServingTenure tenure(Words{"elect", "a"} + place);
  ASSERT_TRUE(tenure.comes_to("/readyz", 200, "ready: 3 of 3 nodes give leases, 2 are needed\n"));
  servers[1].kill();
  ASSERT_TRUE(tenure.comes_to("/readyz", 200,
                              "ready: 2 of 3 nodes give leases, 2 are needed\n" + servers[1].url() + ": "))
      << tenure.get("/readyz").body;
  servers[2].kill();
  EXPECT_TRUE(tenure.comes_to("/readyz", 503, "not ready: 1 of 3")) << tenure.get("/readyz").body;
}

TEST(PostgresqlHttp, WebShowsLocksAndElections) {
  const ReadyPostgres postgres;
  const auto run = start_tenure(run_words(postgres.url(), {"--id", "web-1"}, stay(), "nightly"));
  const long token = number_printed(*run);
  const auto elect = start_tenure(Words{"elect", "myapp:leader", "--id", "web-2"} + store(postgres.url()));
  ASSERT_TRUE(prints(*elect, "elected term="));
  const ServingTenure web(Words{"web"} + store(postgres.url()));
  EXPECT_TRUE(web.comes_to("/api/v1/locks", 200, "\"name\": \"nightly\"")) << web.get("/api/v1/locks").body;
  EXPECT_TRUE(has(web.get("/api/v1/locks").body, "\"token\": " + std::to_string(token)));
  const auto elections = web.get("/api/v1/elections").body;
  EXPECT_TRUE(has(elections, "\"name\": \"myapp:leader\"")) << elections;
  EXPECT_TRUE(has(elections, "\"owner\": \"web-2\"")) << elections;
  EXPECT_FALSE(has(elections, "nightly"));
  EXPECT_TRUE(web.comes_to("/api/v1/timeline?kind=election", 200, "myapp:leader"));
  EXPECT_TRUE(web.comes_to("/readyz", 200, "ready: 1 of 1"));
  HttpClient events(web.port());
  events.send("GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_TRUE(has(events.receive_until("\"error\": null"), "event: look"));
  run->send(SIGTERM);
  EXPECT_TRUE(has(events.receive_until("\"name\": \"nightly\""), "event: change"));
}

}  // namespace
}  // namespace tenure::test
