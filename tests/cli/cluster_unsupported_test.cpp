// What does not work on a Redis Cluster says so, before anything is asked of it.
#include <gtest/gtest.h>

#include <string>

#include "cli/tenure_program.hpp"

namespace tenure::test {
namespace {

// Nobody is there: who dialled it would say so.
const std::string cluster = "redis-cluster://127.0.0.1:1,127.0.0.1:2";
const std::string no_data = "a Redis Cluster cannot keep the sessions, heartbeats and results of a fleet";

void expect_refused(const Words& words, const std::string& why) {
  const Result result = tenure(words);
  EXPECT_EQ(result.code, 64) << words.front();
  EXPECT_EQ(result.out, "") << words.front();
  EXPECT_TRUE(has(result.err, why)) << words.front() << ": " << result.err;
}

TEST(ClusterUnsupported, AFleetHasToKeepItsDataElsewhere) {
  for (const Words& command : std::vector<Words>{{"poll"},
                                                 {"status"},
                                                 {"explain", "a"},
                                                 {"web"},
                                                 {"sessions", "ls"},
                                                 {"sessions", "add", "a", "http://127.0.0.1:1/"},
                                                 {"sessions", "rm", "a"}}) {
    expect_refused(command + Words{"--redis", cluster}, no_data);
    expect_refused(command + Words{"--redis", cluster}, "--data redis://host:port");
  }
  expect_refused({"status", "--redis", "redis://127.0.0.1:1", "--data", cluster}, "--data: " + no_data);
}

TEST(ClusterUnsupported, TheDemonstrationNeedsASingleRedis) {
  expect_refused({"demo", "--redis", cluster}, "the demonstration does not run on a Redis Cluster");
}

TEST(ClusterUnsupported, ItsRecordsAreNotReconfigured) {
  expect_refused({"reconfigure", "--redis", cluster}, "a Redis Cluster cannot be reconfigured");
  expect_refused({"reconfigure", "--redis", "redis://127.0.0.1:1", "--leaving", cluster},
                 "a Redis Cluster cannot be reconfigured");
}

TEST(ClusterUnsupported, APrefixWithABraceWouldDecideTheSlots) {
  for (const std::string prefix : {"{team}:", "a{"}) {
    for (const Words& command : std::vector<Words>{{"init"},
                                                   {"doctor"},
                                                   {"run", "a"},
                                                   {"elect", "a"},
                                                   {"lock", "ls"},
                                                   {"lock", "show", "a"},
                                                   {"lock", "break", "a", "--yes"}}) {
      Words words = command + Words{"--redis", cluster, "--prefix", prefix};
      if (command.front() == "run" || command.front() == "elect") words = words + Words{"--", "true"};
      expect_refused(words, "the prefix " + prefix + " cannot be used in a Redis Cluster");
    }
    expect_refused({"status", "--redis", cluster, "--data", "redis://127.0.0.1:1", "--prefix", prefix},
                   "the prefix " + prefix + " cannot be used in a Redis Cluster");
  }
}

}  // namespace
}  // namespace tenure::test
