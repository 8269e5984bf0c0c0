// A Redis whose answers are right in form and wrong somewhere within: every command ends, with a code that it has, and obeys
// nothing that it was told.
#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "cli/every_command.hpp"
#include "cli/fleet_facts.hpp"
#include "support/impostor.hpp"

namespace tenure::test {
namespace {

using redis::Value;

// Changes one thing in an answer, by chance.
class Liar {
 public:
  explicit Liar(unsigned seed) : random_(seed) {}

  Value change(Value value) {
    auto& items = value.items;
    if (!items.empty() && dice(4) != 0) {
      const std::size_t which = dice(items.size());
      switch (dice(6)) {
        case 0:
          items.erase(items.begin() + static_cast<std::ptrdiff_t>(which));
          break;
        case 1:
          items.push_back(items[which]);
          break;
        default:
          items[which] = change(items[which]);
      }
      return value;
    }
    if (value.kind == Value::Kind::string && !value.text.empty() && dice(2) == 0) {
      const std::size_t at = dice(value.text.size());
      if (dice(2) == 0) return Value::string(value.text.substr(0, at));
      value.text[at] = static_cast<char>(dice(256));
      return value;
    }
    return something_else();
  }
  bool lies() { return dice(3) == 0; }

 private:
  std::size_t dice(std::size_t sides) { return random_() % sides; }
  Value something_else() {
    const std::vector<Value> all{
        Value::nil(),
        Value::of(0),
        Value::of(-1),
        Value::of(1),
        Value::of(std::numeric_limits<std::int64_t>::max()),
        Value::of(std::numeric_limits<std::int64_t>::min()),
        Value::status("OK"),
        Value::string(""),
        Value::string("99999999999999999999"),
        Value::string("nan"),
        Value::string("\x1b]0;mine\x07\xff"),
        Value::string("#"),
        Value::string("x#0123456789abcdef#18446744073709551616"),
        Value::string(R"({"started":1e999,"weight":-5,"owned":18446744073709551615,"status":[[]]})"),
        Value::string(std::string(70'000, '[')),
        Value::array({}),
        Value::array({Value::nil(), Value::of(1), Value::string("x")}),
    };
    return all[dice(all.size())];
  }

  std::mt19937 random_;
};

void fill(RedisServer& redis) {
  const FleetFacts fleet{redis};
  for (const auto* id : {"web-1", "web-2"}) fleet.instance(id);
  for (const auto* id : {"s-1", "s-2", "s-3"}) {
    fleet.session(id);
    fleet.result(id, R"({"ok":true,"at":)" + wall_ms(1'000) + "}");
    lease(redis, id, "web-1");
  }
  redis.command({"SET", "redlock:a", "web-3#0123456789abcdef#7", "PX", "60000"});
  redis.command({"RPUSH", "tenure:queue:redlock:a", "web-4#0123456789abcdef#"});
}

// Replayed by its number: --gtest_filter='*LyingRedis*/7'.
class LyingRedisTest : public ::testing::TestWithParam<unsigned> {};

INSTANTIATE_TEST_SUITE_P(Seeds, LyingRedisTest, ::testing::Range(0U, 16U),
                         ::testing::PrintToStringParamName());

TEST_P(LyingRedisTest, MakesNoCommandFailOtherwiseThanItSays) {
  ReadyRedis redis;
  fill(redis);
  Liar liar(GetParam());
  const Impostor impostor(redis, [&](const auto&, Value answer) {
    return liar.lies() ? liar.change(std::move(answer)) : answer;
  });
  for (int round = 0; round < 3; ++round) {
    for (auto words : commands_that_ask({"--redis", impostor.url()})) {
      // Waits for as long as it is told that a lease lasts.
      if (words[1] == "break") continue;
      if (round == 1 && (words[0] == "status" || words[1] == "ls")) words.push_back("--json");
      const Result result = tenure(words);
      const auto may_be = {0, 1, 2, 69, 73, 75, 76, 79};
      EXPECT_TRUE(std::ranges::find(may_be, result.code) != may_be.end())
          << joined(words) << result.code << result.err;
      for (const char letter : result.out + result.err) {
        ASSERT_TRUE(static_cast<unsigned char>(letter) >= 0x20 || letter == '\n')
            << joined(words) << result.out;
      }
    }
  }
}

}  // namespace
}  // namespace tenure::test
