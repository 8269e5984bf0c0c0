// Bad input: one line that names the thing and the value, the documented exit code, nothing left in
// Redis, and no secret shown.
#include <gtest/gtest.h>

#include "cli/tenure_program.hpp"

namespace tenure::test {
namespace {

// "tenure: …", once.
bool is_one_line(const std::string& text) {
  return text.starts_with("tenure: ") && text.find('\n') == text.size() - 1;
}

struct BadWords {
  Words words;
  std::string says;
};

std::ostream& operator<<(std::ostream& out, const BadWords& bad) {
  for (const auto& word : bad.words) out << word.substr(0, 80) << ' ';
  return out;
}

// T22 and all other options: every one of these exits with 64 before Redis is asked anything.
const std::vector<BadWords> bad_words{
    {{}, "no command"},
    {{"rnu"}, "there is no command \"rnu\"; did you mean run?"},
    {{"frobnicate"}, "there is no command \"frobnicate\"; tenure help lists them"},
    {{"lock", "shwo"}, "lock knows ls, show and break, not \"shwo\"; did you mean show?"},
    {{"status", "--jsno"}, "there is no option --jsno; did you mean --json?"},
    {{"status", "--frobnicate"}, "there is no option --frobnicate; see --help"},
    {{"help", "rnu"}, "\"rnu\""},
    {{"lock"}, "lock wants a command of its own: ls, show and break; tenure help lock explains them"},
    {{"redis"}, "redis wants a command of its own: up and down"},
    {{"sessions"}, "sessions wants a command of its own: add, rm, pause, resume and ls"},
    {{"lock", "list"}, "lock knows ls, show and break, not \"list\""},
    {{"elect", "x", "--lease", "1s", "--renew", "2s"}, "renew 2s does not fit into the lease of 1s"},
    {{"elect", "x", "--lease", "1s", "--drain", "1s"}, "drain 1s does not fit into the lease of 1s"},
    {{"run", "x", "--ttl", "1s", "--grace", "2s", "--", "true"}, "grace 2s does not fit into the TTL of 1s"},
    {{"run"}, "NAME is required"},
    {{"run", "x"}, "no command"},
    {{"run", "x", "--"}, "no command"},
    {{"run", "--", "true"}, "NAME is required"},
    {{"run", "x", "true"}, "\"true\" is one word too many: the command stands behind --"},
    {{"run", "x", "y", "--", "true"}, "\"y\" is one word too many"},
    {{"run", "x", "--colour", "--", "true"}, "there is no option --colour"},
    {{"run", "x", "-E", "5", "--", "true"}, "--busy-code 5 goes with --no-wait"},
    {{"run", "x", "-E", "5", "--wait", "1s", "--", "true"}, "--busy-code 5 goes with --no-wait"},
    {{"--version", "extra"}, "\"extra\" is one word too many"},
    {{"help", "run", "extra"}, "\"extra\" is one word too many"},
    {{"run", "x", "--ttl", "--", "true"}, "--ttl"},
    {{"run", "x", "--ttl", "1s", "--ttl", "2s", "--", "true"}, "--ttl"},
    {{"run", "x", "-n", "--wait", "5s", "--", "true"}, "--no-wait and --wait 5s contradict each other"},
    {{"run", "x", "-E", "0", "--", "true"}, "--busy-code: \"0\""},
    {{"run", "x", "-E", "256", "--", "true"}, "--busy-code: \"256\""},
    {{"run", "x", "-E", "-1", "--", "true"}, "--busy-code: \"-1\""},
    {{"run", "x", "-E", "7x", "--", "true"}, "--busy-code: \"7x\""},
    {{"run", "x", "-E", "", "--", "true"}, "--busy-code: \"\""},

    {{"run", "x", "--ttl", "0s", "--", "true"}, "--ttl: \"0s\" is no time at all"},
    {{"run", "x", "--ttl", "-5s", "--", "true"}, "--ttl: \"-5s\" is negative"},
    {{"run", "x", "--ttl", "1.5s", "--", "true"}, "--ttl: \"1.5s\" is a fraction: write 1500ms"},
    {{"run", "x", "--ttl", "0.25m", "--", "true"}, "\"0.25m\" is a fraction: write 15000ms"},
    {{"run", "x", "--ttl", ".5h", "--", "true"}, "\".5h\" is a fraction: write 1800000ms"},
    {{"run", "x", "--ttl", "0.5ms", "--", "true"}, "\"0.5ms\" is a fraction; write a whole number"},
    {{"run", "x", "--ttl", "0.0s", "--", "true"}, "\"0.0s\" is a fraction; write a whole number"},
    {{"run", "x", "--ttl", "1.00000000000000000000001s", "--", "true"},
     "is a fraction; write a whole number"},
    {{"run", "x", "--ttl", "1.s", "--", "true"}, "\"1.s\""},
    {{"run", "x", "--ttl", "30", "--", "true"}, "\"30\" has no unit"},
    {{"run", "x", "--ttl", "30d", "--", "true"}, "\"30d\" has an unknown unit"},
    {{"run", "x", "--ttl", "30 s", "--", "true"}, "\"30 s\" has an unknown unit"},
    {{"run", "x", "--ttl", "1m30s", "--", "true"}, "\"1m30s\" has an unknown unit"},
    {{"run", "x", "--ttl", "1e3s", "--", "true"}, "\"1e3s\" has an unknown unit"},
    {{"run", "x", "--ttl", "s", "--", "true"}, "\"s\" is no duration"},
    {{"run", "x", "--ttl", "", "--", "true"}, "\"\" is no duration"},
    {{"run", "x", "--ttl", "+5s", "--", "true"}, "\"+5s\" is no duration"},
    {{"run", "x", "--ttl", "9007199254740992ms", "--", "true"}, "\"9007199254740992ms\" is too long"},
    {{"run", "x", "--ttl", "99999999999999999999s", "--", "true"}, "\"99999999999999999999s\" is too long"},
    {{"run", "x", "--ttl", "5\x1b[31ms", "--", "true"}, "\"5\\x1b[31ms\""},
    {{"run", "x", "--ttl", "1ms", "--", "true"}, "a TTL of 1ms is too short"},
    {{"run", "x", "--ttl", "61s", "--", "true"}, "a TTL of 61s is over the cap of 1m"},
    {{"run", "x", "--ttl", "10s", "--grace", "9s", "--", "true"}, "grace 9s"},
    {{"run", "x", "--grace", "1ms", "--", "true"}, "a grace of 1ms is too short; the least is 10ms"},
    {{"elect", "x", "--grace", "1ms"}, "a grace of 1ms is too short; the least is 10ms"},
    {{"elect", "x", "--drain", "1ms"}, "a drain of 1ms is too short; the least is 10ms"},
    {{"run", "x", "--wait", "0s", "--", "true"}, "--wait: \"0s\""},
    {{"run", "x", "--wait", "soon", "--", "true"}, "--wait: \"soon\""},
    {{"run", "x", "--ttl-max", "1", "--", "true"}, "--ttl-max: \"1\" has no unit"},
    {{"run", "x", "--ttl-max", "50ms", "--", "true"}, "(--ttl-max) of 50ms is too short"},
    {{"init", "--ttl-max", "50ms"}, "(--ttl-max) of 50ms is too short"},
    {{"run", "x", "--ttl-max", "25h", "--", "true"}, "(--ttl-max) of 25h is too long; the most is 24h"},
    {{"init", "--ttl-max", "25h"}, "(--ttl-max) of 25h is too long; the most is 24h"},
    {{"init", "now"}, "now"},

    {{"run", "", "--", "true"}, "the name is empty"},
    {{"run", std::string(513, 'x'), "--", "true"}, "the name has 513 bytes"},
    {{"run", std::string(100'000, 'x'), "--", "true"}, "the name has 100000 bytes"},
    {{"run", "a\nb", "--", "true"}, "the name \"a\\x0ab\" has a control character"},
    {{"run", "a\x1b[2J", "--", "true"}, "the name \"a\\x1b[2J\" has a control character"},
    {{"run", "a\xff", "--", "true"}, "the name \"a\\xff\" is not valid UTF-8"},
    {{"run", "x", "--id", "a\rb", "--", "true"}, "the id \"a\\x0db\" has a control character"},
    {{"run", "x", "--id", "", "--", "true"}, "the id is empty"},
    {{"run", "x", "--prefix", "", "--", "true"}, "the prefix is empty"},
    {{"run", "x", "--lock-prefix", "\t", "--", "true"}, "the lock prefix \"\\x09\""},
    {{"run", "fence", "--lock-prefix", "tenure:", "--", "true"}, "tenure:fence"},
    {{"run", "record", "--lock-prefix", "tenure:", "--", "true"}, "tenure:record"},
    {{"run", "queue:x", "--lock-prefix", "tenure:", "--", "true"}, "tenure:queue:x"},
    {{"run", "x", "--prefix", "mine:", "--lock-prefix", "queue:", "--", "true"}, "mine:queue:x"},
    {{"elect", "record", "--prefix", "mine:"}, "mine:record"},

    {{"run", "x", "--redis", "", "--", "true"}, "--redis: bad Redis address"},
    {{"run", "x", "--redis", "localhost", "--", "true"}, "--redis: bad Redis address"},
    {{"run", "x", "--redis", "http://localhost", "--", "true"}, "\"http\""},
    {{"run", "x", "--redis", "redis://localhost:70000", "--", "true"}, "70000"},
    {{"run", "x", "--redis", "redis://localhost/x", "--", "true"}, "bad Redis address"},
    {{"run", "x", "--redis", "redis://a", "--redis", "b", "--", "true"}, "--redis: bad Redis address"},
    {{"run", "x", "--redis", "redis://a,redis://b", "--", "true"}, "--redis: bad Redis address"},
    {{"run", "x", "--redis", "redis://a", "--redis", "redis://b", "--redis", "redis://a:6379/0", "--",
      "true"},
     "--redis: redis://a:6379/0 is given twice; every node must be a Redis of its own"},
    {{"run", "x", "--redis", "redis://a", "--redis", "redis://a/1", "--", "true"},
     "--redis: redis://a:6379/0 and redis://a:6379/1 are one Redis"},
    {{"init", "--redis", "unix:///a", "--redis", "unix:///a"}, "--redis: unix:///a is given twice"},
    {{"init", "--redis", "redis://a", "--redis", "rediss://a"}, "are one Redis"},
    {{"init", "--store", "nonsense"}, "--store: bad Redis address"},
    {{"init", "--store", "unix:///a", "--store", "unix:///a"}, "--store: unix:///a is given twice"},
    {{"init", "--store", "unix:///a", "--redis-file", "/b"},
     "--store and --redis-file both name the nodes: give one of them"},
    {{"init", "--redis", "unix:///a", "--store", "unix:///a"},
     "--redis and --store both name the nodes: give one of them"},
    {Words{"init"} + redis_options(Words(32, "redis://a")), "--redis: 32 nodes are too many; the most is 31"},
};

TEST(BadInput, EveryBadWordIsNamedAndTouchesNothing) {
  ReadyRedis redis;
  const auto before = contents(redis);
  for (const auto& bad : bad_words) {
    // Where the words name no other Redis, this one is meant: it would notice.
    const Result result = tenure(bad.words, {"TENURE_REDIS=" + redis.url()});
    EXPECT_EQ(result.code, 64) << bad;
    EXPECT_EQ(result.out, "") << bad;
    EXPECT_TRUE(is_one_line(result.err)) << bad << '\n' << result.err;
    EXPECT_TRUE(has(result.err, bad.says)) << bad << '\n' << result.err;
    EXPECT_EQ(contents(redis), before) << bad;
  }
}

TEST(BadInput, TheEnvironmentIsCheckedAsTheFlagsAre) {
  const Words words{"run", "x", "--", "true"};
  const struct {
    std::string variable;
    std::string says;
  } bad[]{
      {"TENURE_REDIS=redis://a,redis://b,redis://a", "TENURE_REDIS: redis://a:6379/0 is given twice"},
      {"TENURE_REDIS=redis://a,", "TENURE_REDIS: bad Redis address: host \"a,\""},
      {"TENURE_REDIS=nonsense", "TENURE_REDIS: bad Redis address"},
      {"TENURE_STORE=nonsense", "TENURE_STORE: bad Redis address"},
      {"REDIS_URL=nonsense", "REDIS_URL: bad Redis address"},
      {"TENURE_TTL_MAX=1.5m", "TENURE_TTL_MAX: \"1.5m\" is a fraction: write 90000ms"},
  };
  for (const auto& [variable, says] : bad) {
    const Result result = tenure(words, {variable});
    EXPECT_EQ(result.code, 64) << variable;
    EXPECT_TRUE(is_one_line(result.err)) << result.err;
    EXPECT_TRUE(has(result.err, says)) << result.err;
  }
}

TEST(BadInput, APasswordIsShownInNoMessage) {
  RedisServer redis({.arguments = {"--requirepass", "right"}, .password = "right"});
  const std::vector<Words> all{
      {"run", "x", "--redis", redis.url(":gehe!m"), "--", "true"},
      {"run", "x", "--redis", redis.url("me:gehe!m"), "--", "true"},
      {"init", "--redis", redis.url(":gehe!m")},
      {"run", "x", "--redis", "redis://:gehe!m@127.0.0.1:1", "--", "true"},
      {"run", "x", "--redis", "redis://:gehe!m@host:port", "--", "true"},
      {"run", "x", "--redis", "rediss://:gehe!m@127.0.0.1:1", "--", "true"},
      {"run", "x", "--redis", "redis://:gehe!m@no-such-host.invalid", "--", "true"},
      {"init", "--redis", "redis://:gehe!m@no-such-host.invalid"},
      {"run", "x", "--tls-ca", "redis://:gehe!m@host", "--", "true"},
      {"run", "x", "--redis", "rediss://host", "--tls-ca", "redis://:gehe!m@host", "--", "true"},
      {"run", "x", "--redis-file", "redis://:gehe!m@host", "--", "true"},
      {"run", "x", "--redis", "me:gehe!m@host", "--", "true"},
      {"run", "x", "--redis", "me:gehe!m@host://", "--", "true"},
      {"run", "x", "--store", "me:gehe!m@host", "--", "true"},
      {"run", "x", "redis://:gehe!m@host", "--", "true"},
      {"redis://:gehe!m@host"},
      {"init", "--redis", "redis://:gehe!m@host", "--redis", "redis://:gehe!m@host"},
  };
  for (const auto& words : all) {
    const Result result = tenure(words);
    EXPECT_TRUE(result.code == 64 || result.code == 69) << result.code;
    EXPECT_TRUE(is_one_line(result.err)) << result.err;
    EXPECT_FALSE(has(result.err, "gehe!m")) << result.err;
  }
  EXPECT_EQ(keys(redis), Words{});
}

TEST(BadInput, ARedisThatRefusesIsNamedWithItsReason) {
  ReadyRedis redis({.tcp = true, .arguments = {"--requirepass", "right"}, .password = "right"}, ":right");
  const auto before = contents(redis);
  const auto says = [](const std::string& url) {
    const Result result = tenure(Job{.options = {"-n"}}.words(url));
    EXPECT_EQ(result.code, 69) << result.err;
    EXPECT_TRUE(is_one_line(result.err)) << result.err;
    return result.err;
  };
  EXPECT_TRUE(has(says(redis.url(":wrong")), "wrong user name or password"));
  EXPECT_TRUE(has(says(redis.url("nobody:right")), "wrong user name or password"));
  EXPECT_TRUE(has(says(redis.url()), "wants a password"));
  EXPECT_TRUE(has(says("unix:///no/such/redis.sock"), "unix:///no/such/redis.sock: there is no such socket"));
  EXPECT_TRUE(has(says(redis.url(":right") + "/9999"), "no such database"));
  redis.command({"CONFIG", "SET", "maxmemory", "1"});
  EXPECT_TRUE(has(says(redis.url(":right")), "maxmemory"));
  redis.command({"CONFIG", "SET", "maxmemory", "0"});
  EXPECT_EQ(contents(redis), before);
  const std::string gone = redis.url(":right");
  redis.kill();
  EXPECT_TRUE(has(says(gone), "connection refused"));
}

TEST(BadInput, ARedisThatDoesNotAnswerIsGivenUpAfterTheNodeTimeout) {
  ReadyRedis redis;
  redis.pause();
  const Result result = tenure(Job{.options = {"--ttl", "500ms"}}.words(redis.url()));
  EXPECT_EQ(result.code, 69);
  EXPECT_TRUE(is_one_line(result.err)) << result.err;
}

}  // namespace
}  // namespace tenure::test
