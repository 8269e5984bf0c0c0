// Prefixes of clients, as folders of Consul.
#include <gtest/gtest.h>

#include "consul/net/place.hpp"

namespace tenure::test {
namespace {

tl::expected<std::string, std::string> root_of(const std::string& prefix) {
  const auto nothing = [](const char*) { return std::nullopt; };
  return consul::place_of({.nodes = {"consul://db-1/web"}, .prefix = prefix}, nothing)
      .map([](const consul::Place& place) { return place.keys.root; });
}

TEST(ConsulPrefix, IsAFolderWhichNoNameUnderAnotherOneReaches) {
  EXPECT_EQ(root_of(ClientOptions{}.prefix).value(), "web");
  EXPECT_EQ(root_of("a").value(), "web/.in/a");
  EXPECT_EQ(root_of("a/b").value(), "web/.in/a/.in/b");
  const auto key = [](const std::string& prefix, const std::string& name) {
    return consul::Keys{root_of(prefix).value()}.lock("redlock:", name).value_or("");
  };
  EXPECT_NE(key("a", "b/c"), key("a/b", "c"));
  EXPECT_NE(key("a", "b"), key(ClientOptions{}.prefix, "a/b"));
  EXPECT_EQ(key("a", ".in/b/c"), "") << "it would be another one's";
  for (const char* prefix : {"a//b", "a/", "/a", "..", "a/./b"}) EXPECT_FALSE(root_of(prefix)) << prefix;
}

}  // namespace
}  // namespace tenure::test
