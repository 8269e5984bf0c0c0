// The public API on PostgreSQL: the same calls, by another URL.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "postgres/net/caller.hpp"
#include "postgres/net/postgres_store.hpp"
#include "postgres/schema.hpp"
#include "runtime/wall_clock.hpp"
#include "support/postgres_server.hpp"
#include "support/wait.hpp"
#include "tenure/tenure.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;
using Code = Refusal::Code;

// Several servers are a quorum; each is new, and ready.
class Api : public testing::Test {
 protected:
  void start(std::size_t count, const std::vector<std::string>& settings = {}) {
    for (std::size_t i = 0; i < count; ++i) {
      servers.push_back(std::make_unique<PostgresServer>(PostgresServer::Options{.settings = settings}));
      urls.push_back(servers.back()->url());
      postgres_query(urls.back(), postgres::schema_sql());
    }
    const auto addresses = postgres::parse_addresses(urls).value();
    for (const auto& address : addresses) {
      auto caller = postgres::Caller::connect(address, 10s).value();
      const postgres::Keyspace keyspace{.cap = core::Ttl(60'000), .set = postgres::node_set(addresses, "")};
      caller.call(postgres::init_call({"e0", runtime::wall_now_ms()}, keyspace)).value();
    }
  }
  Client open(const std::string& id) const { return Client::open({.nodes = urls, .id = id}).value(); }
  std::int64_t sessions() const {
    return std::stoll(servers[0]->query("SELECT count(*) FROM pg_stat_activity WHERE usename = 'tenure'"));
  }

  std::vector<std::unique_ptr<PostgresServer>> servers;
  std::vector<std::string> urls;
};

TEST_F(Api, ALockIsHeldByOneAndToldToOthers) {
  start(1);
  const Client one = open("web-1");
  const Client two = open("web-2");
  auto lease = one.lock("job").try_acquire();
  ASSERT_TRUE(lease) << lease.error().message;
  EXPECT_TRUE(lease->held());
  const auto refused = two.lock("job").try_acquire();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::held);
  EXPECT_EQ(refused.error().holder.value().owner, "web-1");
  EXPECT_EQ(refused.error().holder.value().token, lease->token());
  EXPECT_EQ(lease->release(), Released::released);
  const auto next = two.lock("job").try_acquire();
  ASSERT_TRUE(next) << next.error().message;
  EXPECT_GT(next->token(), lease->token());
}

TEST_F(Api, ALeaseRenewsItself) {
  start(1);
  const Client client = open("web-1");
  const auto lease = client.lock("job", {.ttl = 600ms}).try_acquire();
  ASSERT_TRUE(lease) << lease.error().message;
  std::this_thread::sleep_for(2s);
  EXPECT_TRUE(lease->held());
  EXPECT_EQ(servers[0]->query(
                "SELECT token FROM tenure.lease WHERE name = 'redlock:job' AND ends > clock_timestamp()"),
            std::to_string(lease->token()));
}

TEST_F(Api, WaitersAreWokenInTheirOrder) {
  start(1);
  const Client holder = open("web-0");
  auto lease = holder.lock("job").try_acquire();
  ASSERT_TRUE(lease) << lease.error().message;
  std::vector<Client> clients;
  std::vector<std::jthread> threads;
  std::mutex mutex;
  std::vector<int> order;
  for (int i = 0; i < 4; ++i) {
    clients.push_back(open("waiter-" + std::to_string(i)));
    threads.emplace_back([&, i, client = clients.back()] {
      auto own = client.lock("job").acquire({.wait_max = 20s});
      const std::lock_guard lock(mutex);
      order.push_back(own ? i : -1);
    });
    ASSERT_TRUE(wait_until(
        [&] { return servers[0]->query("SELECT count(*) FROM tenure.waiter") == std::to_string(i + 1); }));
  }
  // So that all of them are heard: who does not listen loses its place.
  ASSERT_TRUE(wait_until([&] {
    return servers[0]->query(
               "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ShareLock'") == "4";
  }));
  lease->release();
  threads.clear();
  EXPECT_EQ(order, (std::vector{0, 1, 2, 3}));
}

TEST_F(Api, AnElectionHasOneLeaderAndTheNextFollows) {
  start(1);
  const Client one = open("web-1");
  const Client two = open("web-2");
  const ElectionOptions options{.lease = 1500ms, .renew = 300ms, .grace = 300ms};
  auto first = one.election("leader", options).value();
  auto second = two.election("leader", options).value();
  ASSERT_TRUE(first.start());
  ASSERT_TRUE(wait_until([&] { return first.is_leader(); }));
  ASSERT_TRUE(second.start());
  ASSERT_TRUE(wait_until([&] { return second.current_leader() && second.current_leader()->id == "web-1"; }));
  EXPECT_FALSE(second.is_leader());
  first.stop();
  EXPECT_TRUE(wait_until([&] { return second.is_leader(); }));
}

TEST_F(Api, AMajorityOfServersDecides) {
  start(3);
  const Client one = open("web-1");
  const Client two = open("web-2");
  servers[2]->kill();
  auto lease = one.lock("job").try_acquire();
  ASSERT_TRUE(lease) << lease.error().message;
  EXPECT_EQ(two.lock("job").try_acquire().error().code, Code::held);
  const auto token = lease->token();
  EXPECT_EQ(lease->release(), Released::released);
  const auto next = two.lock("job").try_acquire();
  ASSERT_TRUE(next) << next.error().message;
  EXPECT_GT(next->token(), token);
}

// From its first moment: what is decided about the record is durable itself, and must not be taken for what leases are.
TEST_F(Api, TheRecordOfAServerThatMayForgetSaysSo) {
  start(1, {"synchronous_commit=off"});
  EXPECT_EQ(servers[0]->query("SELECT forgets FROM tenure.record"), "t");
  EXPECT_TRUE(open("web-1").lock("job").try_acquire());
  EXPECT_EQ(servers[0]->query("SELECT open FROM tenure.record"), "t");
}

TEST_F(Api, AHostIsFoundByItsName) {
  servers.push_back(std::make_unique<PostgresServer>(PostgresServer::Options{.tcp = true}));
  const std::string port = std::to_string(servers[0]->port());
  postgres_query(servers[0]->url(), postgres::schema_sql());
  // The first of two is not there, as after a failover; and one that nobody knows.
  for (const std::string& hosts :
       {"localhost:" + port, "localhost:1,localhost:" + port, "nowhere.invalid,127.0.0.1:" + port}) {
    const Client client = Client::open({.nodes = {"postgresql://tenure@" + hosts + "/tenure"}}).value();
    const auto refused = client.lock("job").try_acquire();
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Code::not_open) << hosts << ": " << refused.error().message;
  }
  const Client client = Client::open({.nodes = {"postgresql://tenure@nowhere.invalid/tenure"}}).value();
  const auto refused = client.lock("job").try_acquire();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::no_quorum);
  EXPECT_NE(refused.error().message.find("the host nowhere.invalid was not found"), std::string::npos)
      << refused.error().message;
}

// As docs/postgresql.md counts them.
TEST_F(Api, AClientHasAConnectionForRequestsAndOneMoreOnceItWaits) {
  start(1);
  const Client holder = open("web-1");
  std::vector<Lease> leases;
  for (int i = 0; i < 20; ++i)
    leases.push_back(holder.lock("job-" + std::to_string(i)).try_acquire().value());
  EXPECT_EQ(sessions(), 1);
  leases.push_back(holder.lock("short", {.ttl = 5120ms}).try_acquire().value());
  EXPECT_EQ(sessions(), 1);
  leases.push_back(holder.lock("shorter", {.ttl = 5100ms}).try_acquire().value());
  leases.push_back(holder.lock("as short", {.ttl = 2560ms}).try_acquire().value());
  EXPECT_EQ(sessions(), 2) << "who is in more of a hurry asks over another one";

  const Client waiter = open("web-2");
  std::stop_source stop;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 20; ++i) {
    threads.emplace_back([&, i] {
      (void)waiter.lock("job-" + std::to_string(i)).acquire({.wait_max = 20s}, stop.get_token());
    });
  }
  ASSERT_TRUE(wait_until([&] { return servers[0]->query("SELECT count(*) FROM tenure.waiter") == "20"; }));
  EXPECT_EQ(sessions(), 4);
  stop.request_stop();
}

// An advisory lock needs a connection for each name that is held or waited for.
TEST_F(Api, AHundredCandidatesShareTheirConnections) {
  start(1);
  const Client client = open("web-1");
  std::vector<Election> elections;
  for (int i = 0; i < 100; ++i) {
    elections.push_back(client.election("e" + std::to_string(i)).value());
    ASSERT_TRUE(elections.back().start());
  }
  ASSERT_TRUE(wait_until([&] { return std::ranges::all_of(elections, &Election::is_leader); }));
  EXPECT_LE(sessions(), 2);
}

// Of clients of their own each has what a client has. The leader has not waited.
TEST_F(Api, CandidatesOfTheirOwnClientsHaveTwoConnectionsEach) {
  start(1);
  constexpr int candidates = 10;
  std::vector<Client> clients;
  std::vector<Election> elections;
  for (int i = 0; i < candidates; ++i) {
    clients.push_back(open("web-" + std::to_string(i)));
    elections.push_back(clients.back().election("leader").value());
    ASSERT_TRUE(elections.back().start());
  }
  const auto knows_the_leader = [](const Election& it) { return it.current_leader().has_value(); };
  ASSERT_TRUE(wait_until([&] { return std::ranges::all_of(elections, knows_the_leader); }));
  EXPECT_TRUE(wait_until([&] { return sessions() >= 2 * candidates - 1; })) << sessions();
  EXPECT_LE(sessions(), 2 * candidates);
}

TEST_F(Api, WhatOnlyRedisCanDoIsRefusedWithASentence) {
  const auto mixed = Client::open({.nodes = {"postgresql://a/x", "redis://b"}});
  ASSERT_FALSE(mixed);
  EXPECT_EQ(mixed.error().code, Code::usage);
  EXPECT_EQ(mixed.error().message, "some nodes are PostgreSQL and some are not: all must be of one kind");
  const auto tls = Client::open({.nodes = {"postgresql://a/x"}, .tls = {.ca_file = "ca.pem"}});
  ASSERT_FALSE(tls);
  EXPECT_EQ(tls.error().message,
            "TLS is set up, and a PostgreSQL is told of it by its URL (sslmode, sslrootcert)");
  const auto wrong = Client::open({.nodes = {"postgresql://me:secret@a/x?no_such_word=secret"}});
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().message.find("secret"), std::string::npos) << wrong.error().message;
}

TEST_F(Api, AServerWithoutTheSchemaIsToldOfAtOnce) {
  servers.push_back(std::make_unique<PostgresServer>());
  urls.push_back(servers.back()->url());
  const Client client = open("web-1");
  const auto before = std::chrono::steady_clock::now();
  const auto refused = client.lock("job").acquire({.wait_max = 20s});
  ASSERT_FALSE(refused);
  EXPECT_LT(std::chrono::steady_clock::now() - before, 10s) << "waiting does not make a schema";
  EXPECT_EQ(refused.error().code, Code::no_quorum);
  EXPECT_NE(refused.error().message.find("tenure init"), std::string::npos) << refused.error().message;
}

}  // namespace
}  // namespace tenure::test
