// Every kind of trouble that a server can be in has its own code, and none of them reads as success.
#include <gtest/gtest.h>

#include <filesystem>

#include "support/fake_server.hpp"
#include "support/forwarder.hpp"
#include "support/lease_client.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;
using core::FailureCode;
using core::RefusalCode;

constexpr auto key = "redlock:a";

core::Failure failure_of(const redis::Address& address) {
  auto client = client_of({address}, cap_default);
  const auto refused = client.acquire(key, wish(2s));
  if (refused) return {core::Applied::perhaps, FailureCode::server, "it was granted"};
  EXPECT_EQ(refused.error().code, RefusalCode::no_quorum);
  return refused.error().failures.at(0).failure;
}

redis::Address address_of(const RedisServer& server, std::string_view who = {}) {
  return redis::parse_url(server.url(who)).value();
}

struct Said {
  std::string name;
  std::string bytes;
  FailureCode code;

  friend void PrintTo(const Said& said, std::ostream* out) { *out << said.name; }
};

class ErrorReplyTest : public ::testing::TestWithParam<Said> {};
class AnswerToAdmissionTest : public ::testing::TestWithParam<Said> {};

INSTANTIATE_TEST_SUITE_P(
    F15, ErrorReplyTest,
    ::testing::Values(Said{"Loading", "-LOADING Redis is loading the dataset in memory\r\n",
                           FailureCode::starting},
                      Said{"ClusterDown", "-CLUSTERDOWN The cluster is down\r\n", FailureCode::unsupported},
                      Said{"Moved", "-MOVED 3999 127.0.0.1:6381\r\n", FailureCode::unsupported},
                      Said{"UnknownCommand", "-ERR unknown command 'EVALSHA'\r\n", FailureCode::unsupported},
                      Said{"Noauth", "-NOAUTH Authentication required.\r\n", FailureCode::auth},
                      Said{"MasterDown", "-MASTERDOWN Link with MASTER is down\r\n", FailureCode::read_only},
                      Said{"Unknown", "-ERR something new\r\n", FailureCode::server},
                      Said{"Http", "HTTP/1.1 400 Bad Request\r\n\r\n", FailureCode::protocol},
                      Said{"NegativeLength", "$-5\r\n", FailureCode::protocol},
                      Said{"HugeLength", "$9223372036854775807\r\n", FailureCode::protocol},
                      Said{"HugeArray", "*2147483647\r\n", FailureCode::protocol},
                      Said{"NoNumber", ":one\r\n", FailureCode::protocol},
                      Said{"AStatus", "+OK\r\n", FailureCode::protocol},
                      Said{"Nil", "$-1\r\n", FailureCode::protocol},
                      Said{"Silence", "", FailureCode::timed_out},
                      Said{"HalfAnAnswer", "$100\r\nabc", FailureCode::timed_out}),
    [](const auto& tested) { return tested.param.name; });
// To an acquire this is the token 1; to an admission it is nothing.
INSTANTIATE_TEST_SUITE_P(F15, AnswerToAdmissionTest,
                         ::testing::Values(Said{"AnInteger", ":1\r\n", FailureCode::protocol},
                                           Said{"TwoAnswersForOne", ":1\r\n:1\r\n", FailureCode::protocol}),
                         [](const auto& tested) { return tested.param.name; });

void expect_failure(const Said& said) {
  const FakeServer server([&](const auto&) { return said.bytes; });
  const auto failure = failure_of(server.address());
  EXPECT_EQ(failure.code, said.code) << failure.detail;
  EXPECT_FALSE(failure.detail.empty());
}

TEST_P(ErrorReplyTest, HasItsCodeAndIsNoSuccess) { expect_failure(GetParam()); }  // T16
TEST_P(AnswerToAdmissionTest, HasItsCodeAndIsNoSuccess) { expect_failure(GetParam()); }

// The same after a connection that was admitted in order: the answer to the acquire itself.
TEST_P(ErrorReplyTest, ToAnAcquireHasItsCodeAndIsNoSuccess) {
  const FakeServer server([](const std::vector<std::string>& command) -> std::string {
    if (command[0] == "TIME") return "*2\r\n$1\r\n1\r\n$1\r\n1\r\n";
    if (command.size() > 2 && command[2] != "2") return GetParam().bytes;
    const std::string record = "60000 1 0123456789abcdef open a-b 1 1 60000 new";
    return "$" + std::to_string(record.size()) + "\r\n" + record + "\r\n";
  });
  auto client = client_of({server.address()}, cap_default);
  const auto got = client.acquire(key, wish(2s));
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code, RefusalCode::no_quorum);
  EXPECT_EQ(got.error().failures.at(0).failure.code, GetParam().code)
      << got.error().failures[0].failure.detail;
}

TEST(Errors, F15_AServerThatClosesEveryConnectionIsNamedAsSuch) {
  RedisServer server;
  Forwarder wire(server.socket_path());
  wire.cut();
  EXPECT_EQ(failure_of(wire.address()).code, FailureCode::closed);
}

TEST(Errors, F15_Misconf) {
  Nodes nodes(1);
  RedisServer& server = nodes[0];
  // A directory in the place of the file makes the background save fail.
  std::filesystem::create_directory(server.directory() / "dump.rdb");
  std::filesystem::create_directory(server.directory() / "dump.rdb" / "in the way");
  server.command({"CONFIG", "SET", "save", "3600 1"});
  server.command({"BGSAVE"});
  ASSERT_TRUE(wait_until([&] {
    const auto info = server.command({"INFO", "persistence"}).text;
    return info.find("rdb_last_bgsave_status:err") != std::string::npos;
  }));
  EXPECT_EQ(failure_of(address_of(server)).code, FailureCode::not_durable);
}

TEST(Errors, F15_NoReplicas) {
  Nodes nodes(1);
  nodes[0].command({"CONFIG", "SET", "min-replicas-to-write", "1"});
  EXPECT_EQ(failure_of(address_of(nodes[0])).code, FailureCode::not_durable);
}

TEST(Errors, F15_ReadOnly) {
  Nodes master(1, cap_default, {.tcp = true, .arguments = {"--repl-diskless-sync-delay", "0"}});
  RedisServer replica;
  replica.command({"REPLICAOF", "127.0.0.1", std::to_string(master[0].port())});
  ASSERT_TRUE(wait_until([&] { return replica.command({"EXISTS", "tenure:record"}).integer == 1; }));
  EXPECT_EQ(failure_of(address_of(replica)).code, FailureCode::read_only);
}

TEST(Errors, F15_OutOfMemory) {
  Nodes nodes(1);
  nodes[0].command({"CONFIG", "SET", "maxmemory", "1"});
  EXPECT_EQ(failure_of(address_of(nodes[0])).code, FailureCode::full);
}

TEST(Errors, F15_NoAuthentication) {
  Nodes nodes(1, cap_default, {.arguments = {"--requirepass", "secret"}, .password = "secret"});
  EXPECT_EQ(failure_of(address_of(nodes[0])).code, FailureCode::auth);
  const auto wrong = failure_of(address_of(nodes[0], ":wr0ng"));
  EXPECT_EQ(wrong.code, FailureCode::auth);
  EXPECT_EQ(wrong.detail.find("wr0ng"), std::string::npos);
}

TEST(Errors, F15_NoPermission) {
  Nodes nodes(1);
  nodes[0].command({"ACL", "SETUSER", "web", "on", ">s", "~*", "&*", "+@all", "-evalsha", "-eval"});
  EXPECT_EQ(failure_of(address_of(nodes[0], "web:s")).code, FailureCode::no_permission);
  nodes[0].command({"ACL", "SETUSER", "keyless", "on", ">s", "~other:*", "&*", "+@all"});
  EXPECT_EQ(failure_of(address_of(nodes[0], "keyless:s")).code, FailureCode::no_permission);
}

TEST(Errors, F15_Busy) {
  Nodes nodes(1);
  nodes[0].command({"CONFIG", "SET", "lua-time-limit", "1"});
  RedisConnection somebody(nodes[0].socket_path());
  somebody.send({"EVAL", "while true do end", "0"});
  ASSERT_TRUE(wait_until(
      [&] { return RedisConnection(nodes[0].socket_path()).command({"PING"}).text.starts_with("BUSY"); }));
  EXPECT_EQ(failure_of(address_of(nodes[0])).code, FailureCode::busy);
}

TEST(Errors, F15_ARedisClusterIsRefused) {  // T30
  // Its second port, 10,000 above the first if nobody says otherwise, may not exist.
  const auto second = std::to_string(Forwarder("", Forwarder::Listens::tcp).port());
  const RedisServer server(
      {.tcp = true, .arguments = {"--cluster-enabled", "yes", "--cluster-port", second}});
  EXPECT_EQ(failure_of(address_of(server)).code, FailureCode::unsupported);
}

struct Trouble {
  std::string name;
  std::string setting;

  friend void PrintTo(const Trouble& trouble, std::ostream* out) { *out << trouble.name; }
};

// Trouble that begins while a lease is held: no error of a renewal is taken for a renewal.
class HeldThroughTroubleTest : public ::testing::TestWithParam<Trouble> {};

INSTANTIATE_TEST_SUITE_P(F15, HeldThroughTroubleTest,
                         ::testing::Values(Trouble{"NoReplicas", "min-replicas-to-write"},
                                           Trouble{"NoAuthentication", "requirepass"}),
                         [](const auto& tested) { return tested.param.name; });

TEST_P(HeldThroughTroubleTest, TheHolderIsToldInTime) {  // T4, S11
  Nodes nodes(1);
  auto client = client_of(nodes);
  auto lease = client.acquire(key, wish(1s));
  ASSERT_TRUE(lease);
  nodes[0].command({"CONFIG", "SET", GetParam().setting, "1"});
  // Connections that were let in before stay so: they are made to come again.
  nodes[0].command({"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"});
  ASSERT_TRUE(wait_until([&] { return lease->lost().stop_requested(); }));
  EXPECT_EQ(lease->loss(), core::LossReason::not_renewed);
  EXPECT_TRUE(wait_until([&] { return !lease->held(); }));
}

}  // namespace
}  // namespace tenure::test
