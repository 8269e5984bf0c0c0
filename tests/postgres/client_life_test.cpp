// A server that crashes, or another that takes its place, as programs live through it: whole clients, which renew, wait, put their
// leases back and sit out quarantines by themselves.
#include <gtest/gtest.h>

#include "postgres/contender.hpp"
#include "postgres/replication.hpp"
#include "postgres/waiting_client.hpp"
#include "support/oracle.hpp"
#include "support/wait.hpp"
#include "tenure/tenure.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;
using Code = Refusal::Code;

constexpr auto patience = 60s;

Client open_client(const std::string& url, const std::string& id, core::Ttl cap) {
  return Client::open({.nodes = {url}, .id = id, .ttl_max = cap}).value();
}

// Waits until each of them has been renewed by itself.
bool are_renewed(const Lease& one, const Lease& other) {
  const auto before_one = one.deadline();
  const auto before_other = other.deadline();
  return wait_until([&] { return one.deadline() > before_one && other.deadline() > before_other; }, patience);
}

// "web-1 17": who has it, with which token; "": nobody.
std::string shown(const PostgresServer& server, const std::string& name) {
  return server.query("SELECT owner || ' ' || token FROM tenure.lease WHERE name = 'redlock:" + name +
                      "' AND NOT kept AND ends > clock_timestamp()");
}
std::string as_shown(const std::string& owner, const Lease& lease) {
  return owner + " " + std::to_string(lease.token());
}

// One try, repeated only while the server is too busy to answer in time.
Refusal::Code code_of_a_try(const Client& client, const std::string& name, const LockOptions& options) {
  auto code = Code::no_quorum;
  wait_until(
      [&] {
        const auto tried = client.lock(name, options).try_acquire();
        if (tried) ADD_FAILURE() << name << " was granted, token " << tried->token();
        code = tried ? Code::usage : tried.error().code;
        return code != Code::no_quorum;
      },
      patience);
  return code;
}

struct End {
  const char* name;
  void (PostgresServer::*end)();
};
class ClientInACrash : public testing::TestWithParam<End> {
 protected:
  void end_server() { (server.*GetParam().end)(); }

  PostgresServer server;
};
INSTANTIATE_TEST_SUITE_P(Each, ClientInACrash,
                         testing::Values(End{"PowerCut", &PostgresServer::kill},
                                         End{"ImmediateStop", &PostgresServer::stop_immediate}),
                         [](const auto& it) { return it.param.name; });

TEST_P(ClientInACrash, KeepsWhatItHoldsAndNobodyWaitsForAQuarantine) {
  constexpr core::Ttl cap{30'000};
  const LockOptions options{.ttl = cap};
  set_up(server, cap);
  const Client holder = open_client(server.url(), "web-1", cap);
  const Client other = open_client(server.url(), "web-2", cap);
  Oracle oracle;
  auto lease = holder.lock("job", options).acquire({.wait_max = patience}).value();
  auto second = holder.lock("second", options).acquire({.wait_max = patience}).value();
  {
    const Watch watch(oracle, "the holder", lease);
    WaitingClient waiting(other.lock("job", options));
    ASSERT_TRUE(wait_until([&] { return waiting.waits(); }, patience));
    ASSERT_TRUE(lease.extend() && second.extend()) << "all of their time is left";

    end_server();
    server.restart();

    EXPECT_TRUE(are_renewed(lease, second));
    EXPECT_FALSE(lease.lost().stop_requested());
    EXPECT_FALSE(second.lost().stop_requested());
    EXPECT_EQ(shown(server, "job"), as_shown("web-1", lease));
    EXPECT_EQ(shown(server, "second"), as_shown("web-1", second));
    EXPECT_EQ(record_in(server), "open new durable");
    const auto another = other.lock("another", options).acquire({.wait_max = patience});
    ASSERT_TRUE(another) << another.error().message;
    EXPECT_GT(another->token(), second.token());
    EXPECT_FALSE(waiting.done());

    EXPECT_EQ(lease.release(), Released::released);
    auto next = waiting.get();
    ASSERT_TRUE(next) << next.error().message;
    EXPECT_GT(next->token(), another->token());
    const Watch watch_next(oracle, "the next", *next);
    ASSERT_TRUE(next->extend());
  }
  oracle.judge();
}

TEST_P(ClientInACrash, ThatLastsLongerThanItsTtlHasStoppedBeforeTheNextIsGrantedTheName) {
  constexpr core::Ttl cap{2'000};
  const LockOptions options{.ttl = cap, .node_timeout = cap / 5};
  set_up(server, cap);
  const Client holder = open_client(server.url(), "web-1", cap);
  const Client other = open_client(server.url(), "web-2", cap);
  Oracle oracle;
  const auto lease = holder.lock("job", options).acquire({.wait_max = patience}).value();
  {
    const Watch watch(oracle, "the holder", lease);
    WaitingClient waiting(other.lock("job", options));
    ASSERT_TRUE(wait_until([&] { return waiting.waits(); }, patience));

    end_server();
    ASSERT_TRUE(wait_until([&] { return !lease.held(); }, patience));
    EXPECT_TRUE(wait_until([&] { return lease.loss() == Loss::not_renewed; }, patience));
    server.restart();

    auto next = waiting.get();
    ASSERT_TRUE(next) << next.error().message;
    EXPECT_GT(next->token(), lease.token());
    EXPECT_EQ(record_in(server), "open new durable");
    const Watch watch_next(oracle, "the next", *next);
    ASSERT_TRUE(next->extend());
  }
  oracle.judge();
}

// An asynchronous replica takes over that lacks the last grant. Clients name both servers.
class ClientInAPromotion : public testing::Test {
 protected:
  void begin(core::Ttl cap) {
    set_up(primary, cap);
    options = {.ttl = cap};
    replica = std::make_unique<PostgresServer>(PostgresServer::Options{.replica_of = &primary});
    url = url_of_either(primary, *replica);
  }
  void fail_over() {
    const std::string life = primary.query("SELECT tenure.life()");
    primary.kill();
    replica->promote();
    EXPECT_NE(replica->query("SELECT tenure.life()"), life);
  }

  PostgresServer primary;
  std::unique_ptr<PostgresServer> replica;
  std::string url;
  LockOptions options;
};

TEST_F(ClientInAPromotion, PutsItsLeaseBackAndNewOnesWaitForTheQuarantine) {
  constexpr core::Ttl cap{10'000};
  begin(cap);
  const Client holder = open_client(url, "web-1", cap);
  const Client other = open_client(url, "web-2", cap);
  Oracle oracle;
  const auto before = holder.lock("before", options).acquire({.wait_max = patience}).value();
  wait_for_replay(primary, *replica);
  stop_streaming(*replica);
  auto lease = holder.lock("job", options).acquire({.wait_max = patience}).value();
  {
    const Watch watch(oracle, "the holder", lease);
    WaitingClient waiting(other.lock("job", options));
    ASSERT_TRUE(wait_until([&] { return waiting.waits(); }, patience));
    ASSERT_EQ(shown(*replica, "job"), "") << "the grant is not replicated";
    ASSERT_TRUE(lease.extend()) << "all of its time is left";

    fail_over();

    ASSERT_TRUE(wait_until([&] { return shown(*replica, "job") == as_shown("web-1", lease); }, patience));
    EXPECT_EQ(record_in(*replica), "quarantined restarted durable");
    EXPECT_EQ(code_of_a_try(other, "another", options), Code::not_open);
    EXPECT_EQ(code_of_a_try(other, "job", options), Code::not_open) << "also while the holder is back";

    ASSERT_TRUE(wait_until([&] { return record_in(*replica) == "open restarted durable"; }, patience));
    EXPECT_TRUE(lease.held());
    EXPECT_FALSE(lease.lost().stop_requested());
    EXPECT_TRUE(before.held());
    EXPECT_FALSE(before.lost().stop_requested());
    EXPECT_EQ(shown(*replica, "job"), as_shown("web-1", lease));
    EXPECT_EQ(shown(*replica, "before"), as_shown("web-1", before));
    EXPECT_EQ(code_of_a_try(other, "job", options), Code::held);
    EXPECT_FALSE(waiting.done());
    const auto another = other.lock("another", options).acquire({.wait_max = patience});
    ASSERT_TRUE(another) << another.error().message;
    EXPECT_GT(another->token(), lease.token());

    EXPECT_EQ(lease.release(), Released::released);
    auto next = waiting.get();
    ASSERT_TRUE(next) << next.error().message;
    EXPECT_GT(next->token(), another->token());
    const Watch watch_next(oracle, "the next", *next);
    ASSERT_TRUE(next->extend());
  }
  oracle.judge();
}

TEST_F(ClientInAPromotion, ThatDoesNotReachTheNewPrimaryHasStoppedBeforeTheNextIsGrantedTheName) {
  constexpr core::Ttl cap{4'000};
  begin(cap);
  const Client holder = open_client(primary.url(), "web-1", cap);
  const Client other = open_client(url, "web-2", cap);
  Oracle oracle;
  ASSERT_TRUE(other.lock("before", options).acquire({.wait_max = patience}));
  wait_for_replay(primary, *replica);
  stop_streaming(*replica);
  // A sequence is logged some tokens ahead: only after more than those is the counter of the new primary behind them.
  for (int i = 0; i < 40; ++i)
    ASSERT_TRUE(holder.lock("earlier", options).acquire({.wait_max = patience}).value().release());
  const auto lease = holder.lock("job", options).acquire({.wait_max = patience}).value();
  {
    const Watch watch(oracle, "the holder", lease);
    WaitingClient waiting(other.lock("job", options));
    ASSERT_TRUE(wait_until([&] { return waiting.waits(); }, patience));

    fail_over();

    auto next = waiting.get();
    ASSERT_TRUE(next) << next.error().message;
    EXPECT_EQ(record_in(*replica), "open restarted durable");
    EXPECT_GT(next->token(), lease.token()) << "which nobody has told the new primary";
    EXPECT_FALSE(lease.held());
    EXPECT_TRUE(wait_until([&] { return lease.loss() == Loss::not_renewed; }, patience));
    const Watch watch_next(oracle, "the next", *next);
    ASSERT_TRUE(next->extend());
  }
  oracle.judge();
}

}  // namespace
}  // namespace tenure::test
