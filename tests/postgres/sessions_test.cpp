// Sessions that anybody writes by SQL: readers see every change, whoever made it, and are told of it.
#include <gtest/gtest.h>

#include <chrono>
#include <future>

#include "poll/session_json.hpp"
#include "postgres/contender.hpp"
#include "postgres/net/asked_server.hpp"
#include "postgres/poll/postgres_sessions.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;

class SessionsBySql : public testing::Test {
 protected:
  SessionsBySql() { set_up(server); }
  std::unique_ptr<SessionSource> source(const std::string& fleet = "poll") const {
    return std::make_unique<postgres::PostgresSessions>(
        postgres::server_at(postgres::parse_url(server.url()).value(), 10s), fleet, poll::Addresses::http);
  }
  static std::string ids(SessionSource& source) {
    std::string all;
    const Sessions sessions = source.read().value();
    for (const Session& it : sessions.good) all += it.id + " ";
    return all;
  }
  std::string version(const std::string& fleet = "poll") const {
    return server.query("SELECT version FROM tenure.fleet WHERE fleet = '" + fleet + "'");
  }

  PostgresServer server;
  std::string add =
      "INSERT INTO tenure.session (id, text) SELECT 's-' || i, '{\"address\":\"http://a\"}' FROM "
      "generate_series(1, ";
};

TEST_F(SessionsBySql, OneStatementIsOneVersionAndRemovalsMakeReadersStartAnew) {
  const auto reader = source();
  EXPECT_EQ(ids(*reader), "");
  server.execute(add + "3) i");
  EXPECT_EQ(ids(*reader), "s-1 s-2 s-3 ");
  EXPECT_EQ(server.query("SELECT count(DISTINCT version) FROM tenure.session"), "1");
  const std::string before = version();
  server.execute("UPDATE tenure.session SET text = replace(text, 'http://a', 'http://b') WHERE id = 's-2'");
  EXPECT_GT(std::stoll(version()), std::stoll(before));
  EXPECT_EQ(reader->read().value().good[1].address, "http://b");
  server.execute("UPDATE tenure.session SET id = 's-9' WHERE id = 's-1'");
  EXPECT_EQ(ids(*reader), "s-2 s-3 s-9 ");
  server.execute("DELETE FROM tenure.session WHERE id = 's-3'");
  EXPECT_EQ(ids(*reader), "s-2 s-9 ");
  server.execute("TRUNCATE tenure.session");
  EXPECT_EQ(ids(*reader), "");
}

TEST_F(SessionsBySql, AFleetHasItsOwnAndAnotherIsNotDisturbed) {
  const auto ours = source();
  const auto theirs = source("billing");
  server.execute("INSERT INTO tenure.session VALUES ('billing', 'b', '{\"address\":\"http://b\"}')");
  EXPECT_EQ(ids(*theirs), "b ");
  EXPECT_EQ(ids(*ours), "");
  EXPECT_EQ(version(), "");
  server.execute("UPDATE tenure.session SET fleet = 'poll'");
  EXPECT_EQ(ids(*theirs), "");
  EXPECT_EQ(ids(*ours), "b ");
}

// Versions are in the order of commits: who has read one has missed nothing before it.
TEST_F(SessionsBySql, ATransactionThatCommitsLateIsSeenBySomebodyWhoReadBefore) {
  const auto reader = source();
  Application slow(server.url());
  Application quick(server.url());
  slow.query("BEGIN");
  slow.query("INSERT INTO tenure.session (id, text) VALUES ('slow', '{\"address\":\"http://a\"}')");
  auto written = quick.query_later(
      "INSERT INTO tenure.session (id, text) VALUES ('quick', '{\"address\":\"http://a\"}') RETURNING id");
  ASSERT_TRUE(waits_for_a_lock(server, "INTO tenure.session"));
  EXPECT_EQ(ids(*reader), "");
  slow.query("COMMIT");
  EXPECT_EQ(written.get(), "quick");
  EXPECT_EQ(ids(*reader), "quick slow ");
}

// Each locks the rows that it changes, and all change the version.
TEST_F(SessionsBySql, TwoWritersOfTheSameSessionsNeverWaitForEachOtherInACircle) {
  server.execute(add + "2) i");
  Application one(server.url());
  Application two(server.url());
  one.query("BEGIN");
  one.query("UPDATE tenure.session SET text = text || ' ' WHERE id = 's-1'");
  auto updated =
      two.query_later("UPDATE tenure.session SET text = text || '  ' WHERE id = 's-2' RETURNING id");
  ASSERT_TRUE(waits_for_a_lock(server, "UPDATE tenure.session"));
  EXPECT_EQ(one.error("UPDATE tenure.session SET text = text || ' ' WHERE id = 's-2'"), "");
  one.query("COMMIT");
  EXPECT_EQ(updated.get(), "s-2");
  one.query("BEGIN");
  one.query("UPDATE tenure.session SET text = '{\"address\":\"http://b\"}' WHERE id = 's-1'");
  // It may give up before, and never in a circle.
  auto put = std::async(std::launch::async, [&] {
    return two.error(
        "SELECT tenure.put_session('poll', 's-2', '{}', (SELECT text FROM tenure.session WHERE id = 's-2'))");
  });
  ASSERT_TRUE(waits_for_a_lock(server, "put_session"));
  EXPECT_EQ(one.error("UPDATE tenure.session SET text = text || ' ' WHERE id = 's-2'"), "");
  one.query("ROLLBACK");
  EXPECT_EQ(put.get().find("deadlock"), std::string::npos);
}

TEST_F(SessionsBySql, WhoeverWritesWhatIsThereAlreadyWakesNobody) {
  server.execute(add + "2) i");
  const std::string before = version();
  server.execute("UPDATE tenure.session SET text = text");
  EXPECT_EQ(version(), before);
}

// As after pg_dump: the number of a transaction there is that of another one here.
TEST_F(SessionsBySql, ATransactionIsNotTakenForOneOfAnotherServer) {
  server.execute(add + "1) i");
  const auto reader = source();
  EXPECT_EQ(ids(*reader), "s-1 ");
  Application writer(server.url());
  writer.query("BEGIN");
  writer.query("UPDATE tenure.fleet SET writer = pg_current_xact_id()");
  writer.query("INSERT INTO tenure.session (id, text) VALUES ('s-2', '{\"address\":\"http://a\"}')");
  writer.query("COMMIT");
  EXPECT_EQ(ids(*reader), "s-1 s-2 ");
}

TEST_F(SessionsBySql, WhatIsRolledBackWasNever) {
  const auto reader = source();
  Application writer(server.url());
  writer.query("BEGIN");
  writer.query(add + "1) i RETURNING id");
  writer.query("SAVEPOINT here");
  writer.query("INSERT INTO tenure.session (id, text) VALUES ('x', '{}')");
  writer.query("ROLLBACK TO here");
  writer.query("COMMIT");
  EXPECT_EQ(ids(*reader), "s-1 ");
  writer.query("BEGIN");
  writer.query("DELETE FROM tenure.session");
  writer.query("ROLLBACK");
  EXPECT_EQ(ids(*reader), "s-1 ");
}

TEST_F(SessionsBySql, ReadersThatKnowMoreThanTheServerStartAnew) {
  server.execute(add + "2) i");
  const auto reader = source();
  EXPECT_EQ(ids(*reader), "s-1 s-2 ");
  // As from a copy of last week.
  server.execute("ALTER TABLE tenure.session DISABLE TRIGGER USER");
  server.execute("DELETE FROM tenure.session WHERE id = 's-2'");
  server.execute("UPDATE tenure.fleet SET version = 5, removed = 0");
  EXPECT_EQ(ids(*reader), "s-1 ");
}

// Versions go on with the clock, above those that were lost.
TEST_F(SessionsBySql, OfAServerThatLostSomethingReadersStartAnewEvenIfItWroteSince) {
  server.execute(add + "1) i");
  const std::string old_fleet = server.query("SELECT version FROM tenure.fleet");
  server.execute("INSERT INTO tenure.session (id, text) VALUES ('lost', '{\"address\":\"http://a\"}')");
  const auto reader = source();
  EXPECT_EQ(ids(*reader), "lost s-1 ");
  server.execute("ALTER TABLE tenure.session DISABLE TRIGGER USER");
  server.execute("DELETE FROM tenure.session WHERE id = 'lost'");
  server.execute("UPDATE tenure.fleet SET version = " + old_fleet);
  server.execute("ALTER TABLE tenure.session ENABLE TRIGGER USER");
  server.execute("INSERT INTO tenure.session (id, text) VALUES ('new', '{\"address\":\"http://a\"}')");
  // As a promotion or a recovery has it.
  server.execute(
      "CREATE OR REPLACE FUNCTION tenure.life() RETURNS text LANGUAGE sql VOLATILE RETURN 'another'");
  EXPECT_EQ(ids(*reader), "new s-1 ");
  EXPECT_EQ(ids(*reader), "new s-1 ");
}

TEST_F(SessionsBySql, InstancesAreToldOfAChangeWhoeverMadeIt) {
  const auto node = node_at(server.url());
  Hearing hearing(node, node->changes("poll:"));
  ASSERT_TRUE(wait_until(
      [&] { return server.query("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'") == "1"; }));
  server.execute(add + "100) i");
  const auto message = hearing.next();
  ASSERT_TRUE(message);
  const auto* change = std::get_if<core::FleetChange>(&*message);
  ASSERT_NE(change, nullptr);
  EXPECT_EQ(*change, core::FleetChange::sessions);
}

// A reader that follows costs what has changed, not what there is.
TEST_F(SessionsBySql, OfManySessionsOnlyWhatChangedIsReadAgain) {
  server.execute(add + "20000) i");
  const auto reader = source();
  ASSERT_EQ(reader->read().value().good.size(), 20'000U);
  server.execute("UPDATE tenure.session SET text = text || ' ' WHERE id = 's-7'");
  EXPECT_EQ(
      server.query(
          "SELECT count(*) FROM tenure.sessions('poll', (SELECT max(version) - 1 FROM tenure.session), 10)"),
      "2");
  EXPECT_EQ(
      server.query("SELECT count(*) FROM tenure.sessions('poll', (SELECT version FROM tenure.fleet), 10)"),
      "1");
  EXPECT_EQ(reader->read().value().good.size(), 20'000U);
}

}  // namespace
}  // namespace tenure::test
