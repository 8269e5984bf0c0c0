// The runtime's client against a real Redis: what a caller sees of leases, waits and failures.
#include "runtime/engine/client.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <future>
#include <optional>
#include <stdexcept>
#include <thread>

#include "core/lease/record.hpp"
#include "runtime/boot_clock.hpp"
#include "support/host_names.hpp"
#include "support/lease_client.hpp"
#include "support/nodes.hpp"
#include "support/wait.hpp"

namespace tenure::test {
namespace {

using core::RefusalCode;
using runtime::AcquireOptions;
using runtime::Client;
using runtime::Lease;
using std::chrono::milliseconds;
using std::chrono::seconds;

AcquireOptions options(core::Duration ttl, std::optional<core::Duration> wait_max = core::Duration::zero()) {
  AcquireOptions options;
  options.timing = core::make_timing({.ttl = ttl}).value();
  options.wait_max = wait_max;
  return options;
}

class ClientTest : public ::testing::Test {
 protected:
  void SetUp() override { init(server_); }

  Client make_client(const std::string& url, std::function<void(const LogLine&)> on_log = {}) {
    return client_of({redis::parse_url(url).value()}, cap_default, {.on_log = std::move(on_log)});
  }
  std::string value(const std::string& key) { return server_.command({"GET", key}).text; }

  RedisServer server_;
};

TEST_F(ClientTest, ALeaseIsSeenInRedisWithItsTokenAndATtlAndIsGoneWhenGivenBack) {  // L6, P1, P3
  Client client = make_client(server_.url());
  auto lease = client.acquire("redlock:a", options(seconds(10)));
  ASSERT_TRUE(lease);
  EXPECT_TRUE(lease->held());
  EXPECT_TRUE(value("redlock:a").ends_with("#" + std::to_string(lease->token())));
  const auto left = server_.command({"PTTL", "redlock:a"}).integer;
  EXPECT_GT(left, 0);
  EXPECT_LE(left, 10'000);
  EXPECT_EQ(lease->release().outcome, core::ReleaseOutcome::released);
  EXPECT_FALSE(lease->held());
  EXPECT_EQ(server_.command({"EXISTS", "redlock:a"}).integer, 0);
  EXPECT_EQ(lease->release().outcome, core::ReleaseOutcome::released) << "release is idempotent";
}

TEST_F(ClientTest, TheSecondIsToldWhoHoldsItAndForHowLong) {  // L2
  Client first = make_client(server_.url());
  Client second = make_client(server_.url());
  const auto lease = first.acquire("redlock:a", options(seconds(10)));
  ASSERT_TRUE(lease);
  const auto refused = second.acquire("redlock:a", options(seconds(10)));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, RefusalCode::held);
  ASSERT_TRUE(refused.error().held);
  EXPECT_EQ(refused.error().held->holder.token, lease->token());
  EXPECT_GT(refused.error().held->left, core::Ttl::zero());
}

TEST_F(ClientTest, TwoHoldersInOneProcessAreTwoGrants) {  // T20, T45
  Client client = make_client(server_.url());
  std::optional<Lease> first = std::move(client.acquire("redlock:a", options(seconds(10))).value());
  EXPECT_FALSE(client.acquire("redlock:a", options(seconds(10))));
  server_.command({"DEL", "redlock:a"});
  const auto second = client.acquire("redlock:a", options(seconds(10)));
  ASSERT_TRUE(second);
  EXPECT_GT(second->token(), first->token());
  first.reset();  // the end of the old handle must not free the new grant
  EXPECT_TRUE(value("redlock:a").ends_with("#" + std::to_string(second->token())));
}

TEST_F(ClientTest, ManyThreadsNeverHoldOneNameTogetherAndTokensGrow) {  // S1, S3
  constexpr int threads = 6;
  constexpr int rounds = 10;
  Client client = make_client(server_.url());
  struct Name {
    std::atomic<int> inside = 0;
    std::atomic<core::Token> last = 0;
  };
  std::array<Name, 2> names;
  std::atomic<int> held = 0;
  {
    std::vector<std::jthread> workers;
    for (int i = 0; i < threads; ++i) {
      workers.emplace_back([&] {
        for (std::size_t round = 0; round < rounds; ++round) {
          Name& name = names.at(round % 2);
          auto wish = options(seconds(10), seconds(30));
          const auto lease = client.acquire("redlock:" + std::to_string(round % 2), wish);
          ASSERT_TRUE(lease) << static_cast<int>(lease.error().code);
          EXPECT_EQ(name.inside.fetch_add(1), 0) << "two hold one name";
          std::this_thread::sleep_for(milliseconds(1));
          EXPECT_GT(lease->token(), name.last.exchange(lease->token()));
          name.inside.fetch_sub(1);
          held += 1;
        }
      });
    }
  }
  EXPECT_EQ(held, threads * rounds);
}

// A short lease gives up on a node soon, and its connection with it; a long one must not suffer from that.
TEST_F(ClientTest, AHastyCallerDoesNotDisturbAPatientOne) {  // L5
  std::atomic<int> uncertain = 0;
  Client client = make_client(
      server_.url(), [&](const LogLine& line) { uncertain += line.event == "lease_uncertain" ? 1 : 0; });
  const auto patient = client.acquire("redlock:patient", options(seconds(2)));
  ASSERT_TRUE(patient);
  const auto first = patient->deadline();
  std::atomic<bool> over = false;
  std::jthread hasty([&] {
    while (!over) static_cast<void>(client.acquire("redlock:hasty", options(milliseconds(100))));
  });
  // The server stands still for 40 ms at a time: too long for a node timeout of 10 ms, nothing for one of 200.
  while (patient->deadline() < first + seconds(2) && patient->held()) {
    server_.pause();
    std::this_thread::sleep_for(milliseconds(40));
    server_.resume();
    std::this_thread::sleep_for(milliseconds(10));
  }
  over = true;
  EXPECT_TRUE(patient->held());
  EXPECT_EQ(uncertain, 0);
}

TEST_F(ClientTest, AHeldLeaseOutlivesItsTtlManyTimes) {  // L5, P13
  Client client = make_client(server_.url());
  const auto lease = client.acquire("redlock:a", options(milliseconds(300)));
  ASSERT_TRUE(lease);
  const auto first = lease->deadline();
  const std::string before = value("redlock:a");
  ASSERT_TRUE(wait_until([&] { return lease->deadline() > first + seconds(1); }));
  EXPECT_TRUE(lease->held());
  EXPECT_EQ(value("redlock:a"), before) << "same grant, same token";
  EXPECT_FALSE(lease->lost().stop_requested());
}

TEST_F(ClientTest, AWaiterGetsTheNameWhenItIsGivenBack) {
  Client client = make_client(server_.url());
  auto first = client.acquire("redlock:a", options(seconds(10)));
  ASSERT_TRUE(first);
  std::promise<void> waiting;
  auto wish = options(seconds(10), std::nullopt);
  wish.on_waiting = [&](const core::Refusal&) { waiting.set_value(); };
  auto second = std::async(std::launch::async, [&] { return client.acquire("redlock:a", wish); });
  ASSERT_EQ(waiting.get_future().wait_for(seconds(10)), std::future_status::ready);
  first->release();
  const auto lease = second.get();
  ASSERT_TRUE(lease);
  EXPECT_GT(lease->token(), first->token());
}

TEST_F(ClientTest, AWaitThatTimesOutIsARefusal) {  // T16
  Client client = make_client(server_.url());
  const auto first = client.acquire("redlock:a", options(seconds(10)));
  const auto before = runtime::boot_now();
  const auto second = client.acquire("redlock:a", options(seconds(10), milliseconds(250)));
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, RefusalCode::waited);
  EXPECT_GE(runtime::boot_now() - before, milliseconds(250));
  EXPECT_TRUE(first->held());
}

TEST_F(ClientTest, ACancelledWaitLeavesNothingBehind) {  // T13
  Client client = make_client(server_.url());
  std::stop_source stop;
  {
    auto first = client.acquire("redlock:a", options(seconds(10)));
    ASSERT_TRUE(first);
    std::promise<void> waiting;
    auto wish = options(seconds(10), std::nullopt);
    wish.on_waiting = [&](const core::Refusal&) { waiting.set_value(); };
    auto second =
        std::async(std::launch::async, [&] { return client.acquire("redlock:a", wish, stop.get_token()); });
    ASSERT_EQ(waiting.get_future().wait_for(seconds(10)), std::future_status::ready);
    stop.request_stop();
    const auto refused = second.get();
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, RefusalCode::cancelled);
  }
  EXPECT_EQ(server_.command({"EXISTS", "redlock:a"}).integer, 0);
}

TEST_F(ClientTest, ATokenStoppedBeforeTheCallRefusesAndLeavesNothing) {  // T13
  std::stop_source stop;
  stop.request_stop();
  {
    Client client = make_client(server_.url());
    const auto refused = client.acquire("redlock:a", options(seconds(10)), stop.get_token());
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, RefusalCode::cancelled);
  }
  EXPECT_TRUE(wait_until([&] { return server_.command({"EXISTS", "redlock:a"}).integer == 0; }));
}

TEST_F(ClientTest, AConnectionThatRedisClosedIsMadeAnew) {
  Client client = make_client(server_.url());
  const auto held = client.acquire("redlock:a", options(milliseconds(500)));
  ASSERT_TRUE(held);
  for (int i = 0; i < 3; ++i) {
    server_.command({"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"});
    const auto deadline = held->deadline();
    ASSERT_TRUE(wait_until([&] { return held->deadline() > deadline; }));  // T19
  }
  EXPECT_TRUE(held->held());
}

TEST_F(ClientTest, AConnectionThatBrokeAMomentAgoFailsNoCall) {
  Client client = make_client(server_.url());
  for (int i = 0; i < 3; ++i) {
    auto lease = client.acquire("redlock:a", options(seconds(10)));
    ASSERT_TRUE(lease) << i;
    server_.command({"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"});
    EXPECT_EQ(lease->release().outcome, core::ReleaseOutcome::released);
    server_.command({"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"});
  }
}

TEST_F(ClientTest, AHandleThatEndsWhileRedisHangsIsCleanedUpAfterwards) {  // T15, L9
  Client client = make_client(server_.url());
  {
    const auto lease = client.acquire("redlock:a", options(seconds(10)));
    ASSERT_TRUE(lease);
    server_.pause();
  }
  server_.resume();
  EXPECT_TRUE(wait_until([&] { return server_.command({"EXISTS", "redlock:a"}).integer == 0; }, seconds(5)));
}

TEST_F(ClientTest, ACallbackThatThrowsLeavesNothingBehind) {
  Client client = make_client(server_.url());
  auto first = client.acquire("redlock:a", options(seconds(10)));
  ASSERT_TRUE(first);
  auto wish = options(seconds(10), std::nullopt);
  wish.on_waiting = [](const core::Refusal&) { throw std::runtime_error("no"); };
  EXPECT_THROW(static_cast<void>(client.acquire("redlock:a", wish)), std::runtime_error);
  first->release();
  const auto second = client.acquire("redlock:a", options(seconds(10)));
  EXPECT_TRUE(second) << "an orphan holds the name";
}

TEST_F(ClientTest, ASlowListenerDelaysNoLoss) {  // S11
  std::promise<void> over;
  auto until_over = over.get_future().share();
  Client client = make_client(server_.url(), [&](const LogLine&) { until_over.wait(); });
  auto slow = client.acquire("redlock:slow", options(seconds(2)));
  auto quick = client.acquire("redlock:quick", options(seconds(2)));
  ASSERT_TRUE(slow && quick);
  std::promise<core::Duration> early;
  const std::stop_callback blocks(slow->lost(), [&] { until_over.wait(); });
  const std::stop_callback on_lost(quick->lost(),
                                   [&] { early.set_value(quick->deadline() - runtime::boot_now()); });
  server_.pause();
  auto told = early.get_future();
  EXPECT_EQ(told.wait_for(seconds(10)), std::future_status::ready);
  over.set_value();
  EXPECT_GT(told.get(), milliseconds(0));
  server_.resume();
}

TEST_F(ClientTest, TwoThreadsMayReleaseOneLease) {
  Client client = make_client(server_.url());
  for (int i = 0; i < 50; ++i) {
    auto lease = client.acquire("redlock:a", options(seconds(10)));
    ASSERT_TRUE(lease);
    auto other = std::async(std::launch::async, [&] { return lease->release().outcome; });
    EXPECT_EQ(lease->release().outcome, core::ReleaseOutcome::released);
    EXPECT_EQ(other.get(), core::ReleaseOutcome::released);
  }
}

TEST_F(ClientTest, AfterAForkTheChildIsStoppedRatherThanGivenTheSameGrant) {  // S1
  Client client = make_client(server_.url());
  auto lease = client.acquire("redlock:held", options(seconds(10)));
  ASSERT_TRUE(lease);
  const pid_t child = fork();
  if (child == 0) {
    if (lease->release().outcome != core::ReleaseOutcome::failed) _exit(1);  // it is the parent's to release
    static_cast<void>(client.acquire("redlock:a", options(seconds(10))));
    _exit(2);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT) << status;
  EXPECT_EQ(lease->release().outcome, core::ReleaseOutcome::released);
}

TEST_F(ClientTest, ARedisThatIsNotThereIsNamedAsSuch) {
  server_.kill();
  Client client = make_client(server_.url());
  const auto refused = client.acquire("redlock:a", options(seconds(1)));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, RefusalCode::no_quorum);
  ASSERT_EQ(refused.error().failures.size(), 1U);
  EXPECT_EQ(refused.error().failures[0].failure.code, core::FailureCode::unreachable);
  EXPECT_EQ(refused.error().failures[0].failure.applied, core::Applied::no);
}

TEST_F(ClientTest, WithoutARecordThereIsAQuarantineAndInitEndsIt) {  // M23
  server_.command({"DEL", "tenure:record"});
  Client client = make_client(server_.url());
  const auto refused = client.acquire("redlock:a", options(seconds(10)));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, RefusalCode::not_open);
  const auto& record = refused.error().record.read;
  ASSERT_TRUE(record);
  EXPECT_FALSE(record->open);
  EXPECT_TRUE(record->unknown());
  EXPECT_EQ(server_.command({"EXISTS", "redlock:a"}).integer, 0);
  init(server_);  // somebody says that it is new
  EXPECT_TRUE(wait_until([&] { return client.acquire("redlock:a", options(seconds(10))).has_value(); }));
}

TEST(ClientQuarantine, WhoWaitsIsGrantedItWhenTheQuarantineIsOver) {  // S7, M23
  RedisServer server;
  const core::Ttl cap = seconds(1);
  Client client = client_of({redis::parse_url(server.url()).value()}, cap);
  const auto before = runtime::boot_now();
  const auto lease = client.acquire("redlock:a", wish(cap, for_ever));
  ASSERT_TRUE(lease);
  EXPECT_GE(runtime::boot_now() - before, core::quarantine_length(cap));
  EXPECT_EQ(record_state(server), "open");
}

TEST(ClientQuarantine, AnotherCapIsRefusedForGood) {
  Nodes nodes(1, seconds(30));
  Client client = client_of(nodes.addresses(), seconds(60));
  const auto refused = client.acquire("redlock:a", wish(seconds(10), for_ever));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, RefusalCode::not_open);
  EXPECT_EQ(refused.error().record.read->terms.cap, core::Ttl(30'000));
  EXPECT_TRUE(nodes.none_has("redlock:a"));
}

TEST(ClientWithPassword, AnAclUserOverTcpByName) {  // L11
  RedisServer::Options with_user;
  with_user.tcp = true;
  RedisServer server(with_user);
  server.command({"ACL", "SETUSER", "web", "on", ">s3cret", "~redlock:*", "~tenure:*", "+@all"});
  init(server);
  const auto client_for = [&](const std::string& password) {
    runtime::ClientOptions client;
    const auto address = redis::parse_url("redis://web:" + password + "@" + host_name_of_loopback() + ":" +
                                          std::to_string(server.port()) + "/0");
    const redis::Keyspace keyspace;
    client.nodes = redis::make_nodes({{address.value()}}, keyspace, {});
    client.owner = "me";
    client.terms = keyspace.terms();
    return Client(std::move(client));
  };
  EXPECT_TRUE(client_for("s3cret").acquire("redlock:a", options(seconds(10))));
  const auto refused = client_for("wrong-one").acquire("redlock:a", options(seconds(10)));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().failures.at(0).failure.code, core::FailureCode::auth);
  EXPECT_EQ(refused.error().failures.at(0).failure.detail.find("wrong-one"), std::string::npos);
}

}  // namespace
}  // namespace tenure::test
