// Crashes, restarts, promotions and restored copies of a real server: what clients are told of them, and what that makes of leases.
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "postgres/contender.hpp"
#include "postgres/replication.hpp"
#include "support/wait.hpp"

namespace tenure::test {
namespace {

// Two ways to end at once.
struct End {
  const char* name;
  void (PostgresServer::*end)();
};
class Crash : public testing::TestWithParam<End> {
 protected:
  static void crash_and_restart(PostgresServer& server) {
    (server.*GetParam().end)();
    server.restart();
  }
};
INSTANTIATE_TEST_SUITE_P(Each, Crash,
                         testing::Values(End{"PowerCut", &PostgresServer::kill},
                                         End{"ImmediateStop", &PostgresServer::stop_immediate}),
                         [](const auto& it) { return it.param.name; });

TEST_P(Crash, OfADurableServerForgetsNothing) {
  PostgresServer server;
  set_up(server);
  Contender holder(server);
  Contender rival(server, "web-2");
  ASSERT_EQ(holder.acquire(), "granted") << holder.failure().detail;
  ASSERT_EQ(rival.acquire(), "held by web-1");
  const std::string epoch = holder.admitted()->epoch;

  crash_and_restart(server);
  ASSERT_TRUE(holder.hear_the_end());
  ASSERT_TRUE(rival.hear_the_end());

  EXPECT_EQ(holder.renew(), "done") << "with its token";
  EXPECT_EQ(rival.acquire(), "held by web-1");
  EXPECT_EQ(rival.acquire("another"), "granted") << rival.failure().detail;
  EXPECT_GT(rival.token("another"), holder.token());
  EXPECT_EQ(rival.admitted()->epoch, epoch) << "no quarantine has begun";
  EXPECT_EQ(record_in(server), "open new durable");
}

class Forgetting : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(By, Forgetting, testing::Values("synchronous_commit=off", "fsync=off"),
                         [](const auto& it) {
                           const std::string setting = it.param;
                           return setting.substr(0, setting.find('='));
                         });

// It lasts as long as any lease from before.
TEST_P(Forgetting, ServersThatAreStartedAnewBeginAQuarantine) {
  PostgresServer server({.settings = {GetParam()}});
  set_up(server);
  Contender holder(server);
  Contender rival(server, "web-2");
  ASSERT_EQ(holder.acquire(), "granted") << holder.failure().detail;
  ASSERT_EQ(record_in(server), "open new may-forget");
  const std::string epoch = holder.admitted()->epoch;

  server.restart();
  ASSERT_TRUE(holder.hear_the_end());
  EXPECT_EQ(rival.acquire("another"), "quarantined: restarted");
  ASSERT_TRUE(rival.admitted());
  EXPECT_NE(rival.admitted()->epoch, epoch);
  EXPECT_EQ(rival.admitted()->longest, usual_terms.cap);
  // It is there or it is not: both are put right.
  EXPECT_EQ(holder.reassert(), "done");
  EXPECT_EQ(holder.renew(), "done");
  EXPECT_EQ(rival.open(), "opened");
  EXPECT_EQ(rival.acquire(), "held by web-1");
  EXPECT_EQ(rival.acquire("another"), "granted");
  EXPECT_GT(rival.token("another"), holder.token());
}

// The server itself goes on, and was started when it was: it only starts its processes anew, and has lost what it had not written.
TEST(Life, ACrashOfOneSessionWithoutSynchronousCommitIsAQuarantine) {
  PostgresServer server({.settings = {"synchronous_commit=off", "wal_writer_delay=10s"}});
  set_up(server);
  Contender holder(server);
  Contender rival(server, "web-2");
  ASSERT_EQ(rival.acquire("before"), "granted");
  // The counter is written some tokens ahead, so that it does not tell.
  server.execute("CHECKPOINT");
  ASSERT_EQ(holder.acquire(), "granted");
  Application victim(server.url());
  kill(std::stoi(victim.pid()), SIGKILL);
  ASSERT_TRUE(holder.hear_the_end());
  ASSERT_TRUE(rival.hear_the_end());
  ASSERT_TRUE(wait_until([&] { return rival.acquire("another") != "starting"; })) << rival.failure().detail;
  EXPECT_EQ(rival.acquire(), "quarantined: restarted") << rival.failure().detail;
  EXPECT_EQ(holder.reassert(), "done");
}

// From then on a crash may forget: whoever commits so first turns the record, before it is given anything.
TEST(Life, AServerThatBeginsToForgetSaysSoBeforeItGivesAnything) {
  PostgresServer server;
  set_up(server);
  Contender old(server);
  ASSERT_EQ(old.acquire(), "granted");
  server.execute("ALTER ROLE tenure SET synchronous_commit = off");
  Contender fresh(server, "web-2");
  EXPECT_EQ(said(fresh.ask(core::ClockRequest{})), "time");
  EXPECT_EQ(record_in(server), "open new may-forget") << "its admission alone has said so";
  EXPECT_EQ(fresh.acquire("another"), "granted");
  EXPECT_EQ(old.renew(), "done");

  server.restart();
  Contender after(server, "web-3");
  EXPECT_EQ(after.acquire("a third"), "quarantined: restarted");
}

TEST(Life, AConnectionWhoseSessionBeginsToForgetIsAdmittedAnew) {
  PostgresServer server;
  set_up(server);
  Contender client(server);
  ASSERT_EQ(client.acquire(), "granted");
  server.execute("ALTER SYSTEM SET synchronous_commit = off");
  server.execute("SELECT pg_reload_conf()");
  // A statement or two may go before the session reads that.
  std::string answer = "granted";
  for (int i = 0; i < 10'000 && answer == "granted"; ++i) answer = client.acquire(std::to_string(i));
  EXPECT_EQ(answer, "unverified");
  EXPECT_EQ(client.acquire("a third"), "granted");
  EXPECT_EQ(record_in(server), "open new may-forget");
}

// A replica that lags forgets when it becomes the primary. Clients name both, and speak to the one that takes writes.
class Promotion : public testing::Test {
 protected:
  Promotion() { set_up(primary); }

  PostgresServer primary{{.settings = {"wal_log_hints=on"}}};
};

TEST_F(Promotion, OfAReplicaThatLagsIsAQuarantine) {
  PostgresServer replica({.replica_of = &primary});
  const std::string url = url_of_either(primary, replica);
  Contender holder(url);
  Contender rival(url, "web-2");
  ASSERT_EQ(rival.acquire("before"), "granted");
  wait_for_replay(primary, replica);
  stop_streaming(replica);
  ASSERT_EQ(holder.acquire(), "granted") << "of this the replica never hears";
  primary.kill();
  replica.promote();
  ASSERT_TRUE(holder.hear_the_end());
  ASSERT_TRUE(rival.hear_the_end());

  EXPECT_EQ(replica.query("SELECT count(*) FROM tenure.lease WHERE name = 'job'"), "0");
  EXPECT_EQ(rival.acquire(), "quarantined: restarted");
  EXPECT_EQ(rival.renew("before"), "done") << "what was not lost is renewed as ever";
  EXPECT_EQ(holder.renew(), "missing");
  EXPECT_EQ(holder.reassert(), "done");
  EXPECT_EQ(holder.renew(), "done") << "with its old token";
  EXPECT_EQ(rival.acquire(), "quarantined: restarted") << "also while the holder is back";

  EXPECT_EQ(rival.open(), "opened");
  EXPECT_EQ(rival.acquire(), "held by web-1");
  const core::Token lost = holder.token();
  EXPECT_EQ(holder.release(), "done");
  EXPECT_EQ(rival.acquire(), "granted");
  EXPECT_GT(rival.token(), lost);
}

// Nothing need be lost for that: nobody can tell.
TEST_F(Promotion, OfOneAfterTheOtherIsAQuarantineEachTime) {
  PostgresServer second({.replica_of = &primary});
  wait_for_replay(primary, second);
  primary.kill();
  second.promote();
  Contender client(second);
  ASSERT_EQ(client.acquire(), "quarantined: restarted");
  const std::string epoch = client.admitted()->epoch;
  ASSERT_EQ(client.open(), "opened");
  ASSERT_EQ(client.acquire(), "granted");

  // Another machine becomes a replica of what is the primary now, and takes over.
  PostgresServer third({.replica_of = &second});
  wait_for_replay(second, third);
  second.kill();
  third.promote();
  Contender after(third, "web-2");
  EXPECT_EQ(after.acquire("another"), "quarantined: restarted");
  EXPECT_NE(after.admitted()->epoch, epoch);
  EXPECT_EQ(after.open(), "opened");
  EXPECT_EQ(after.acquire(), "held by web-1") << "which had reached the replica";
}

// What only the old primary had is gone from it then. It gives nothing until it is promoted itself.
TEST_F(Promotion, TheOldPrimaryComesBackAsAReplicaAndTakesOverAgainWithoutASecondOwner) {
  PostgresServer replica({.replica_of = &primary});
  const std::string url = url_of_either(primary, replica);
  Contender lost(url);
  Contender rival(url, "web-2");
  ASSERT_EQ(rival.acquire("before"), "granted");
  wait_for_replay(primary, replica);
  stop_streaming(replica);
  ASSERT_EQ(lost.acquire(), "granted") << "of this the replica never hears";
  ASSERT_EQ(lost.acquire("forgotten"), "granted");
  primary.kill();
  replica.promote();
  ASSERT_TRUE(lost.hear_the_end());
  ASSERT_TRUE(rival.hear_the_end());
  ASSERT_EQ(rival.acquire(), "quarantined: restarted");
  ASSERT_EQ(lost.reassert(), "done");
  ASSERT_EQ(rival.open(), "opened");
  ASSERT_EQ(rival.acquire("forgotten"), "granted") << "its holder has not put it back";
  ASSERT_GT(rival.token("forgotten"), lost.token("forgotten"));

  primary.return_as_replica_of(replica);
  EXPECT_EQ(primary.query("SELECT string_agg(name || ' ' || owner, ', ' ORDER BY name) FROM tenure.lease"),
            "before web-2, forgotten web-2, job web-1");
  Contender astray(primary, "web-3");
  EXPECT_EQ(astray.acquire("another"), "read only");
  Contender third(url, "web-3");
  EXPECT_EQ(third.acquire(), "held by web-1") << "it finds the server that takes writes";
  EXPECT_EQ(third.acquire("forgotten"), "held by web-2");
  EXPECT_EQ(lost.renew("forgotten"), "foreign");

  wait_for_replay(replica, primary);
  replica.kill();
  primary.promote();
  for (Contender* client : {&lost, &rival, &third}) ASSERT_TRUE(client->hear_the_end());
  EXPECT_EQ(third.acquire("another"), "quarantined: restarted");
  EXPECT_EQ(lost.renew(), "done");
  EXPECT_EQ(rival.renew("forgotten"), "done");
  EXPECT_EQ(lost.renew("forgotten"), "foreign");
  EXPECT_EQ(lost.reassert("forgotten"), "foreign") << "its token is smaller";
  EXPECT_EQ(third.open(), "opened");
  EXPECT_EQ(third.acquire(), "held by web-1");
  EXPECT_EQ(third.acquire("forgotten"), "held by web-2");
  EXPECT_EQ(third.acquire("another"), "granted");
  EXPECT_GT(third.token("another"), rival.token("forgotten"));
}

// The same server by its identifier and its address, and a promoted one by its timeline. Two recoveries of one backup are two lives.
TEST(Life, ARecoveryToAPointInTimeIsAQuarantineAndNoTokenComesAgain) {
  PostgresServer server({.archives = true});
  set_up(server);
  server.back_up();
  Contender holder(server);
  ASSERT_EQ(holder.acquire("before"), "granted");
  server.create_restore_point("noon");
  ASSERT_EQ(holder.acquire(), "granted") << "of this the copy knows nothing";
  // More than the sequence was logged ahead: the recovered counter is behind them.
  for (int i = 0; i < 100; ++i) ASSERT_EQ(holder.acquire("later " + std::to_string(i)), "granted");
  core::Token last = holder.token("later 99");
  const std::string identifier = "SELECT system_identifier FROM pg_control_system()";
  const std::string cluster = server.query(identifier);
  std::string life = server.query("SELECT tenure.life()");

  for (const char* who : {"web-2", "web-3"}) {
    server.recover_to("noon");
    EXPECT_EQ(server.query(identifier), cluster);
    EXPECT_NE(server.query("SELECT tenure.life()"), life);
    life = server.query("SELECT tenure.life()");
    EXPECT_EQ(server.query("SELECT string_agg(name, ' ') FROM tenure.lease"), "before");
    EXPECT_LT(std::stoull(server.query("SELECT last_value FROM tenure.fence")), last);
    ASSERT_TRUE(holder.hear_the_end());

    // Whoever comes first has seen nothing of it.
    Contender stranger(server, who);
    EXPECT_EQ(stranger.acquire("another"), "quarantined: restarted");
    EXPECT_EQ(stranger.acquire(), "quarantined: restarted");
    EXPECT_EQ(holder.renew("before"), "done");
    EXPECT_EQ(holder.renew(), "missing");
    EXPECT_EQ(holder.reassert(), "done");
    EXPECT_EQ(holder.renew(), "done") << "with its old token";
    EXPECT_EQ(stranger.open(), "opened");
    EXPECT_EQ(stranger.acquire(), "held by web-1");
    EXPECT_EQ(stranger.acquire("another"), "granted");
    EXPECT_GT(stranger.token("another"), last);
    last = stranger.token("another");
  }
}

// The same life by all that the server says of itself: only who has seen more tokens knows.
TEST(Life, AnOlderCopyOfTheDataIsFoundOutByWhoHasSeenMore) {
  PostgresServer server;
  set_up(server);
  Contender holder(server);
  ASSERT_EQ(holder.acquire("before"), "granted");
  const auto copy = [&](const std::string& from, const std::string& to) {
    const std::string folder = server.directory().string() + "/";
    std::filesystem::remove_all(folder + to);
    ASSERT_EQ(std::system(("cp -a " + folder + from + " " + folder + to).c_str()), 0);
  };
  server.stop_fast();
  copy("data", "backup");
  server.restart();
  ASSERT_TRUE(holder.hear_the_end());
  ASSERT_EQ(holder.acquire(), "granted") << holder.failure().detail;
  server.kill();
  copy("backup", "data");
  server.restart();
  ASSERT_TRUE(holder.hear_the_end());

  EXPECT_EQ(holder.acquire("another"), "quarantined: restored");
  EXPECT_EQ(holder.renew(), "missing");
  EXPECT_EQ(holder.reassert(), "done");
  const core::Token lost = holder.token();
  Contender rival(server, "web-2");
  EXPECT_EQ(rival.acquire(), "quarantined: restored");
  EXPECT_EQ(rival.open(), "opened");
  EXPECT_EQ(rival.acquire(), "held by web-1");
  EXPECT_EQ(rival.acquire("another"), "granted");
  EXPECT_GT(rival.token("another"), lost);
}

// On the same server, of the same timeline, and whoever comes first has seen nothing of it.
TEST(Life, ADumpThatIsRestoredIsAQuarantine) {
  PostgresServer server;
  set_up(server);
  Contender holder(server);
  ASSERT_EQ(holder.acquire("before"), "granted");
  const std::string dump = server.dump();
  ASSERT_EQ(holder.acquire(), "granted") << "of this the dump knows nothing";
  postgres_query(server.url(), "DROP SCHEMA tenure CASCADE");
  server.restore(dump);

  Contender stranger(server, "web-2");
  EXPECT_EQ(stranger.acquire(), "quarantined: restarted");
  EXPECT_EQ(holder.renew("before"), "done");
  EXPECT_EQ(holder.renew(), "missing");
  EXPECT_EQ(holder.reassert(), "quarantined: restarted") << "its connection is still that of before";
  EXPECT_EQ(holder.reassert(), "done");
  EXPECT_EQ(stranger.open(), "opened");
  EXPECT_EQ(stranger.acquire(), "held by web-1");
  EXPECT_EQ(stranger.acquire("another"), "granted");
  EXPECT_GT(stranger.token("another"), holder.token());
}

TEST(Life, ACopyOfTheDatabaseIsAnotherLife) {
  PostgresServer server;
  set_up(server);
  postgres_query(server.url_of("postgres", "template1"), "CREATE DATABASE copy TEMPLATE tenure");
  const std::string life = "SELECT tenure.life()";
  EXPECT_NE(postgres_query(server.url_of("postgres", "copy"), life), server.query(life));
}

// Whoever comes first after that, also one who has seen nothing: the counter began at the time, and that is long past 2001.
TEST(Life, ACounterThatIsSetBackByHandGivesNoTokenAgain) {
  PostgresServer server;
  set_up(server);
  Contender client(server);
  ASSERT_EQ(client.acquire("before"), "granted");
  const core::Token before = client.token("before");

  server.execute("ALTER SEQUENCE tenure.fence RESTART 1");
  Contender stranger(server, "web-2");
  EXPECT_EQ(stranger.acquire(), "quarantined: restored") << "it has seen no token of this server";
  EXPECT_EQ(client.acquire(), "quarantined: restored");
  EXPECT_EQ(client.renew("before"), "done");
  EXPECT_EQ(client.open(), "opened");
  EXPECT_EQ(stranger.acquire(), "granted");
  EXPECT_GT(stranger.token(), before);

  // A little back, only who has seen more notices.
  server.execute("SELECT setval('tenure.fence', " + std::to_string(stranger.token() - 1) + ")");
  EXPECT_EQ(stranger.acquire("another"), "restored");
  EXPECT_EQ(stranger.acquire("another"), "quarantined: restored");
  EXPECT_EQ(stranger.open(), "opened");
  EXPECT_EQ(client.acquire("another"), "open: restored") << "it was admitted to another epoch";
  EXPECT_EQ(client.acquire("another"), "granted");
  EXPECT_GT(client.token("another"), stranger.token());
}

}  // namespace
}  // namespace tenure::test
