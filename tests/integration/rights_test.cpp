// The check of a user's rights asks about commands as they are called: with as many arguments as each takes. Older servers do not
// look at how many there are; newer ones (Redis since the spring of 2026) refuse to say anything about others.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "redis/scripts.hpp"
#include "support/redis_server.hpp"

namespace tenure::test {
namespace {

// The script as it is, but instead of what is missing it gives what it asked about.
std::string script_that_tells() {
  std::string body(redis::rights_script.body);
  body.insert(body.find('\n') + 1,
              "local asked = {}\n"
              "local redis = {acl_check_cmd = function(...) asked[#asked + 1] = {...} return true end}\n"
              "local function check_all()\n");
  return body + "\nend\ncheck_all()\nreturn asked\n";
}

TEST(RightsOnAServer, EveryCommandIsAskedAboutWithAsManyArgumentsAsItTakes) {
  RedisServer server;
  const auto asked =
      server.command({"EVAL", script_that_tells(), "0", "lease", "record", "fence", "queue", "channel"});
  ASSERT_GT(asked.items.size(), 20U) << asked.text;
  for (const auto& call : asked.items) {
    const std::string name = call.items.at(0).text;
    const auto known = server.command({"COMMAND", "INFO", name});
    ASSERT_EQ(known.items.size(), 1U) << name;
    ASSERT_GT(known.items[0].items.size(), 1U) << name;
    // With the name itself; a negative one is the least.
    const auto arity = known.items[0].items[1].integer;
    const auto words = static_cast<std::int64_t>(call.items.size());
    EXPECT_TRUE(arity < 0 ? words >= -arity : words == arity)
        << name << " with " << words << " words, not " << arity;
  }
}

TEST(RightsOnAServer, NothingIsMissingToWhoMayDoEverything) {
  RedisServer server;
  const auto missing = server.command(
      {"EVAL", std::string(redis::rights_script.body), "0", "lease", "record", "fence", "queue", "channel"});
  ASSERT_EQ(missing.kind, redis::Value::Kind::array) << missing.text;
  EXPECT_TRUE(missing.items.empty()) << missing.items.at(0).text;
}

}  // namespace
}  // namespace tenure::test
