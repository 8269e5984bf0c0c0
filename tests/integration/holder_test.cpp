// Who holds a name, asked without wanting it.
#include "integration/api.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;
using Code = Refusal::Code;

// For tests in which nodes are down: patient with a machine that has much else to do.
LockOptions asked_within(std::chrono::milliseconds timeout) { return {.node_timeout = timeout}; }

// A majority has answered when the lease is there; the last node was asked, and may do it only now.
Lease on_all(const Client& client, Nodes& nodes) {
  auto lease = client.lock("a").try_acquire().value();
  EXPECT_TRUE(wait_until([&] { return nodes.all_show("redlock:a", nodes.values("redlock:a")[0]); }));
  return lease;
}

TEST(Holder, IsWhoeverAMajorityShows) {
  Nodes nodes(3);
  const Client one = open(nodes, "keeper-1");
  const Client two = open(nodes, "keeper-2");
  const Lock lock = two.lock("a");
  EXPECT_EQ(lock.holder().value(), std::nullopt) << "nobody has ever held it";
  auto lease = one.lock("a").try_acquire().value();
  const auto holder = lock.holder().value();
  ASSERT_TRUE(holder);
  EXPECT_EQ(holder->owner, "keeper-1");
  EXPECT_EQ(holder->token, lease.token());
  ASSERT_TRUE(holder->left);
  EXPECT_GT(*holder->left, 20s);
  EXPECT_LE(*holder->left, 30s);
  EXPECT_EQ(one.lock("a").holder().value()->owner, "keeper-1") << "it sees itself as well";
  ASSERT_TRUE(lease.release());
  EXPECT_EQ(lock.holder().value(), std::nullopt);
}

TEST(Holder, IsOnlyReadAndNothingChanges) {
  Nodes nodes(1);
  const Client client = open(nodes);
  const auto before = nodes[0].command({"DBSIZE"}).integer;
  EXPECT_EQ(client.lock("a").holder().value(), std::nullopt);
  EXPECT_EQ(nodes[0].command({"DBSIZE"}).integer, before);
  const auto lease = client.lock("a").try_acquire().value();
  const auto value = nodes.values("redlock:a");
  EXPECT_TRUE(client.lock("a").holder().value());
  EXPECT_EQ(nodes.values("redlock:a"), value);
  EXPECT_TRUE(lease.held());
}

TEST(Holder, NeedsAMajorityAndNotAllNodes) {
  Nodes nodes(3);
  const Client client = open(nodes, "keeper-1");
  const auto lease = on_all(client, nodes);
  const Lock held = client.lock("a", asked_within(1s));
  const Lock free = client.lock("b", asked_within(1s));
  nodes[0].kill();
  EXPECT_EQ(held.holder().value()->owner, "keeper-1");
  EXPECT_EQ(free.holder().value(), std::nullopt);
  nodes[1].kill();
  const auto unknown = held.holder();
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, Code::no_quorum);
  EXPECT_EQ(unknown.error().failed.size(), 2U);
  EXPECT_EQ(unknown.error().message.find("nobody can tell who holds a: "), 0U) << unknown.error().message;
}

TEST(Holder, IsUnknownWhileASilentNodeCouldDecide) {
  Nodes nodes(3);
  const Client client = open(nodes);
  const auto lease = on_all(client, nodes);
  nodes[0].command({"DEL", "redlock:a"});
  nodes[2].pause();
  const auto unknown = client.lock("a", asked_within(1s)).holder();
  nodes[2].resume();
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, Code::no_quorum);
  ASSERT_EQ(unknown.error().failed.size(), 1U);
  EXPECT_EQ(unknown.error().failed[0].address, urls_of(nodes)[2]);
  EXPECT_TRUE(unknown.error().message.starts_with(
      "nobody can tell who holds a: the nodes that answered do not agree, and another could decide: " +
      urls_of(nodes)[2] + ": "))
      << unknown.error().message;
}

TEST(Holder, AMinorityHoldsNothing) {
  Nodes nodes(3);
  const Client client = open(nodes);
  nodes[1].command({"SET", "redlock:a", "keeper-1#0123456789abcdef#7", "PX", "30000"});
  EXPECT_EQ(client.lock("a").holder().value(), std::nullopt);
}

TEST(Holder, WhatTenureDidNotWriteIsNobody) {
  Nodes nodes(1);
  const Client client = open(nodes);
  nodes[0].command({"SET", "redlock:a", "somebody"});
  EXPECT_EQ(client.lock("a").holder().value(), std::nullopt);
  nodes[0].command({"RPUSH", "redlock:b", "x"});
  EXPECT_EQ(client.lock("b").holder().value(), std::nullopt);
}

TEST(Holder, IsRefusedWhereTheLockIsWrongOrTheClientClosed) {
  Nodes nodes(1);
  Client client = open(nodes);
  EXPECT_EQ(client.lock("").holder().error().code, Code::usage);
  EXPECT_EQ(client.lock("a", {.ttl = 0ms}).holder().error().code, Code::usage);
  client.close();
  EXPECT_EQ(client.lock("a").holder().error().code, Code::closed);
}

TEST(Holder, IsSoughtUnderThePrefixOfTheClient) {
  Nodes nodes(1);
  ClientOptions options = options_for(nodes, "keeper-1");
  const auto lease = Client::open(options).value().lock("a").try_acquire().value();
  options.lock_prefix = "other:";
  EXPECT_EQ(Client::open(options).value().lock("a").holder().value(), std::nullopt);
}

}  // namespace
}  // namespace tenure::test
