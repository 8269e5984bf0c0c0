// Messages of a real Redis Cluster: from whichever server, each once, also after a server was replaced.
#include "redis/net/cluster_subscription.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "redis/script_call.hpp"
#include "runtime/boot_clock.hpp"
#include "runtime/net/wait_for.hpp"
#include "support/redis_cluster.hpp"
#include "support/wait.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;
constexpr auto channel = "f:changes";

class ClusterMessages : public ::testing::Test {
 protected:
  explicit ClusterMessages(RedisCluster::Options options = {.replicas = 0}) : cluster(std::move(options)) {}

  // Until then, or as long as it takes.
  template <class Condition>
  bool pump_until(Condition condition, core::Duration within = 20s) {
    const core::Time end = runtime::boot_now() + within;
    while (!condition()) {
      const core::Time now = runtime::boot_now();
      if (now >= end) return false;
      const auto awaited = subscription.awaited();
      const core::Time until = std::min(end, subscription.wake().value_or(end));
      if (runtime::wait_for(awaited.fd, awaited.events, std::min(until, now + 50ms)))
        subscription.on_ready(runtime::boot_now(), random, messages);
      subscription.on_timer(runtime::boot_now(), random);
    }
    return true;
  }
  void open() { subscription.open(runtime::boot_now(), random); }
  void publish(std::size_t server, const std::string& text) {
    ASSERT_EQ(cluster.server(server).command({"PUBLISH", channel, text}).kind, redis::Value::Kind::integer);
  }
  std::size_t heard_after_a_moment() {
    const core::Time then = runtime::boot_now() + 200ms;
    pump_until([&] { return runtime::boot_now() > then; });
    return std::exchange(messages, {}).size();
  }

  RedisCluster cluster;
  redis::Address address = cluster.address();
  runtime::Tls tls{};
  redis::SharedView view = std::make_shared<redis::ClusterView>();
  redis::ClusterSubscription subscription{address, channel, tls, view,
                                          [](const std::string& text) { return redis::read_change(text); }};
  core::Random random{1};
  std::vector<runtime::Message> messages{};
};

struct ClusterMessagesOfReplicated : ClusterMessages {
  ClusterMessagesOfReplicated() : ClusterMessages(RedisCluster::Options{}) {}
};

TEST_F(ClusterMessages, EachComesOnceFromWhicheverServer) {
  EXPECT_FALSE(subscription.listening());
  open();
  ASSERT_TRUE(pump_until([&] { return subscription.listening(); }));
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(cluster.server(i).command({"PUBSUB", "NUMSUB", channel}).items.at(1).integer, 1)
        << "a script there knows that somebody listens";
    publish(i, "sessions");
    EXPECT_EQ(heard_after_a_moment(), 1U);
  }
  publish(0, "sessions");
  publish(0, "sessions");
  EXPECT_EQ(heard_after_a_moment(), 2U) << "said twice";
}

TEST_F(ClusterMessages, ASubscriptionThatIsClosedHearsNothingUntilItIsOpenedAgain) {
  open();
  ASSERT_TRUE(pump_until([&] { return subscription.listening(); }));
  subscription.close();
  EXPECT_FALSE(subscription.listening());
  EXPECT_LT(subscription.awaited().fd, 0);
  open();
  ASSERT_TRUE(pump_until([&] { return subscription.listening(); }));
  publish(2, "instances");
  EXPECT_EQ(heard_after_a_moment(), 1U);
}

TEST_F(ClusterMessagesOfReplicated, AServerThatTakesAnothersPlaceIsHeardAsWell) {
  open();
  ASSERT_TRUE(pump_until([&] { return subscription.listening(); }));
  cluster.kill(0);
  ASSERT_TRUE(pump_until([&] { return !subscription.listening(); }));
  ASSERT_TRUE(wait_until([&] { return cluster.master_of(0) != 0; }));
  ASSERT_TRUE(pump_until([&] { return subscription.listening(); }));
  publish(cluster.master_of(0), "sessions");
  EXPECT_EQ(heard_after_a_moment(), 1U);
}

}  // namespace
}  // namespace tenure::test
