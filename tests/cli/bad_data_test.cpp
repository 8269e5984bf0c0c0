// What stands in Redis was written by others, or is broken: it is shown without harm, or named, and left alone.
#include <gtest/gtest.h>

#include "cli/every_command.hpp"
#include "cli/fleet_facts.hpp"

namespace tenure::test {
namespace {

// A token that nobody got is no harm.
Words contents_but_the_fence(RedisServer& redis) {
  Words all;
  for (const auto& name : keys(redis)) {
    if (name != "tenure:fence") all.insert(all.end(), {name, redis.command({"DUMP", name}).text});
  }
  return all;
}

// Others may have written anything at all.
TEST(BadData, IsShownWithoutHarmOrNamedAndLeftAlone) {
  ReadyRedis redis;
  const FleetFacts fleet{redis};
  const std::string evil = "\x1b]0;mine\x07\x1b[2J<script>\r\n\xff";
  const std::string nul("a\0b", 3);
  for (const auto& text :
       {evil, nul, std::string(1 << 20, 'x'), std::string(100'000, '['), std::string("{}"),
        std::string(R"({"address":"http://\u001b[2J","interval_ms":1e999})"),
        std::string(R"({"address":"http://a\u0000b"})"), std::string(R"({"address":{}})")}) {
    fleet.session("s" + std::to_string(text.size()), text);
    fleet.result("s" + std::to_string(text.size()), text);
    redis.command({"HSET", "poll:nodes", text.substr(0, 100), "1"});
    redis.command({"SET", "poll:node:" + text.substr(0, 100), text, "PX", "30000"});
    redis.command({"SET", "poll:lease:s" + std::to_string(text.size()), text, "PX", "30000"});
    redis.command({"SET", "redlock:" + text.substr(0, 100), text, "PX", "30000"});
  }
  fleet.session(evil);
  redis.command({"RPUSH", "session:list", evil});
  redis.command({"HSET", "redlock:hash", evil, evil});
  redis.command({"RPUSH", "poll:node:list", evil});
  const auto before = contents_but_the_fence(redis);
  for (const Words& words : std::vector<Words>{{"lock", "ls"},
                                               {"lock", "ls", "--json"},
                                               {"lock", "show", "hash"},
                                               {"sessions", "ls"},
                                               {"sessions", "ls", "--json"},
                                               {"status", "--all"},
                                               {"status", "--json"},
                                               {"explain", "s2"},
                                               {"explain", "list"},
                                               {"run", "hash", "-n", "--", "true"},
                                               {"sessions", "pause", "list"},
                                               {"doctor"}}) {
    const Result result = tenure(words, {"TENURE_REDIS=" + redis.url()});
    EXPECT_TRUE(result.code == 0 || result.code == 1 || result.code == 73 || result.code == 75)
        << joined(words) << result.code << result.err;
    for (const char letter : result.out + result.err) {
      ASSERT_TRUE(static_cast<unsigned char>(letter) >= 0x20 || letter == '\n') << joined(words);
    }
    EXPECT_FALSE(has(result.out + result.err, "\xff")) << joined(words);
  }
  EXPECT_TRUE(contents_but_the_fence(redis) == before);
}

// Tenure's own keys, of a kind or with a text that is none of its own.
TEST(BadData, InTheRecordIsNamedAndLeftAlone) {
  struct {
    Words key;
    std::string says;
  } const bad[]{
      {{"SET", "tenure:record", "\x1b[2J nonsense"}, "is not a record of Tenure"},
      {{"SET", "tenure:record", ""}, "is not a record of Tenure"},
      {{"SET", "tenure:record", std::string(1 << 20, 'x')}, "is not a record of Tenure"},
      {{"RPUSH", "tenure:record", "x"}, "WRONGTYPE"},
      {{"SET", "tenure:fence", "many"}, "not an integer"},
      {{"SET", "tenure:fence", "9007199254740992"}, "so large that two grants could have the same"},  // S3
      {{"SET", "tenure:fence", "9223372036854775807"}, "overflow"},
      {{"RPUSH", "tenure:fence", "x"}, "WRONGTYPE"},
  };
  for (const auto& [key, says] : bad) {
    ReadyRedis redis;
    redis.command({"DEL", key[1]});
    redis.command(key);
    const auto before = contents_but_the_fence(redis);
    const Result ran = tenure({"run", "job", "-n", "--redis", redis.url(), "--", "true"});
    EXPECT_EQ(ran.code, 69) << joined(key) << ran.err;
    EXPECT_TRUE(is_one_plain_line(ran.err)) << joined(key) << ran.err;
    EXPECT_TRUE(has(ran.err, says)) << joined(key) << ran.err;
    const Result doctor = tenure({"doctor", "--redis", redis.url()});
    EXPECT_EQ(doctor.code, 2) << joined(key) << doctor.out;
    EXPECT_FALSE(has(doctor.out, "\x1b")) << joined(key);
    EXPECT_TRUE(wait_until([&, &before = before] { return contents_but_the_fence(redis) == before; }))
        << joined(key);
  }
}

// The counter of tokens is no lease: without it they would begin anew.
TEST(BadData, ACounterThatIsGoneIsNoHealthyNode) {
  ReadyRedis redis;
  redis.command({"DEL", "tenure:fence"});
  const Result doctor = tenure({"doctor", "--redis", redis.url()});
  EXPECT_EQ(doctor.code, 2) << doctor.out;
  EXPECT_TRUE(has(doctor.out, "its counter of tokens is gone")) << doctor.out;
}

}  // namespace
}  // namespace tenure::test
