// What is understood of what a Sentinel says, which may be anything.
#include "cli/doctor/sentinel_facts.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tenure::cli {
namespace {

using namespace std::chrono_literals;
using redis::Value;

SentinelFacts told(const std::string& field, const std::string& value) {
  SentinelFacts facts;
  note_master(facts, Value::array({Value::string("name"), Value::string("mymaster"), Value::string(field),
                                   Value::string(value)}));
  return facts;
}

std::optional<core::Duration> down_after(const std::string& value) {
  return told("down-after-milliseconds", value).down_after;
}

TEST(SentinelFacts, SayHowLongASentinelWaits) {
  EXPECT_EQ(down_after("5000"), core::Duration(5s));
  EXPECT_EQ(down_after("0"), core::Duration(0s));
  EXPECT_EQ(told("other", "5000").down_after, std::nullopt);
}

TEST(SentinelFacts, KnowNothingOfAWaitThatNobodyMeans) {
  for (const auto* value :
       {"9223372036854775807", "9223372036854776", "99999999999999999999", "-1", "", "5s"})
    EXPECT_EQ(down_after(value), std::nullopt) << value;
  const auto longest = down_after("3155695200000");
  ASSERT_TRUE(longest);
  EXPECT_GT(*longest, std::chrono::hours(24 * 365 * 99)) << "and it can be counted in nanoseconds";
}

TEST(SentinelFacts, CountReplicasAndOtherSentinels) {
  EXPECT_EQ(told("num-slaves", "2").replicas, 2);
  EXPECT_EQ(told("num-other-sentinels", "4").other_sentinels, 4);
  for (const auto* value : {"-2", "2147483648", "", "many"}) {
    EXPECT_EQ(told("num-slaves", value).replicas, 0) << value;
    EXPECT_EQ(told("num-other-sentinels", value).other_sentinels, 0) << value;
  }
}

TEST(SentinelFacts, ReadNoFieldsWhereThereAreNone) {
  for (const Value& answer : {Value::nil(), Value::of(1), Value::string("num-slaves"), Value::array({}),
                              Value::array({Value::string("num-slaves")}),
                              Value::array({Value::nil(), Value::of(1), Value::string("num-slaves")})}) {
    SentinelFacts facts;
    note_master(facts, answer);
    EXPECT_EQ(facts.replicas, 0);
    EXPECT_EQ(facts.down_after, std::nullopt);
  }
}

TEST(SentinelFacts, SayWhyNoFailoverCanBeAgreedOn) {
  EXPECT_EQ(no_quorum_in(Value::status("OK 3 usable Sentinels.")), std::nullopt);
  EXPECT_EQ(no_quorum_in(Value::string("NOQUORUM 1 usable Sentinels.")), "1 usable Sentinels.");
  EXPECT_EQ(no_quorum_in(Value::string("NOQUORUM")), "NOQUORUM") << "more it does not say";
  EXPECT_EQ(no_quorum_in(Value::string("NOQUORUM ")), "NOQUORUM");
  EXPECT_EQ(no_quorum_in(Value::string("NOQUORUM \x1b]0;mine")), "\\x1b]0;mine");
  EXPECT_EQ(no_quorum_in(Value::nil()), std::nullopt);
}

TEST(SentinelFacts, KnowAsManyReplicasAsTheSentinelThatKnowsMost) {
  EXPECT_EQ(replicas_known({}), 0);
  EXPECT_EQ(replicas_known({{.replicas = 1}, {.replicas = 3}, {.replicas = 2}}), 3);
}

}  // namespace
}  // namespace tenure::cli
