// Messages that wake waiters are hints: one that is lost or forged costs little, and decides nothing.
#include <gtest/gtest.h>

#include "runtime/boot_clock.hpp"
#include "support/lease_client.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;

constexpr auto long_ttl = 60s;
constexpr auto key = "redlock:a";

class WakeUpTest : public ::testing::TestWithParam<std::size_t> {
 protected:
  bool in_queue(std::size_t count) {
    return wait_until([&] { return nodes_.enrolled(key) == count; });
  }
  void deafen() {
    for (std::size_t i = 0; i < nodes_.size(); ++i) nodes_[i].command({"CLIENT", "KILL", "TYPE", "pubsub"});
  }
  void flood(const std::function<std::string(const std::string& ticket)>& message);

  Nodes nodes_{GetParam()};
  runtime::Client first_ = client_of(nodes_);
  runtime::Client second_ = client_of(nodes_, {.owner = "waiter"});
};

INSTANTIATE_TEST_SUITE_P(Nodes, WakeUpTest, ::testing::Values(1, 3), ::testing::PrintToStringParamName());

TEST_P(WakeUpTest, AWaiterWhoseMessageWasLostGetsItAllTheSame) {  // T26, T27
  auto lease = first_.acquire(key, wish(long_ttl));
  ASSERT_TRUE(lease);
  Wanting wanting(second_, key, wish(long_ttl, for_ever));
  ASSERT_TRUE(in_queue(1));
  deafen();
  lease->release();
  EXPECT_TRUE(wait_until([&] { return wanting.done(); }, 20s)) << "it waits for the end of the TTL";
}

TEST_P(WakeUpTest, AWaiterWhoseConnectionBrokeWhileItWaitedIsStillCalled) {  // T26
  auto lease = first_.acquire(key, wish(long_ttl));
  ASSERT_TRUE(lease);
  Wanting wanting(second_, key, wish(long_ttl, for_ever));
  ASSERT_TRUE(in_queue(1));
  for (int i = 0; i < 2; ++i) {
    deafen();
    ASSERT_TRUE(wait_until([&] {
      const auto heard = nodes_[0].command({"PUBSUB", "NUMSUB", "tenure:wake:waiter"});
      return heard.items.at(1).integer == 1;
    }));
  }
  lease->release();
  EXPECT_TRUE(wait_until([&] { return wanting.done(); }, 20s)) << "it waits for the end of the TTL";
}

// How often the waiter looks during a second full of such messages.
void WakeUpTest::flood(const std::function<std::string(const std::string& ticket)>& message) {
  const auto lease = first_.acquire(key, wish(long_ttl));
  ASSERT_TRUE(lease);
  // A majority is enough to hold and to wait; the first node is where the waiter's looks are counted.
  ASSERT_TRUE(wait_until([&] { return nodes_[0].command({"EXISTS", key}).integer == 1; }));
  Wanting wanting(second_, key, wish(long_ttl, for_ever));
  ASSERT_TRUE(wait_until([&] { return tickets(nodes_[0], key).size() == 1; }));
  const std::string text = message(tickets(nodes_[0], key).at(0));
  const auto before = calls_of(nodes_[0], "evalsha");
  const auto begun = runtime::boot_now();
  int messages = 0;
  for (; runtime::boot_now() - begun < 1s; ++messages) {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      nodes_[i].command({"PUBLISH", "tenure:wake:waiter", text});
    }
  }
  const auto looks = calls_of(nodes_[0], "evalsha") - before;
  const auto tenths = (runtime::boot_now() - begun) / 100ms;
  RecordProperty("messages", messages);
  RecordProperty("looks", static_cast<int>(looks));
  // Not more often than somebody who stands in no queue; every look may also clean up.
  EXPECT_LE(looks, 2 * (tenths + 3)) << messages << " messages";
  EXPECT_FALSE(wanting.done());
  EXPECT_TRUE(lease->held());
}

TEST_P(WakeUpTest, AFloodOfForgedCallsMakesNobodySpin) {  // T27
  flood([](const std::string& ticket) { return "0 " + ticket; });
}

TEST_P(WakeUpTest, AFloodOfForgedCallsForLaterMakesNobodySpin) {  // T27
  flood([](const std::string& ticket) { return "1 " + ticket; });
}

TEST_P(WakeUpTest, AFloodOfMessagesForNobodyMakesNobodyLook) {  // T27
  flood([](const std::string&) { return std::string("0 nobody#1#"); });
}

TEST_P(WakeUpTest, AFloodOfMessagesThatAreNoneMakesNobodyLook) {  // T27
  flood([](const std::string&) { return std::string("\r\n*1\r\n"); });
}

}  // namespace
}  // namespace tenure::test
