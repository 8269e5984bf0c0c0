// tenure doctor on a PostgreSQL: what makes leases impossible there, and what makes them weaker or slower.
#include <gtest/gtest.h>

#include <sstream>
#include <stdexcept>

#include "cli/ready_postgres.hpp"
#include "support/certificates.hpp"
#include "support/pgbouncer_server.hpp"

namespace tenure::test {
namespace {

Result doctor(const std::string& url, const Words& options = {}) {
  return tenure(Words{"doctor"} + store(url) + options);
}

TEST(PostgresqlDoctor, AHealthyOneIsToldInTheWordsOfTheGuide) {
  const ReadyPostgres postgres;
  const Result result = doctor(postgres.url());
  EXPECT_EQ(result.code, 0) << result.out;
  EXPECT_EQ(result.err, "");
  EXPECT_TRUE(has(result.out, "Checking PostgreSQL cluster health...\n")) << result.out;
  EXPECT_TRUE(has(result.out, "Checking PostgreSQL node " + postgres.url() + "... UP\n")) << result.out;
  EXPECT_TRUE(has(result.out,
                  "Healthy nodes: 1 / 1\nStatus: ALL NODES HEALTHY\n\n"
                  "Cluster is ready for distributed locking!\n"))
      << result.out;
  EXPECT_TRUE(has(result.out, postgres.url() + ": PostgreSQL ")) << result.out;
  EXPECT_TRUE(has(result.out, ", schema version 2, round trip ")) << result.out;
  EXPECT_FALSE(has(result.out, "why:")) << result.out;
}

TEST(PostgresqlDoctor, JsonHasTheFieldsOfRedisAndItsOwn) {
  const ReadyPostgres postgres;
  const std::string json = doctor(postgres.url(), {"--json"}).out;
  EXPECT_TRUE(json.starts_with(
      R"({"status": "healthy", "healthy_nodes": 1, "quorum": 1, "nodes": [{"address": ")" + postgres.url() +
      R"(", "up": true, "healthy": true, "reason": null, )" + R"("version": "PostgreSQL )"))
      << json;
  EXPECT_TRUE(has(json, R"("role": "primary", "round_trip_us": )")) << json;
  EXPECT_TRUE(has(json, R"("record": "open", "tls": false, "pooled": false, "schema": 2}], "findings": []})"))
      << json;
}

TEST(PostgresqlDoctor, WithoutASchemaItSaysHowToMakeIt) {
  const PostgresServer postgres;
  const Result result = doctor(postgres.url());
  EXPECT_EQ(result.code, 2);
  EXPECT_TRUE(has(result.out, "UP, but not healthy: it has no schema tenure")) << result.out;
  EXPECT_TRUE(has(result.out, "  do:  make it: tenure init --store '" + postgres.url() + "'")) << result.out;
  EXPECT_TRUE(has(doctor(postgres.url(), {"--json"}).out, R"("schema": 0)"));
}

TEST(PostgresqlDoctor, ARoleThatMayNotUseItIsToldWhatToGrant) {
  const ReadyPostgres postgres;
  postgres.execute("CREATE ROLE low LOGIN; GRANT USAGE ON SCHEMA tenure TO low");
  const Result result = doctor(postgres.url_of("low"));
  EXPECT_EQ(result.code, 2);
  EXPECT_TRUE(has(result.out, "on the table tenure.lease")) << result.out;
  EXPECT_TRUE(has(result.out, "on the sequence tenure.fence")) << result.out;
  const auto grants = result.out.find("GRANT USAGE");
  ASSERT_NE(grants, std::string::npos) << result.out;
  postgres.execute(result.out.substr(grants, result.out.find('\n', grants) - grants));
  EXPECT_EQ(doctor(postgres.url_of("low")).code, 0);
}

// The rights that it advises are those of the guide (tests/postgres/rights_test.cpp).
TEST(PostgresqlDoctor, EachSingleRightThatIsTakenAwayIsNamed) {
  const ReadyPostgres postgres;
  postgres.execute("CREATE ROLE low LOGIN");
  const std::string advice = doctor(postgres.url_of("low")).out;
  const auto grants = advice.find("GRANT USAGE");
  ASSERT_NE(grants, std::string::npos) << advice;
  postgres.execute(advice.substr(grants, advice.find('\n', grants) - grants));
  ASSERT_EQ(doctor(postgres.url_of("low")).code, 0);
  const std::string rights = postgres.query(
      "SELECT string_agg(concat(a.privilege_type, ' ', CASE c.relkind WHEN 'S' THEN 'sequence' ELSE 'table' "
      "END, ' tenure.', c.relname), E'\n') FROM pg_class c, aclexplode(c.relacl) a "
      "WHERE c.relnamespace = 'tenure'::regnamespace AND a.grantee = 'low'::regrole");
  int named = 0;
  std::istringstream lines(rights);
  for (std::string privilege, kind, name; lines >> privilege >> kind >> name; ++named) {
    const std::string object = privilege + " ON " + kind + " " + name;
    postgres.execute("REVOKE " + object + " FROM low");
    const Result result = doctor(postgres.url_of("low"));
    EXPECT_TRUE(has(result.out, "the user lacks: " + privilege + " on the " + kind + " " + name + "\n"))
        << object << '\n'
        << result.out;
    // Locks and elections go on without heartbeats.
    const bool heartbeats = name == "tenure.beat" || name == "tenure.fleet";
    EXPECT_EQ(result.code, heartbeats ? 1 : 2) << object;
    EXPECT_EQ(has(result.out, "locks and elections do not need it"), heartbeats) << object;
    postgres.execute("GRANT " + object + " TO low");
  }
  EXPECT_EQ(named, 19) << rights;
}

TEST(PostgresqlDoctor, ACounterOfTokensThatSomebodySetBackIsAnError) {
  const ReadyPostgres postgres;
  postgres.execute("SELECT setval('tenure.fence', 5)");
  const Result result = doctor(postgres.url());
  EXPECT_EQ(result.code, 2);
  EXPECT_TRUE(has(result.out, "UP, but not healthy: its counter of tokens is far too small: 5\n"))
      << result.out;
  EXPECT_TRUE(has(doctor(postgres.url(), {"--json"}).out, R"("code": "fence")"));
}

TEST(PostgresqlDoctor, WhatIsWeakerIsAWarning) {
  const ReadyPostgres postgres({.settings = {"synchronous_commit=off", "autovacuum=off",
                                             "default_transaction_isolation=serializable"}});
  const Result result = doctor(postgres.url());
  EXPECT_EQ(result.code, 1) << result.out;
  EXPECT_TRUE(has(result.out, "Healthy nodes: 1 / 1")) << result.out;
  EXPECT_TRUE(has(result.out, "it may forget: synchronous_commit is off")) << result.out;
  EXPECT_TRUE(has(result.out, "every restart begins a quarantine")) << result.out;
  EXPECT_TRUE(has(result.out, "default_transaction_isolation is serializable")) << result.out;
  EXPECT_TRUE(has(result.out, "autovacuum is off")) << result.out;
}

TEST(PostgresqlDoctor, FewConnectionsLeftAreAWarning) {
  const ReadyPostgres postgres({.settings = {"max_connections=100", "superuser_reserved_connections=92"}});
  const Result result = doctor(postgres.url());
  EXPECT_EQ(result.code, 1) << result.out;
  EXPECT_TRUE(has(result.out, "of 100 connections ")) << result.out;
}

TEST(PostgresqlDoctor, BehindAPoolerItSaysWhatThatCosts) {
  if (!PgBouncerServer::available()) GTEST_SKIP() << "there is no pgbouncer";
  const ReadyPostgres postgres;
  const PgBouncerServer pooler(postgres);
  const Result result = doctor(pooler.url(), {"--node-set", "pooled"});
  EXPECT_EQ(result.code, 2) << "another name of the set: " << result.out;
  make_ready_postgres(pooler.url(), {"--prefix", "pooled:"});
  const Result pooled = doctor(pooler.url(), {"--prefix", "pooled:"});
  EXPECT_EQ(pooled.code, 0) << pooled.out;
  EXPECT_TRUE(has(pooled.out, "a pooler stands in between")) << pooled.out;
  EXPECT_TRUE(has(pooled.out, "they look every 100 to 300 ms")) << pooled.out;
  EXPECT_TRUE(has(doctor(pooler.url(), {"--json"}).out, R"("tls": null, "pooled": true)"));
}

// To Tenure 0.0.0.0 is a host somewhere in the network; Linux takes it for this machine.
TEST(PostgresqlDoctor, ANetworkThatIsTrustedTooMuchIsToldOf) {
  Certificates certificates;
  const ReadyPostgres postgres(
      {.tcp = true, .identity = certificates.issue({.alternative_names = "DNS:0.0.0.0,IP:0.0.0.0"})});
  const auto at = [&](const std::string& host, const std::string& options) {
    return doctor("postgresql://tenure@" + host + ":" + std::to_string(postgres.port()) + "/tenure?" +
                  options);
  };
  const std::string plain = "go over the network in plain text";
  const std::string unverified = "it need not prove who it is: sslmode is weaker than verify-full";
  const std::string advice = "do:  sslmode=verify-full in its URL, with sslrootcert=FILE";

  const Result open = at("0.0.0.0", "sslmode=disable");
  EXPECT_EQ(open.code, 1) << open.out;
  EXPECT_TRUE(has(open.out, plain) && has(open.out, advice)) << open.out;
  EXPECT_FALSE(has(open.out, unverified)) << open.out;
  for (const char* options : {"sslmode=prefer", "sslmode=require"}) {
    const Result weak = at("0.0.0.0", options);
    EXPECT_EQ(weak.code, 0) << weak.out;
    EXPECT_TRUE(has(weak.out, unverified) && has(weak.out, advice)) << weak.out;
    EXPECT_FALSE(has(weak.out, plain)) << weak.out;
  }
  for (const Result& sound : {at("0.0.0.0", "sslmode=verify-full&sslrootcert=" + certificates.ca_file()),
                              at("127.0.0.1", "sslmode=disable")}) {
    EXPECT_EQ(sound.code, 0) << sound.out;
    EXPECT_FALSE(has(sound.out, plain) || has(sound.out, unverified)) << sound.out;
  }
  const Result forged = at("0.0.0.0", "sslmode=verify-full&sslrootcert=" + Certificates().ca_file());
  EXPECT_EQ(forged.code, 2);
  EXPECT_TRUE(has(forged.out, "certificate verify failed")) << forged.out;
  EXPECT_TRUE(has(forged.out, "do:  use a sslmode that fits")) << forged.out;
}

TEST(PostgresqlDoctor, AStandbyIsNotHealthy) {
  PostgresServer primary;
  make_ready_postgres(primary.url());
  const PostgresServer standby({.replica_of = &primary});
  ASSERT_TRUE(wait_until([&] { return standby.query("SELECT count(*) FROM tenure.record") == "1"; }));
  const Result result = doctor(standby.url());
  EXPECT_EQ(result.code, 2);
  EXPECT_TRUE(has(result.out, "UP, but not healthy: it is a standby")) << result.out;
  EXPECT_TRUE(has(result.out, "do:  name its primary")) << result.out;
  EXPECT_TRUE(has(doctor(standby.url(), {"--json"}).out, R"("role": "standby")"));
  const Words both = store(primary.url()) + store(standby.url()) + Words{"--node-set", "x"};
  EXPECT_TRUE(has(tenure(Words{"doctor"} + both).out, "it is the same server as " + primary.url()));
}

TEST(PostgresqlDoctor, TheRecordTellsWhatElseIsInTheWay) {
  const ReadyPostgres postgres;
  EXPECT_TRUE(has(doctor(postgres.url(), {"--ttl-max", "2m"}).out, "its cap is 1m, ours is 2m"));
  postgres.execute("UPDATE tenure.record SET life = 'another'");
  EXPECT_TRUE(has(doctor(postgres.url()).out, "it was promoted, or restored from a copy"));
  postgres.execute("UPDATE tenure.record SET life = tenure.life(), open = false, why = 'restarted'");
  const Result result = doctor(postgres.url());
  EXPECT_EQ(result.code, 2);
  EXPECT_TRUE(has(result.out, "may have forgotten leases; new grants ")) << result.out;
  EXPECT_EQ(tenure(Words{"init"} + store(postgres.url())).code, 73);
  EXPECT_TRUE(has(tenure(Words{"init"} + store(postgres.url())).err, "there is nothing to do but wait"));
  postgres.execute("DELETE FROM tenure.record");
  const Result absent = doctor(postgres.url());
  EXPECT_EQ(absent.code, 2);
  EXPECT_TRUE(has(absent.out, "it has no record of Tenure: new, or its data was lost")) << absent.out;
  EXPECT_TRUE(has(absent.out, "tenure init --store '" + postgres.url() + "'")) << absent.out;
}

TEST(PostgresqlDoctor, OneThatDoesNotAnswerIsDown) {
  const Result result = doctor("postgresql://tenure:gehe!m@127.0.0.1:1/tenure");
  EXPECT_EQ(result.code, 2);
  EXPECT_TRUE(has(result.out, "postgresql://tenure:***@127.0.0.1:1/tenure... DOWN (")) << result.out;
  EXPECT_TRUE(has(result.out, "Connection refused") || has(result.out, "connection refused")) << result.out;
  EXPECT_TRUE(has(result.out, "Healthy nodes: 0 / 1")) << result.out;
  EXPECT_TRUE(has(result.out, "do:  start that PostgreSQL, or correct host and port")) << result.out;
  EXPECT_FALSE(has(result.out, "gehe!m"));
}

TEST(PostgresqlDoctor, AWrongPasswordIsNamedAsSuch) {
  const ReadyPostgres postgres({.tcp = true, .trust = false});
  const Result result = doctor(postgres.url_of("tenure:wrong"));
  EXPECT_EQ(result.code, 2);
  EXPECT_TRUE(has(result.out, "the server refuses user or password")) << result.out;
  EXPECT_TRUE(has(result.out, "its pg_hba.conf says who may connect")) << result.out;
}

}  // namespace
}  // namespace tenure::test
