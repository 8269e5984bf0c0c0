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

TEST(SentinelUrl, ListsSentinelsAndNamesTheMaster) {
  const Address address = parsed("redis-sentinel://h1:26380,h2,[::1]:1/3#mymaster");
  EXPECT_EQ(address.kind, Address::Kind::sentinel);
  EXPECT_EQ(address.group.sentinels, (std::vector<HostPort>{{"h1", 26380}, {"h2", 26379}, {"::1", 1}}));
  EXPECT_EQ(address.group.master, "mymaster");
  EXPECT_EQ(address.database, 3);
  EXPECT_FALSE(address.tls);
  EXPECT_TRUE(parsed("rediss-sentinel://h#m").tls);
  EXPECT_EQ(parsed("redis-sentinel://h#m"), parsed("REDIS-Sentinel://h:26379/0#m"));
}

TEST(SentinelUrl, TellsTheUserOfTheRedisFromThatOfTheSentinels) {
  const Address address =
      parsed("redis-sentinel://ann:se%40cret,x@h1,h2/0?sentinel_user=ada&sentinel_password=p%26%23%40w#m");
  EXPECT_EQ(address.user, "ann");
  EXPECT_EQ(address.password, "se@cret,x");
  EXPECT_EQ(address.group.user, "ada");
  EXPECT_EQ(address.group.password, "p&#@w");
  EXPECT_EQ(parsed("redis-sentinel://h?sentinel_password=p#m").group.password, "p");
  expect_error("redis-sentinel://h?sentinel_user=u#m",
               "sentinel_user is of no use without sentinel_password");
}

TEST(SentinelUrl, ANameMayBePercentEncoded) {
  EXPECT_EQ(parsed("redis-sentinel://h/0#my%20%23master").group.master, "my #master");
  EXPECT_EQ(to_text(parsed("redis-sentinel://h/0#my%20%23master")),
            "redis-sentinel://h:26379/0#my%20%23master");
}

TEST(SentinelUrl, WithoutTheNameOfTheMasterItIsRefused) {
  for (const auto* url : {"redis-sentinel://h1,h2", "redis-sentinel://h1/0", "redis-sentinel://h1/0#"}) {
    expect_error(url,
                 "the name by which the Sentinels know the master is missing: it stands at the end, "
                 "as in redis-sentinel://host:26379/0#mymaster");
  }
}

TEST(SentinelUrl, WhatIsWrongIsNamed) {
  expect_error("redis-sentinel://#m", "the host is empty");
  expect_error("redis-sentinel://h1,,h2#m", "the host is empty");
  expect_error("redis-sentinel://h1,h2:0#m", "port \"0\": not 1-65535");
  expect_error("redis-sentinel://h1,h1:26379#m", "the Sentinel h1:26379 is listed twice");
  expect_error("redis-sentinel://h/x#m", "database \"x\": not a number");
  expect_error("redis-sentinel://h?db=1#m", "query has \"db\"");
  expect_error("redis-sentinel://h#%0a", "the name of the master has a control byte");
  std::string many = "redis-sentinel://h";
  for (int i = 0; i < 16; ++i) many += ",h" + std::to_string(i);
  expect_error(many + "#m", "it lists 17 Sentinels: at most 16");
}

TEST(SentinelUrl, NoSecretIsShown) {
  const Address address =
      parsed("redis-sentinel://ann:hunter2@h1,h2/0?sentinel_user=ada&sentinel_password=hunter3#mymaster");
  EXPECT_EQ(to_text(address),
            "redis-sentinel://ann:***@h1:26379,h2:26379/"
            "0?sentinel_user=***&sentinel_password=***#mymaster");
  EXPECT_EQ(parsed(whole_url(address)), address);
  for (const auto* url :
       {"redis-sentinel://h/0#m?sentinel_password=hunter2", "redis-sentinel://me:hunter2#m",
        "redis-sentinel://h?sentinel_password=hunter2", "redis-sentinel://h?sentinel_password=hunter2@#m",
        "redis-sentinel://h?sentinel_password=hunter2%zz#m", "redis-sentinel://h?hunter=hunter2#m",
        "redis-sentinel://me:hunter2,h2#m", "redis-sentinel://h?sentinel_pass=hunter2#m"}) {
    const auto refused = parse_url(url);
    ASSERT_FALSE(refused) << url;
    EXPECT_EQ(refused.error().find("hunter2"), std::string::npos) << refused.error();
  }
}

TEST(SentinelUrl, ATextIsShownWithoutItsSecrets) {
  EXPECT_EQ(without_secrets("redis-sentinel://ann:hunter2@h/0?sentinel_password=a@b#m"),
            "redis-sentinel://***@h/0?sentinel_password=***");
}

}  // namespace
}  // namespace tenure::redis
