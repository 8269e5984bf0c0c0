// A fleet whose leases, heartbeats, sessions and results are in one PostgreSQL: instances share what is there, and follow it.
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <mutex>
#include <set>

#include "postgres/contender.hpp"
#include "support/pgbouncer_server.hpp"
#include "tenure/tenure.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;

constexpr auto patience = 20s;

class Instance {
 public:
  // Polls by noting that it did.
  explicit Instance(const std::string& url, const std::string& id, const std::string& fleet = "poll")
      : client_(Client::open({.nodes = {url}, .id = id}).value()),
        fleet_(client_.fleet(fleet, {.ttl = 3s, .renew = 600ms, .node_timeout = 300ms}).value()),
        poller_(*fleet_, stored_sessions(*fleet_, {.http = false}).value(),
                CallbackPoll{[this](const Session& session, const SessionLease&, const std::stop_token&) {
                  const std::lock_guard lock(mutex_);
                  polled_.insert(session.id);
                  return PollOutcome{.ok = true, .body = "polled by " + client_.id()};
                }}) {
    const auto started = poller_.start();
    EXPECT_TRUE(started) << (started ? "" : started.error().message);
  }

  std::size_t owned() const { return fleet_->owned_sessions().size(); }
  bool has_polled(const std::string& session) const {
    const std::lock_guard lock(mutex_);
    return polled_.contains(session);
  }
  Fleet& fleet() { return *fleet_; }
  Poller& poller() { return poller_; }

 private:
  mutable std::mutex mutex_;
  std::set<std::string> polled_{};
  Client client_;
  std::unique_ptr<Fleet> fleet_;
  Poller poller_;
};

class FleetInPostgres : public testing::Test {
 protected:
  FleetInPostgres() { set_up(server); }
  void add(const std::string& id) const {
    server.execute("INSERT INTO tenure.session (id, text) VALUES ('" + id +
                   "', '{\"address\": \"x\", \"interval_ms\": 4000}')");
  }
  std::string result(const std::string& session) const {
    return server.query("SELECT text FROM tenure.state WHERE id = '" + session + "'");
  }

  PostgresServer server;
};

// As docs/postgresql.md counts them: for requests, to hear of changes, for sessions and for results.
TEST_F(FleetInPostgres, AnInstanceHasFourConnections) {
  for (int i = 0; i < 6; ++i) add("s-" + std::to_string(i));
  Instance one(server.url(), "web-1");
  ASSERT_TRUE(wait_until([&] { return one.owned() == 6 && result("s-0") != ""; }, patience));
  EXPECT_EQ(server.query("SELECT count(*) FROM pg_stat_activity WHERE usename = 'tenure'"), "4");
}

TEST_F(FleetInPostgres, InstancesShareTheSessionsAndFollowWhatChanges) {
  for (int i = 0; i < 6; ++i) add("s-" + std::to_string(i));
  Instance one(server.url(), "web-1");
  ASSERT_TRUE(wait_until([&] { return one.owned() == 6; }, patience));
  Instance two(server.url(), "web-2");
  ASSERT_TRUE(wait_until([&] { return one.owned() == 3 && two.owned() == 3; }, patience));
  // Told of it, long before the next regular reading.
  const auto began = std::chrono::steady_clock::now();
  add("s-6");
  add("s-7");
  ASSERT_TRUE(wait_until([&] { return one.owned() == 4 && two.owned() == 4; }, patience));
  EXPECT_LT(std::chrono::steady_clock::now() - began, PollerOptions{}.discovery);
  ASSERT_TRUE(wait_until([&] { return one.has_polled("s-6") || two.has_polled("s-6"); }, patience));
  ASSERT_TRUE(wait_until([&] { return result("s-6") != ""; }, patience));
  EXPECT_NE(result("s-6").find(R"("polled by web-)"), std::string::npos) << result("s-6");
  server.execute(
      "UPDATE tenure.session SET text = '{\"address\": \"x\", \"paused\": true}' WHERE id IN ('s-6', 's-7')");
  ASSERT_TRUE(wait_until([&] { return one.owned() + two.owned() == 6; }, patience));
  EXPECT_TRUE(wait_until([&] {
    return server.query("SELECT count(*) FROM tenure.lease WHERE ends > clock_timestamp() AND NOT kept") ==
           "6";
  }));
  two.poller().stop();
  ASSERT_TRUE(wait_until([&] { return one.owned() == 6; }, patience));
}

TEST_F(FleetInPostgres, SaysWhereItsDataIsAndThatLeasesAreThere) {
  Instance one(server.url(), "web-1");
  EXPECT_EQ(one.fleet().data().url, server.url());
  EXPECT_TRUE(one.fleet().data().leases);
}

TEST_F(FleetInPostgres, OfAnotherNameSharesNothing) {
  add("s-1");
  server.execute(
      "INSERT INTO tenure.session VALUES ('billing', 'b-1', '{\"address\": \"x\", \"interval_ms\": 4000}')");
  Instance usual(server.url(), "web-1");
  Instance billing(server.url(), "web-2", "billing");
  ASSERT_TRUE(wait_until([&] { return usual.owned() == 1 && billing.owned() == 1; }, patience));
  ASSERT_TRUE(wait_until([&] { return result("s-1") != "" && result("b-1") != ""; }, patience));
  EXPECT_EQ(server.query("SELECT string_agg(fleet || ' ' || id, ',' ORDER BY id) FROM tenure.state"),
            "billing b-1,poll s-1");
  EXPECT_EQ(
      server.query(
          "SELECT string_agg(name, ',' ORDER BY name) FROM tenure.lease WHERE ends > clock_timestamp()"),
      "billing:lease:b-1,poll:lease:s-1");
}

// Nobody can be told there, so instances find out when they look.
TEST_F(FleetInPostgres, SharesSessionsThroughAPooler) {
  for (int i = 0; i < 4; ++i) add("s-" + std::to_string(i));
  const PgBouncerServer pooler(server);
  Instance one(pooler.url(), "web-1");
  Instance two(pooler.url(), "web-2");
  ASSERT_TRUE(wait_until([&] { return one.owned() == 2 && two.owned() == 2; }, patience));
  ASSERT_TRUE(wait_until([&] { return result("s-0") != ""; }, patience));
}

TEST_F(FleetInPostgres, WhatIsOnlyForRedisIsRefused) {
  using Find = StoredSessionsOptions::Find;
  const auto why = [&](StoredSessionsOptions options) -> std::string {
    options.url = server.url();
    const auto opened = stored_sessions(options);
    return opened ? "" : opened.error().message;
  };
  EXPECT_EQ(why(StoredSessionsOptions{}), "");
  EXPECT_EQ(why({.tls = {.ca_file = "x"}}), "tls is for sessions in Redis, and url names a PostgreSQL");
  EXPECT_EQ(why({.find = Find::index}), "find is for sessions in Redis, and url names a PostgreSQL");
  EXPECT_EQ(why({.prefix = "x:"}), "prefix is for sessions in Redis, and url names a PostgreSQL");
  const Client client = Client::open({.nodes = {server.url()}, .id = "web-1"}).value();
  const auto fleet = client.fleet().value();
  Poller poller(*fleet, stored_sessions(*fleet).value(), HttpPoll{}, {.state_prefix = "x:"});
  const auto started = poller.start();
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().message,
            "where results go: state_prefix is for results in Redis, and data names a PostgreSQL");
}

}  // namespace
}  // namespace tenure::test
