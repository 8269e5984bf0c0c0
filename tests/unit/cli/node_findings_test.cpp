// What doctor finds in the replicas that a master has, or needs.
#include "cli/doctor/node_findings.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace tenure::cli {
namespace {

using namespace std::chrono_literals;

struct Replicas {
  int following = 0;
  std::optional<int> known{};  // to Sentinels; nothing: there are none
  int needed = 0;              // min-replicas-to-write
  PartOf part = PartOf::nothing;
};

// Nothing: nothing is said of replicas.
std::optional<Finding> found_of(const Replicas& replicas) {
  NodeFacts node;
  node.info = ServerInfo("redis_version:7.2.4\r\nrole:master\r\nconnected_slaves:" +
                         std::to_string(replicas.following) + "\r\n");
  node.settings = Settings{.save = "", .min_replicas = replicas.needed, .max_lag = 5s};
  if (replicas.known)
    node.sentinels = {{.place = "s1:26379"}, {.place = "s2:26379", .replicas = *replicas.known}};
  for (const Finding& it : findings_of(node, {.part = replicas.part})) {
    if (it.code == "min_replicas") return it;
  }
  return std::nullopt;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(NodeFindings, SayNothingOfReplicasWhereThereAreEnoughOrNone) {
  EXPECT_FALSE(found_of({}));
  EXPECT_FALSE(found_of({.known = 0}));
  EXPECT_FALSE(found_of({.following = 2, .needed = 1}));
  EXPECT_FALSE(found_of({.following = 1, .known = 2, .needed = 1}));
}

TEST(NodeFindings, AskForAMajorityOfTheReplicas) {
  const auto found = found_of({.following = 4});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->severity, Severity::warning);
  EXPECT_EQ(found->what, "replicas follow it (4), and min-replicas-to-write is 0");
  EXPECT_TRUE(has(found->advice, "CONFIG SET min-replicas-to-write 2,")) << found->advice;
}

// Promoted, the only one would take no writes before the other is back; and a master that is cut off from the others ends by itself.
TEST(NodeFindings, AskForNoReplicasOfAMasterInAClusterThatHasOne) {
  EXPECT_FALSE(found_of({.following = 1, .part = PartOf::cluster}));
  EXPECT_TRUE(found_of({.following = 2, .part = PartOf::cluster}));
}

// Those that are away for now would make two masters with as many replicas when they are back.
TEST(NodeFindings, AskForAMajorityOfAllReplicasThatSentinelsKnow) {
  const auto found = found_of({.following = 2, .known = 4});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->what,
            "replicas follow it (2 of the 4 that its Sentinels know), and min-replicas-to-write is 0");
  EXPECT_TRUE(has(found->advice, "CONFIG SET min-replicas-to-write 2,")) << found->advice;
  EXPECT_TRUE(found_of({.following = 0, .known = 2})) << "they may come back";
  EXPECT_TRUE(has(found_of({.following = 4, .known = 2})->advice, "to-write 2,"))
      << "the Sentinels know less";
  EXPECT_TRUE(has(found_of({.following = 1, .known = std::numeric_limits<int>::max()})->advice,
                  "to-write 1073741824,"));
}

TEST(NodeFindings, SayThatAServerWithoutSentinelsMayNeedFewerReplicas) {
  const auto found = found_of({.following = 1, .needed = 2});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->severity, Severity::error);
  EXPECT_EQ(found->what, "it takes no writes: min-replicas-to-write is 2, and 1 replica follows it");
  EXPECT_EQ(found->advice, "attach replicas, or lower min-replicas-to-write");
}

// That setting is what keeps a master that was replaced from granting.
TEST(NodeFindings, LowerNothingThatKeepsAReplacedMasterFromGranting) {
  const auto found = found_of({.following = 0, .known = 2, .needed = 1});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->severity, Severity::error);
  EXPECT_EQ(found->advice,
            "attach replicas; lower min-replicas-to-write only if those that are missing are gone for good");
}

}  // namespace
}  // namespace tenure::cli
