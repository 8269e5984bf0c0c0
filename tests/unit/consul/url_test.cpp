// Addresses of a Consul, as people write them.
#include "consul/url.hpp"

#include <gtest/gtest.h>

namespace tenure::consul {
namespace {

TEST(ConsulUrl, SaysWhereAndUnderWhichPrefix) {
  const auto plain = parse_url("consul://db-1").value();
  EXPECT_EQ(plain.base(), "http://db-1:8500");
  EXPECT_EQ(plain.name(), "consul://db-1:8500/tenure");
  const auto all = parse_url("consuls://[::1]:18501/service/web/?lock-delay=15s").value();
  EXPECT_EQ(all.base(), "https://[::1]:18501");
  EXPECT_EQ(all.prefix, "service/web");
  EXPECT_EQ(all.lock_delay, "15s");
  EXPECT_EQ(parse_url("consuls://db-1/").value().base(), "https://db-1:8501");
  EXPECT_EQ(plain.lock_delay, "");
}

TEST(ConsulUrl, WithASecretIsRefusedAndNotRepeated) {
  for (const char* url : {"consul://secret@db-1", "consul://user:secret@db-1/p", "consul://db-1?token=secret",
                          "consul://db-1/p?lock-delay=1s&token=secret"}) {
    const auto address = parse_url(url);
    ASSERT_FALSE(address) << url;
    EXPECT_EQ(address.error().find("secret@"), std::string::npos);
    EXPECT_EQ(address.error().find("=secret"), std::string::npos);
    EXPECT_NE(address.error().find("CONSUL_HTTP_TOKEN"), std::string::npos);
  }
}

TEST(ConsulUrl, OfAnythingElseIsRefusedWithASentence) {
  for (const char* url :
       {"consul://", "consul:///p", "consul://h:0", "consul://h:x", "consul://h:99999", "consul://h o",
        "consul://h/a//b", "consul://h//a", "consul://h?x=1", "consul://h?lock-delay=61s",
        "consul://h?lock-delay=-1s", "consul://h?lock-delay=1m", "consul://h?lock-delay", "http://h",
        "redis://h", "consul://[::1", "consul://h/\x01"}) {
    const auto address = parse_url(url);
    ASSERT_FALSE(address) << url;
    EXPECT_NE(address.error().find("consul://host"), std::string::npos);
  }
  EXPECT_TRUE(is_url("consul://h") && is_url("consuls://h"));
  EXPECT_FALSE(is_url("redis://h") || is_url("consul:h"));
}

}  // namespace
}  // namespace tenure::consul
