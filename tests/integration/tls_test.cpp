// Leases over TLS on real servers, and the servers that are refused. L11
#include <gtest/gtest.h>

#include <thread>

#include "redis/net/caller.hpp"
#include "runtime/boot_clock.hpp"
#include "support/certificates.hpp"
#include "support/forwarder.hpp"
#include "support/host_names.hpp"
#include "support/lease_client.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;
using core::Failure;
using core::FailureCode;
using core::RefusalCode;
using runtime::Client;
using runtime::Lease;
using runtime::TlsOptions;

constexpr auto key = "redlock:a";

class TlsTest : public ::testing::Test {
 protected:
  TlsOptions trusting() const { return {.ca_file = certificates_.ca_file()}; }
  Nodes nodes(std::size_t count) { return Nodes(count, cap_default, {.tls = certificates_.server()}); }
  Client client_for(const Nodes& nodes) { return client_of(nodes, {.tls = trusting()}); }

  // Why a server is refused. It never has anything of ours afterwards.
  Failure failure_of(RedisServer& server, const TlsOptions& options, const std::string& host = "127.0.0.1") {
    auto address = redis::parse_url(server.url()).value();
    address.host = host;
    address.tls = true;
    auto client = client_of({address}, cap_default, {.tls = options});
    const auto refused = client.acquire(key, wish(5s));
    EXPECT_EQ(server.command({"DBSIZE"}).integer, 0);
    if (refused || refused.error().failures.empty()) {
      return {core::Applied::perhaps, FailureCode::server, "it was believed"};
    }
    EXPECT_EQ(refused.error().code, RefusalCode::no_quorum);
    return refused.error().failures.front().failure;
  }

  void expect_refused(RedisServer& server, const TlsOptions& options, const std::string& says,
                      const std::string& host = "127.0.0.1") {
    const Failure failure = failure_of(server, options, host);
    EXPECT_EQ(failure.code, FailureCode::tls) << failure.detail;
    EXPECT_EQ(failure.applied, core::Applied::no) << failure.detail;
    EXPECT_NE(failure.detail.find(says), std::string::npos) << failure.detail;
    EXPECT_EQ(failure.detail.find("--tls"), std::string::npos) << "a flag of the program: " << failure.detail;
  }

  Certificates certificates_;
};

TEST_F(TlsTest, ALeaseIsGrantedRenewedAndGivenBack) {
  Nodes one = nodes(1);
  Client client = client_for(one);
  auto lease = client.acquire(key, wish(1s));
  ASSERT_TRUE(lease);
  EXPECT_TRUE(one[0].command({"GET", key}).text.ends_with("#" + std::to_string(lease->token())));
  EXPECT_TRUE(is_renewed(*lease));
  EXPECT_EQ(lease->release().outcome, core::ReleaseOutcome::released);
  EXPECT_TRUE(one.none_has(key));
}

TEST_F(TlsTest, WhoWaitsIsCalledWhenItIsGivenBack) {  // L7, T26
  Nodes one = nodes(1);
  Client first = client_for(one);
  Client second = client_for(one);
  auto lease = first.acquire(key, wish(20s));
  ASSERT_TRUE(lease);
  Wanting waiter(second, key, wish(20s, for_ever));
  ASSERT_TRUE(wait_until([&] { return one.enrolled(key) == 1; }));
  const auto looks = calls_of(one[0], "evalsha");
  lease->release();
  const auto next = waiter.get();
  ASSERT_TRUE(next);
  EXPECT_GT(next->token(), lease->token());
  EXPECT_LE(calls_of(one[0], "evalsha") - looks, 3) << "it was not called: it looked";
}

TEST_F(TlsTest, AMajorityOfThreeDecidesAlsoWhenOneIsGone) {  // L1, T5
  Nodes three = nodes(3);
  Client first = client_for(three);
  Client second = client_for(three);
  auto lease = first.acquire(key, wish(2s));
  ASSERT_TRUE(lease);
  three[2].kill();
  EXPECT_TRUE(is_renewed(*lease));
  Wanting waiter(second, key, wish(2s, for_ever));
  ASSERT_TRUE(wait_until([&] { return waiter.waits(); }));
  EXPECT_EQ(lease->release().outcome, core::ReleaseOutcome::released);
  const auto next = waiter.get();
  ASSERT_TRUE(next);
  EXPECT_GT(next->token(), lease->token());
}

TEST_F(TlsTest, AServerThatWasKilledAndIsBackIsConnectedAgain) {  // F1
  Nodes one(1, 3s, {.tls = certificates_.server()});
  Client client = client_of(one, {.tls = trusting()});
  const auto lease = client.acquire(key, wish(3s));
  ASSERT_TRUE(lease);
  const std::string value = one[0].command({"GET", key}).text;
  one[0].restart();
  EXPECT_TRUE(wait_until([&] { return one[0].command({"GET", key}).text == value; }));
  EXPECT_TRUE(is_renewed(*lease));
  EXPECT_TRUE(lease->held());
}

TEST_F(TlsTest, AConnectionThatWasIdleIsUsedAgain) {
  Nodes one = nodes(1);
  Client client = client_for(one);
  ASSERT_TRUE(client.acquire(key, wish(5s)));
  const auto connections = [&] {
    const auto info = one[0].command({"INFO", "stats"}).text;
    const auto found = info.find("total_connections_received:");
    return info.substr(found, info.find('\r', found) - found);
  };
  const auto before = connections();
  std::this_thread::sleep_for(1100ms);  // from then on it is looked at before it is used
  ASSERT_TRUE(client.acquire(key, wish(5s)));
  EXPECT_EQ(connections(), before);
}

TEST_F(TlsTest, BytesThatComeOneByOneAreUnderstood) {
  Nodes one = nodes(1);
  Forwarder wire(std::to_string(one[0].port()), Forwarder::Listens::tcp);
  wire.split();
  auto address = wire.address();
  address.tls = true;
  Client client = client_of({address}, cap_default, {.tls = trusting()});
  runtime::AcquireOptions patient;
  patient.timing = core::make_timing({.ttl = 30s, .renew = 1s, .node_timeout = 9s}).value();
  auto lease = client.acquire(key, patient);
  ASSERT_TRUE(lease) << lease.error().failures.at(0).failure.detail;
  EXPECT_TRUE(is_renewed(*lease));
  EXPECT_EQ(lease->release().outcome, core::ReleaseOutcome::released);
}

TEST_F(TlsTest, TwoThousandLeasesAreRenewedInBatches) {  // B5
  constexpr std::size_t count = 2000;
  Nodes one = nodes(1);
  Client client = client_for(one);
  runtime::AcquireOptions often;
  often.timing = core::make_timing({.ttl = 20s, .renew = 2s}).value();
  std::vector<Lease> leases;
  for (std::size_t i = 0; i < count; ++i) {
    auto lease = client.acquire("redlock:session-" + std::to_string(i), often);
    ASSERT_TRUE(lease);
    leases.push_back(std::move(*lease));
  }
  std::vector<core::Time> before;
  for (const auto& lease : leases) before.push_back(lease.deadline());
  const auto calls = calls_of(one[0], "evalsha");
  EXPECT_TRUE(wait_until([&] {
    for (std::size_t i = 0; i < count; ++i) {
      if (leases[i].deadline() <= before[i]) return false;
    }
    return true;
  }));
  EXPECT_LE(calls_of(one[0], "evalsha") - calls, 50);
}

TEST_F(TlsTest, ACallerTakesAndGivesMoreThanFitsIntoOneRecordOrSocket) {
  RedisServer server({.tls = certificates_.server()});
  const auto tls = runtime::Tls::load(trusting()).value();
  auto redis = redis::Caller::connect(redis::parse_url(server.url() + "/3").value(), 20s, tls);
  ASSERT_TRUE(redis) << redis.error().detail;
  const std::string large(std::size_t{15} << 20, 'x');
  // Nobody reads for a while, so that what is sent does not fit.
  server.pause();
  std::jthread later([&] {
    std::this_thread::sleep_for(200ms);
    server.resume();
  });
  const auto set = redis->call({"SET", "large", large});
  ASSERT_TRUE(set) << set.error().detail;
  const auto got = redis->call({"GET", "large"});
  ASSERT_TRUE(got) << got.error().detail;
  EXPECT_EQ(got->text, large);
  server.command({"SELECT", "3"});
  EXPECT_EQ(server.command({"EXISTS", "large"}).integer, 1) << "not in the database of the address";
}

TEST_F(TlsTest, AClientCertificateIsGivenToAServerThatAsks) {
  for (const char* version : {"TLSv1.2", "TLSv1.3"}) {
    RedisServer server({.tls = certificates_.server_that_asks(), .arguments = {"--tls-protocols", version}});
    expect_refused(server, trusting(), "asks for a client certificate");

    Certificates others;
    const Identity wrong = others.issue();
    TlsOptions options = trusting();
    options.certificate_file = wrong.certificate_file;
    options.key_file = wrong.key_file;
    expect_refused(server, options, "refuses our certificate: it does not trust the CA");

    init(server);
    const Identity right = certificates_.issue();
    options.certificate_file = right.certificate_file;
    options.key_file = right.key_file;
    Client client = client_of({redis::parse_url(server.url()).value()}, cap_default, {.tls = options});
    const auto lease = client.acquire(key, wish(5s));
    EXPECT_TRUE(lease) << lease.error().failures.at(0).failure.detail;
  }
}

TEST_F(TlsTest, ACertificateOutOfItsTimeIsRefused) {
  RedisServer expired({.tls = certificates_.server({.from = -48h, .to = -24h})});
  expect_refused(expired, trusting(), "has expired");
  RedisServer early({.tls = certificates_.server({.from = 24h, .to = 48h})});
  expect_refused(early, trusting(), "is not valid yet");
}

TEST_F(TlsTest, ACertificateThatNobodyHereVouchesForIsRefused) {
  const Certificates others;
  RedisServer server({.tls = certificates_.server()});
  expect_refused(server, {.ca_file = others.ca_file()},
                 "from a CA that is not trusted here; the CA file names");
  expect_refused(server, {},
                 "from a CA that is not trusted here; the CA file names");  // the CAs of the system
  RedisServer self_signed({.tls = certificates_.server({.self_signed = true})});
  expect_refused(self_signed, trusting(), "is self-signed, and not trusted here; the CA file names");
}

TEST_F(TlsTest, ACertificateForAnotherHostIsRefused) {
  const std::string name = host_name_of_loopback();
  RedisServer by_name({.tls = certificates_.server({.alternative_names = "DNS:" + name})});
  expect_refused(by_name, trusting(), "is not for 127.0.0.1; if it should be for another");
  RedisServer by_number({.tls = certificates_.server({.alternative_names = "IP:127.0.0.1"})});
  expect_refused(by_number, trusting(), "is not for " + name + "; if it should be for another", name);
  TlsOptions options = trusting();
  options.server_name = "redis.example.com";
  expect_refused(by_name, options, "is not for redis.example.com; if it should be for another", name);
}

TEST_F(TlsTest, AnotherServerNameCanBeExpected) {
  TlsOptions options = trusting();
  options.server_name = "redis.example.com";
  Nodes one(1, cap_default, {.tls = certificates_.server({.alternative_names = "DNS:redis.example.com"})});
  Client client = client_of(one, {.tls = options});
  EXPECT_TRUE(client.acquire(key, wish(5s)));
}

TEST_F(TlsTest, APortThatAnswersInPlainTextIsRefusedAtOnce) {
  RedisServer server({.tcp = true});
  server.command({"CONFIG", "SET", "maxclients", "1"});  // it says so to whoever comes
  expect_refused(server, trusting(), "does not speak TLS");
}

// To Redis a greeting of TLS is the beginning of a long line.
TEST_F(TlsTest, APortThatWaitsInPlainTextIsGivenUpAfterTheNodeTimeout) {
  RedisServer server({.tcp = true});
  const auto before = runtime::boot_now();
  EXPECT_EQ(failure_of(server, trusting()).code, FailureCode::timed_out);
  EXPECT_LT(runtime::boot_now() - before, 2500ms);  // one second, and time for a busy machine
}

TEST_F(TlsTest, AHandshakeThatHangsIsBoundedByTheNodeTimeout) {  // T8
  Nodes one = nodes(1);
  Forwarder wire(std::to_string(one[0].port()), Forwarder::Listens::tcp);
  wire.hold();
  auto address = wire.address();
  address.tls = true;
  Client client = client_of({address}, cap_default, {.tls = trusting()});
  const auto before = runtime::boot_now();
  const auto refused = client.acquire(key, wish(5s));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().failures.at(0).failure.code, FailureCode::timed_out);
  EXPECT_LT(runtime::boot_now() - before, 2500ms);
  const auto call = redis::Caller::connect(address, 200ms, runtime::Tls::load(trusting()).value());
  ASSERT_FALSE(call);
  EXPECT_EQ(call.error().detail, "no answer to the TLS handshake in time");
  wire.mend();
  EXPECT_TRUE(client.acquire(key, wish(5s)));
  EXPECT_TRUE(wait_until([&] { return one.none_has(key); }));
}

TEST_F(TlsTest, NothingIsSaidInPlainTextWhereTlsWasNotSetUp) {
  RedisServer server({.tls = certificates_.server()});
  const auto refused = redis::Caller::connect(redis::parse_url(server.url()).value(), 5s);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, FailureCode::tls);
}

}  // namespace
}  // namespace tenure::test
