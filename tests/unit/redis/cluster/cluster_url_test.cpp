#include <gtest/gtest.h>

#include <string>

#include "redis/url.hpp"

namespace tenure::redis {
namespace {

Address parsed(std::string_view url) {
  const auto address = parse_url(url);
  EXPECT_TRUE(address) << address.error();
  return address.value_or(Address{});
}

void expect_error(std::string_view url, std::string_view part) {
  const auto address = parse_url(url);
  ASSERT_FALSE(address) << "accepted: " << url;
  EXPECT_NE(address.error().find(part), std::string::npos) << url << " gave: " << address.error();
}

TEST(ClusterUrl, ListsNodes) {
  const Address address = parsed("redis-cluster://h1:7000,h2,[::1]:7001");
  EXPECT_EQ(address.kind, Address::Kind::cluster);
  EXPECT_EQ(address.seeds, (std::vector<HostPort>{{"h1", 7000}, {"h2", 6379}, {"::1", 7001}}));
  EXPECT_FALSE(address.tls);
  EXPECT_TRUE(parsed("rediss-cluster://h").tls);
  EXPECT_EQ(parsed("redis-cluster://h"), parsed("REDIS-Cluster://h:6379/"));
  EXPECT_EQ(to_text(address), "redis-cluster://h1:7000,h2:6379,[::1]:7001");
  EXPECT_EQ(parsed(to_text(address)), address);
}

TEST(ClusterUrl, HasOnlyDatabaseZero) {
  EXPECT_EQ(parsed("redis-cluster://h/0"), parsed("redis-cluster://h"));
  expect_error("redis-cluster://h/1", "database 1: a Redis Cluster has only database 0");
  expect_error("redis-cluster://h1,h2:7000/15", "database 15: a Redis Cluster has only database 0");
  expect_error("redis-cluster://h/x", "database \"x\": not a number");
}

TEST(ClusterUrl, WhatIsWrongIsNamed) {
  expect_error("redis-cluster://", "the host is empty");
  expect_error("redis-cluster://h1,,h2", "the host is empty");
  expect_error("redis-cluster://h1,h2:0", "port \"0\": not 1-65535");
  expect_error("redis-cluster://h1,h1:6379", "the node h1:6379 is listed twice");
  expect_error("redis-cluster://h?db=1", "query has \"db\"");
  expect_error("redis-cluster://h#m", "there is a # behind the hosts");
  expect_error("redis-cluster://h1/@h2", "there is an @ behind the hosts");
  std::string many = "redis-cluster://h";
  for (int i = 0; i < 16; ++i) many += ",h" + std::to_string(i);
  expect_error(many, "it lists 17 nodes: at most 16");
}

TEST(ClusterUrl, NoSecretIsShown) {
  const Address address = parsed("rediss-cluster://ann:hunter%402@h1,h2");
  EXPECT_EQ(address.user, "ann");
  EXPECT_EQ(address.password, "hunter@2");
  EXPECT_TRUE(has_credentials(address));
  EXPECT_EQ(to_text(address), "rediss-cluster://ann:***@h1:6379,h2:6379");
  EXPECT_EQ(parsed(whole_url(address)), address);
  EXPECT_EQ(to_text(parsed("redis-cluster://hunter2@h")), "redis-cluster://***@h:6379");
  EXPECT_EQ(without_secrets("redis-cluster://ann:hunter2@h1,h2"), "redis-cluster://***@h1,h2");
  for (const auto* url : {"redis-cluster://me:hunter2", "redis-cluster://me:hunter2,h2",
                          "redis-cluster://h/hunter2@h", "redis-cluster://h?password=hunter2",
                          "redis-cluster://me:hunter2%zz@h", "redis-cluster://h1,me:hunter2#m"}) {
    const auto refused = parse_url(url);
    ASSERT_FALSE(refused) << url;
    EXPECT_EQ(refused.error().find("hunter2"), std::string::npos) << refused.error();
  }
}

}  // namespace
}  // namespace tenure::redis
