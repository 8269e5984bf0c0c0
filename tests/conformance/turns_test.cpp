// Long queues on a real Redis and on the simulated one: who is told of a release, who lets its turn pass, who leaves.
#include <gtest/gtest.h>

#include "core/base/random.hpp"
#include "core/lease/grant.hpp"
#include "redis/grant_text.hpp"
#include "sequence.hpp"

namespace tenure::conformance {
namespace {

const std::string lease = "redlock:a";
const std::string queue = "tenure:queue:redlock:a";
const std::string channels = "tenure:wake:";
// Turns begin three seconds or more after a wait of whole tens of seconds may end: no moment of real time decides.
const std::string turn = "9000";

class History {
 public:
  History(Twins& twins, std::uint64_t seed, Tally& tally) : twins_(twins), random_(seed), tally_(tally) {}

  // Gives what differed, or nothing.
  std::string run() {
    twins_.reset();
    twins_.compare({"SET", "tenure:record", "60000 1 e1 open life 1 1 60000 new"});
    twins_.compare({"SET", "tenure:fence", "1790000000000000"});
    for (std::size_t i = 0; i < 4; ++i) {
      if (random_.below(5) != 0) twins_.listen(channels + owner(i));
    }
    const auto waiters = random_.below(24);
    for (std::uint64_t i = 0; i < waiters; ++i) {
      tickets_.push_back(owner(random_.below(4)) + "#" + std::to_string(i) + "#");
      twins_.compare({"RPUSH", queue, tickets_.back()});
    }
    twins_.compare({"SET", lease, "holder#0#7", "PX", "65000"});
    std::string differs = release("holder#0#", "");
    for (int step = 0; step < 8 && differs.empty(); ++step) {
      const auto dice = random_.below(10);
      if (dice < 4) {
        twins_.step(std::chrono::seconds(10 * (1 + random_.below(4))));
      } else if (dice < 5) {
        differs = release("nobody#0#", any_ticket());
      } else {
        differs = acquire(any_ticket());
      }
      if (differs.empty()) differs = twins_.compare_data();
    }
    return differs;
  }

 private:
  static std::string owner(std::size_t i) { return "web-" + std::to_string(i); }
  // Mostly one in front; sometimes a newcomer.
  std::string any_ticket() {
    if (tickets_.empty() || random_.below(8) == 0) return "web-0#new#";
    return tickets_[random_.below(random_.below(2) == 0 ? tickets_.size() : (tickets_.size() + 2) / 3)];
  }
  std::string release(const std::string& stamp, const std::string& ticket) {
    return compare(redis::release_script, {lease, queue}, {channels, turn, stamp, ticket});
  }
  std::string acquire(const std::string& ticket) {
    const std::string before = twins_.text(lease);
    std::string differs = compare(redis::acquire_script, {lease, "tenure:record", "tenure:fence", queue},
                                  {"60000 1 e1 open ", "us#" + std::to_string(++tries_) + "#", "65000",
                                   ticket, "125000", channels, turn, "0"});
    if (!redis::read_holder(before).waits) return differs;
    const std::string after = twins_.text(lease);
    const bool called = before.starts_with(ticket + "0");
    tally_[after == before                   ? "waits"
           : redis::read_holder(after).waits ? "passes it on"
           : called                          ? "is called"
                                             : "takes its turn"] += 1;
    return differs;
  }
  std::string compare(const redis::Script& script, const std::vector<std::string>& keys,
                      const std::vector<std::string>& values) {
    redis::Command command{"EVAL", std::string(script.body), std::to_string(keys.size())};
    command.insert(command.end(), keys.begin(), keys.end());
    command.insert(command.end(), values.begin(), values.end());
    return twins_.compare(command);
  }

  Twins& twins_;
  core::Random random_;
  Tally& tally_;
  std::vector<std::string> tickets_;
  int tries_ = 0;
};

TEST(Turns, OfLongQueuesComeTheSameWayOnARealRedis) {
  test::RedisServer real;
  sim::ScriptHost host;
  Twins twins(real, host);
  Tally tally;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    ASSERT_EQ(History(twins, seed, tally).run(), "") << "seed " << seed;
  }
  for (const auto* outcome : {"waits", "passes it on", "is called", "takes its turn"}) {
    EXPECT_GT(tally[outcome], 0) << outcome;
  }
}

}  // namespace
}  // namespace tenure::conformance
