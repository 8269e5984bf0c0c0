// Beats of a few instances, at random, on the simulated Redis and on a real one. Apart from the other scripts, because a
// hash has no order: who lives is compared as the core reads it.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/base/random.hpp"
#include "support/redis_server.hpp"
#include "twins.hpp"

namespace tenure::conformance {
namespace {

using namespace std::chrono_literals;

class Beats : public testing::Test {
 protected:
  void SetUp() override {
    twins.reset();
    twins.listen("poll:changes");
  }

  core::BeatRequest some_beat() {
    core::Beat beat{.boot = random.below(10) == 0 ? "another" : "boot",
                    .started_ms = 1'790'000'000'000,
                    .weight = static_cast<std::uint32_t>(1 + random.below(3)),
                    .owned = random.below(100),
                    .version = random.below(5)};
    // TTLs end five seconds off the waits: no moment of real time decides who lives.
    const core::Ttl ttl = random.below(6) == 0 ? core::Ttl(0) : core::Ttl(15s);
    std::vector<core::SessionHash> owned(random.below(3));
    for (core::SessionHash& session : owned) session = random.next();
    return {"poll:", "web-" + std::to_string(random.below(4)), beat, ttl, owned};
  }

  // Asks both, and gives what both said.
  core::Reply beat(const core::BeatRequest& request) {
    const redis::Command command = redis::script_call(request, redis::Keyspace{}, "", redis::CallBy::body);
    const auto answers = twins.ask(command);
    const core::Reply said = redis::script_reply(request, answers.model);
    EXPECT_EQ(to_text(redis::script_reply(request, answers.real), answers.real), to_text(said, answers.model))
        << conformance::to_text(command);
    return said;
  }

  void compare_lists() {
    const core::Request request = core::ListsRequest{"poll:", {"web-0", "web-1", "web-2", "web-3"}};
    const auto answers = twins.ask(redis::script_call(request, redis::Keyspace{}, "", redis::CallBy::body));
    const auto model = redis::script_reply(request, answers.model);
    const auto* lists = std::get_if<core::Lists>(&model);
    ASSERT_NE(lists, nullptr);
    EXPECT_EQ(std::get<core::Lists>(redis::script_reply(request, answers.real)), *lists);
    read += static_cast<int>(std::ranges::count_if(*lists, [](const auto& it) { return it.has_value(); }));
  }

  // Without the time left, which is never quite the same.
  static std::string to_text(const core::Reply& reply, const redis::Value& answer) {
    if (std::holds_alternative<core::IdTaken>(reply)) return "taken: " + answer.items.at(0).text;
    const auto* live = std::get_if<core::LiveMembers>(&reply);
    if (live == nullptr) return "a failure";
    std::string text = "version " + std::to_string(live->version);
    for (const core::Member& it : live->members) {
      text += ", " + it.id + " of weight " + std::to_string(it.weight) + " with " + std::to_string(it.owned);
    }
    return text;
  }

  core::Random random{1};
  int read = 0;  // lists
  test::RedisServer real;
  sim::ScriptHost host;
  Twins twins{real, host};
};

TEST_F(Beats, TellTheSameOnARealRedis) {
  int taken = 0;
  int several = 0;
  for (int step = 0; step < 400; ++step) {
    const core::Reply said = beat(some_beat());
    if (std::holds_alternative<core::IdTaken>(said)) taken += 1;
    if (const auto* live = std::get_if<core::LiveMembers>(&said); live && live->members.size() > 1)
      several += 1;
    ASSERT_EQ(twins.compare_data(), "") << "step " << step;
    compare_lists();
    if (random.below(10) == 0) twins.step(10s);
    if (random.below(40) == 0) twins.ask({"INCR", "poll:sessions:version"});
    if (random.below(40) == 0) twins.ask({"DEL", "poll:node:web-1"});
    if (random.below(40) == 0) twins.ask({"SET", "poll:node:web-2", "not a beat"});
  }
  EXPECT_GT(taken, 10);
  EXPECT_GT(several, 100);
  EXPECT_GT(read, 100);
}

TEST_F(Beats, LeaveNothingBehindWhenTheLastHasLeft) {
  core::BeatRequest one{"poll:", "web-1", {.boot = "boot"}, 15s};
  core::BeatRequest other{"poll:", "web-2", {.boot = "boot"}, 15s};
  beat(one);
  beat(other);
  one.ttl = other.ttl = 0s;
  beat(one);
  beat(other);
  EXPECT_EQ(twins.compare_data(), "");
  EXPECT_TRUE(std::as_const(twins.model()).data().keys({std::int64_t{0}}).empty());
}

}  // namespace
}  // namespace tenure::conformance
