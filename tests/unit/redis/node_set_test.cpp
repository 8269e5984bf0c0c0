#include "redis/node_set.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "core/lease/node_set.hpp"

namespace tenure::redis {
namespace {

std::string set_of(const std::vector<std::string>& urls, std::string_view name = {}) {
  std::vector<Address> addresses;
  for (const auto& url : urls) addresses.push_back(parse_url(url).value());
  return node_set(addresses, name);
}

TEST(NodeSets, OfASingleNodeAreTheSameByWhateverAddress) {
  EXPECT_EQ(set_of({"redis://localhost"}), "1");
  EXPECT_EQ(set_of({"unix:///tmp/redis.sock"}), "1");
}

TEST(NodeSets, AreTheSameInAnyOrderAndForAnyUser) {
  const std::string set = set_of({"redis://a", "redis://b:6380", "unix:///c"});
  EXPECT_TRUE(set.starts_with("3-"));
  EXPECT_EQ(set_of({"unix:///c", "redis://b:6380", "redis://a:6379/0"}), set);
  EXPECT_EQ(set_of({"redis://me:secret@A", "redis://:other@b:6380", "unix:///c"}), set);
}

// A client of these and one of the others could each have a majority of its own.
TEST(NodeSets, ThatDifferInANodeDiffer) {
  const std::string set = set_of({"redis://a", "redis://b", "redis://c"});
  EXPECT_NE(set_of({"redis://a", "redis://b", "redis://d"}), set);
  EXPECT_NE(set_of({"redis://a", "redis://b", "redis://c:6380"}), set);
  EXPECT_NE(set_of({"redis://a", "redis://b", "redis://c/1"}), set);
  EXPECT_NE(set_of({"redis://a", "redis://b", "redis://c", "redis://d", "redis://e"}), set);
}

// Records outlive the version that wrote them.
TEST(NodeSets, KeepTheirNamesInEveryVersion) {
  EXPECT_EQ(set_of({"redis://a", "redis://b", "redis://c"}), "3-ab530d325a6020ef");
}

TEST(NodeSets, AreKnownByTheNameThatEverybodyGives) {
  EXPECT_EQ(set_of({"redis://a", "redis://b", "redis://c"}, "billing"), "3-billing");
  EXPECT_EQ(set_of({"redis://10.0.0.1", "redis://b", "redis://c"}, "billing"), "3-billing");
  EXPECT_EQ(set_of({"redis://a"}, "billing"), "1-billing");
}

TEST(NodeSets, HaveNamesThatAreOneWord) {
  for (const auto* good : {"", "a", "eu-west_1.prod"}) EXPECT_FALSE(core::node_set_error(good)) << good;
  for (const auto* bad : {"a b", "a>b", "a\n", "ü"}) EXPECT_TRUE(core::node_set_error(bad)) << bad;
  EXPECT_FALSE(core::node_set_error(std::string(64, 'a')));
  EXPECT_TRUE(core::node_set_error(std::string(65, 'a')));
}

}  // namespace
}  // namespace tenure::redis
