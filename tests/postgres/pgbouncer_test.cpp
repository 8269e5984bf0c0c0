// Behind a PgBouncer that gives each transaction another session: all requests work, and who waits looks by itself.
#include <gtest/gtest.h>

#include <list>

#include "postgres/contender.hpp"
#include "runtime/boot_clock.hpp"
#include "runtime/net/wait_for.hpp"
#include "support/lease_client.hpp"
#include "support/pgbouncer_server.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;

class PgBouncer : public testing::Test {
 protected:
  explicit PgBouncer(std::vector<std::string> settings = {}) : server({.settings = std::move(settings)}) {
    set_up(server);
  }

  runtime::Client client_there() {
    runtime::ClientOptions options;
    options.nodes = {node_at(pooler.url())};
    options.owner = runtime::make_instance_id();
    options.terms = usual_terms;
    return runtime::Client(std::move(options));
  }
  std::string sessions() {
    return server.query("SELECT count(*) FROM pg_stat_activity WHERE usename = 'tenure'");
  }
  std::string advisory_locks() {
    return server.query("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'");
  }

  PostgresServer server;
  PgBouncerServer pooler{server, {.pool_size = 2}};
};

TEST_F(PgBouncer, FiveClientsOnTwoSessionsAreAnsweredAllTheyAsk) {
  std::list<Contender> clients;
  for (int i = 0; i < 5; ++i) clients.emplace_back(pooler.url(), "web-" + std::to_string(i));
  for (int round = 0; round < 10; ++round) {
    // All at once, so that each session serves several.
    std::list<core::RequestId> asked;
    for (Contender& it : clients) asked.push_back(it.begin_to_acquire(it.owner()));
    for (Contender& it : clients) {
      ASSERT_EQ(it.said_at_last(asked.front()), "granted") << it.failure().detail;
      asked.pop_front();
    }
    for (Contender& it : clients) {
      EXPECT_EQ(it.acquire("web-0"), "held by web-0");
      EXPECT_EQ(it.renew(it.owner()), "done");
      EXPECT_EQ(it.reassert(it.owner()), "done");
      EXPECT_EQ(
          it.said_to(core::ConfirmRequest{it.owner(), it.holding(it.owner()).grant, it.token(it.owner())}),
          "done");
      EXPECT_EQ(it.said_to(core::LookRequest{{"web-0", "web-1", "nobody's"}}), "3 states");
      EXPECT_EQ(it.said_to(core::ClockRequest{}), "time");
      EXPECT_TRUE(it.said_to(core::BeatRequest{"poll:", it.owner(), {}, long_enough}).ends_with(" live"));
      EXPECT_EQ(it.said_to(core::ListsRequest{"poll:", {"web-0", "web-1"}}), "2 lists");
    }
    for (Contender& it : clients) EXPECT_EQ(it.release(it.owner()), "done");
  }
  EXPECT_LE(std::stoi(sessions()), 2);
}

// Whose channel would it be? It hears nothing, and says so; and it leaves no lock on a session that serves others now.
TEST_F(PgBouncer, NobodyListensThereAndWhoWaitsGetsTheNameAllTheSame) {
  const auto node = node_at(pooler.url());
  const auto subscription = node->wake_ups("web-1");
  core::Random random{1};
  std::vector<runtime::Message> messages;
  subscription->open(runtime::boot_now(), random);
  const core::Time deadline = runtime::boot_now() + 10s;
  while (subscription->awaited().fd >= 0) {
    const runtime::Awaited awaited = subscription->awaited();
    ASSERT_TRUE(runtime::wait_for(awaited.fd, awaited.events, deadline));
    subscription->on_ready(runtime::boot_now(), random, messages);
    ASSERT_FALSE(subscription->listening());
  }
  EXPECT_EQ(advisory_locks(), "0");
  ASSERT_TRUE(subscription->wake());
  EXPECT_GT(*subscription->wake(), runtime::boot_now() + 30s) << "it tries again, and seldom";

  auto holder = client_there();
  auto other = client_there();
  auto lease = holder.acquire("job", wish(30s));
  ASSERT_TRUE(lease);
  Wanting wanting(other, "job", wish(30s, 20s));
  ASSERT_TRUE(wait_until([&] { return wanting.waits(); }));
  const core::Token before = lease->token();
  EXPECT_EQ(lease->release().outcome, core::ReleaseOutcome::released);
  const auto got = wanting.get();
  ASSERT_TRUE(got);
  EXPECT_GT(got->token(), before);
  EXPECT_EQ(advisory_locks(), "0");
}

// The connection to the pooler survives what the server does not: nothing tells the client but the record.
class Forgetful : public PgBouncer {
 protected:
  Forgetful() : PgBouncer({"synchronous_commit=off"}) {}
};

TEST_F(Forgetful, WhoseConnectionSurvivesARestartIsAdmittedAnewBeforeItIsGrantedAnything) {
  Contender holder(pooler.url());
  Contender rival(pooler.url(), "web-2");
  ASSERT_EQ(holder.acquire(), "granted");
  ASSERT_EQ(rival.acquire(), "held by web-1");
  const std::string epoch = rival.admitted()->epoch;
  server.restart();

  // Each of the pooler's sessions that are gone may cost a request.
  std::string said = "closed";
  for (int i = 0; i < 10 && said == "closed"; ++i) said = rival.acquire("another");
  EXPECT_EQ(said, "unverified") << rival.failure().detail;
  EXPECT_EQ(rival.acquire("another"), "quarantined: restarted");
  EXPECT_NE(rival.admitted()->epoch, epoch);
  EXPECT_EQ(holder.reassert(), "quarantined: restarted") << "it was admitted to the life before";
  EXPECT_EQ(holder.reassert(), "done");
  EXPECT_EQ(rival.open(), "opened");
  EXPECT_EQ(rival.acquire(), "held by web-1");
}

}  // namespace
}  // namespace tenure::test
