// A restart of Redis is another life, in which nothing of the old one is believed, and so is data that went back: in both
// alike.
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
    EXPECT_EQ(twins.compare(call(redis::init_script, {"60000", "1", "e1", "1790000000000"})), "");
    EXPECT_EQ(twins.compare(call(redis::admit_script, {"60000", "1", "e2", "1790000000000", "0"})), "");
    EXPECT_TRUE(twins.answer().text.starts_with("60000 1 e1 open " + old_life + " "))
        << to_text(twins.answer());
    EXPECT_EQ(twins.compare_data(), "");
    kept = twins.model().data();
  }
  real.restart();

  Twins twins(real, host);
  EXPECT_NE(twins.life(), old_life);
  twins.model().data() = kept;
  EXPECT_EQ(twins.compare_data(), "");
  EXPECT_EQ(twins.compare(call(redis::admit_script, {"60000", "1", "e3", "1790000000000", "0"})), "");
  EXPECT_TRUE(twins.answer().text.starts_with("60000 1 e3 quarantined " + twins.life() + " "));
  EXPECT_TRUE(twins.answer().text.ends_with(" restarted v1"));
  EXPECT_EQ(twins.compare(call(redis::open_script, {"60000 1 e3 ", std::string(Twins::own_made)})), "");
  EXPECT_TRUE(twins.answer().text.starts_with("60000 1 e3 open " + twins.life() + " "));
  EXPECT_EQ(twins.compare_data(), "");
}

TEST(Life, OlderDataOfTheSameLifeIsNoticedByWhoHasSeenMore) {
  test::RedisServer real;
  sim::ScriptHost host;
  Twins twins(real, host);
  EXPECT_EQ(twins.compare(call(redis::init_script, {"60000", "1", "e1", "1790000000000"})), "");
  const std::int64_t counted = std::stoll(twins.text(fence));
  // What the record says to who has seen that token, and who would begin that epoch.
  const auto admitted = [&](std::int64_t seen, const std::string& epoch) {
    EXPECT_EQ(twins.compare(
                  call(redis::admit_script, {"60000", "1", epoch, "1790000000000", std::to_string(seen)})),
              "");
    EXPECT_EQ(twins.compare_data(), "");
    std::string said = twins.answer().text;
    said.resize(said.rfind(' '));  // the version
    return said.substr(8, 3) + said.substr(said.rfind(' ') + 1);
  };
  EXPECT_EQ(admitted(counted, "e2"), "e1 new");
  EXPECT_EQ(twins.text(fence), std::to_string(counted));

  EXPECT_EQ(admitted(counted + 1, "e3"), "e3 restored");
  EXPECT_EQ(twins.text(fence), std::to_string(counted + 1));
  // From before this quarantine, which covers all that was lost then.
  EXPECT_EQ(admitted(counted + 2, "e4"), "e3 restored");
  EXPECT_EQ(twins.text(fence), std::to_string(counted + 2));
  // Given after this quarantine, to which the data went back.
  EXPECT_EQ(admitted(counted + 120'000'000, "e5"), "e5 restored");

  // A counter that was deleted by hand is no data that went back.
  EXPECT_EQ(twins.compare(call(redis::open_script, {"60000 1 e5 ", std::string(Twins::own_made)})), "");
  EXPECT_EQ(twins.compare({"DEL", fence}), "");
  EXPECT_EQ(admitted(counted + 2, "e6"), "e5 restored");
  EXPECT_TRUE(twins.answer().text.starts_with("60000 1 e5 open "));
}

// Not the script as it is: no real Redis lacks these.
TEST(Life, AServerThatDoesNotShowItsLifeIsAdmittedToNothingAndKeepsNothing) {
  const std::string info = "redis.call('INFO', 'server') .. redis.call('INFO', 'replication')";
  const auto at = redis::admit_script.body.find(info);
  ASSERT_NE(at, std::string_view::npos);
  for (const std::string field : {"run_id", "master_replid"}) {
    test::RedisServer real;
    sim::ScriptHost host;
    Twins twins(real, host);
    std::string body(redis::admit_script.body);
    body.replace(at, info.size(), "string.gsub(" + info + ", '" + field + ":%x+', '" + field + ":')");
    EXPECT_EQ(twins.compare({"EVAL", body, "2", record, fence, "60000", "1", "e1", "1790000000000", "7"}),
              "");
    EXPECT_EQ(twins.answer(), redis::Value::array({redis::Value::string(field)}));
    EXPECT_EQ(twins.compare_data(), "");
    EXPECT_EQ(real.command({"DBSIZE"}).integer, 0);
  }
}

}  // namespace
}  // namespace tenure::conformance
