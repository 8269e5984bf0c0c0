#include "redis/node_set.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "core/lease/node_set.hpp"
#include "redis/text/nodes.hpp"

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

TEST(NodeSets, OfOneSentinelGroupAreTheSameByWhateverSentinels) {
  EXPECT_EQ(set_of({"redis-sentinel://a,b,c/0#mymaster"}), "1");
  EXPECT_EQ(set_of({"redis-sentinel://c:26380/0#mymaster"}), "1");
}

TEST(NodeSets, KnowASentinelGroupByItsNameAndSentinelsInAnyOrder) {
  const std::string set = set_of({"redis-sentinel://a,b,c/0#one", "redis-sentinel://d,e/0#two", "redis://f"});
  EXPECT_TRUE(set.starts_with("3-"));
  EXPECT_EQ(set_of({"redis://f", "rediss-sentinel://me:secret@E:26379,D/0?sentinel_password=s#two",
                    "redis-sentinel://C,a,b/0#one"}),
            set);
  EXPECT_NE(set_of({"redis-sentinel://a,b,c/0#one", "redis-sentinel://d,e/0#three", "redis://f"}), set);
  EXPECT_NE(set_of({"redis-sentinel://a,b,c/0#one", "redis-sentinel://d,e/0#Two", "redis://f"}), set);
  EXPECT_NE(set_of({"redis-sentinel://a,b,c/1#one", "redis-sentinel://d,e/0#two", "redis://f"}), set);
}

// Nearly all groups have the same name. {A, B, C} and {A, B, D} share two nodes, and each could have a majority of its own.
TEST(NodeSets, OfSentinelGroupsThatHaveTheSameNameDiffer) {
  const auto group = [](const std::string& sentinels) {
    return "redis-sentinel://" + sentinels + "/0#mymaster";
  };
  const std::string set = set_of({group("a1,a2"), group("b1,b2"), group("c1,c2")});
  EXPECT_NE(set_of({group("a1,a2"), group("b1,b2"), group("d1,d2")}), set);
  // Nobody can tell whether a subset means the same group: it is refused rather than believed.
  EXPECT_NE(set_of({group("a1,a2"), group("b1,b2"), group("c1")}), set);
  EXPECT_EQ(set_of({group("a1"), group("b1"), group("c1")}, "billing"), "3-billing");
}

TEST(NodeSets, ASentinelGroupIsTheSameByOneSentinelThatBothName) {
  const auto error = [](const std::vector<std::string>& urls) {
    return error_in(parse_addresses(urls).value()).value_or("");
  };
  EXPECT_NE(error({"redis-sentinel://a,b/0#m", "redis-sentinel://c,B/1#m"}).find("are one Redis"),
            std::string::npos);
  EXPECT_NE(error({"redis-sentinel://a,b/0#m", "redis-sentinel://a,b/0#m"}).find("is given twice"),
            std::string::npos);
  EXPECT_EQ(error({"redis-sentinel://a,b/0#m", "redis-sentinel://a,b/0#n"}), "");
  EXPECT_EQ(error({"redis-sentinel://a,b/0#m", "redis-sentinel://c,d/0#m"}), "");
  EXPECT_EQ(error({"redis-sentinel://a:1/0#m", "redis-sentinel://a:2/0#m"}), "");
}

// Nodes of a Cluster come and go, and clients may list any of them.
TEST(NodeSets, OfOneClusterAreTheSameByWhateverNodes) {
  EXPECT_EQ(set_of({"redis-cluster://a,b,c"}), "1");
  EXPECT_EQ(set_of({"rediss-cluster://me:secret@d:7000"}), "1");
  EXPECT_EQ(set_of({"redis-cluster://a"}, "billing"), "1-billing");
}

TEST(NodeSets, AClusterStandsAlone) {
  const auto error = [](const std::vector<std::string>& urls) {
    return error_in(parse_addresses(urls).value()).value_or("");
  };
  EXPECT_EQ(error({"redis-cluster://a,b"}), "");
  EXPECT_EQ(error({"redis://c", "redis-cluster://me:secret@a,b"}),
            "redis-cluster://me:***@a:6379,b:6379 is a Redis Cluster, which is no node of a quorum: name one "
            "Cluster, or independent servers");
  EXPECT_NE(error({"redis-cluster://a", "redis-cluster://b", "redis-cluster://c"}).find("name one Cluster"),
            std::string::npos);
}

TEST(NodeSets, AClusterIsTheSameByOneNodeThatBothList) {
  const auto same = [](std::string_view one, std::string_view other) {
    return same_database(parse_url(one).value(), parse_url(other).value());
  };
  EXPECT_TRUE(same("redis-cluster://a,b", "rediss-cluster://me:secret@c,B:6379"));
  EXPECT_FALSE(same("redis-cluster://a:7000,b", "redis-cluster://a,c"));
  EXPECT_FALSE(same("redis-cluster://a", "redis://a"));
}

TEST(NodeSets, HaveNamesThatAreOneWord) {
  for (const auto* good : {"", "a", "eu-west_1.prod"}) EXPECT_FALSE(core::node_set_error(good)) << good;
  for (const auto* bad : {"a b", "a>b", "a\n", "ü"}) EXPECT_TRUE(core::node_set_error(bad)) << bad;
  EXPECT_FALSE(core::node_set_error(std::string(64, 'a')));
  EXPECT_TRUE(core::node_set_error(std::string(65, 'a')));
}

}  // namespace
}  // namespace tenure::redis
