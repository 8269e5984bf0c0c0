// A restart of Redis is another life, in which nothing of the old one is believed: in both alike.
#include <gtest/gtest.h>

#include "twins.hpp"

namespace tenure::conformance {
namespace {

const std::string record = "tenure:record";
const std::string fence = "tenure:fence";

redis::Command call(const redis::Script& script, const std::vector<std::string>& values) {
  redis::Command command{"EVAL", std::string(script.body), "2", record, fence};
  command.insert(command.end(), values.begin(), values.end());
  return command;
}

TEST(Life, ARestartWithTheOldDataIsAnotherLife) {
  test::RedisServer real({.arguments = {"--appendonly", "yes", "--appendfsync", "always"}});
  sim::ScriptHost host;
  std::string old_life;
  sim::Keyspace kept;
  {
    Twins twins(real, host);
    old_life = twins.life();
    ASSERT_GE(old_life.size(), 81U);
    EXPECT_EQ(twins.compare(call(redis::init_script, {"60000", "e1", "1790000000000"})), "");
    EXPECT_EQ(twins.compare(call(redis::admit_script, {"60000", "e2", "1790000000000", "0"})), "");
    EXPECT_TRUE(twins.answer().text.starts_with("60000 e1 open " + old_life + " ")) << shown(twins.answer());
    EXPECT_EQ(twins.compare_data(), "");
    kept = twins.model().data();
  }
  real.restart();

  Twins twins(real, host);
  EXPECT_NE(twins.life(), old_life);
  twins.model().data() = kept;
  EXPECT_EQ(twins.compare_data(), "");
  EXPECT_EQ(twins.compare(call(redis::admit_script, {"60000", "e3", "1790000000000", "0"})), "");
  EXPECT_TRUE(twins.answer().text.starts_with("60000 e3 quarantined " + twins.life() + " "));
  EXPECT_TRUE(twins.answer().text.ends_with(" restarted"));
  EXPECT_EQ(twins.compare(call(redis::open_script, {"60000 e3 ", std::string(Twins::own_made)})), "");
  EXPECT_TRUE(twins.answer().text.starts_with("60000 e3 open " + twins.life() + " "));
  EXPECT_EQ(twins.compare_data(), "");
}

}  // namespace
}  // namespace tenure::conformance
