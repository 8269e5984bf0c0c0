// Stop callbacks on Lease::lost() that block: they delay nobody else's loss. G5.
#include <atomic>
#include <deque>
#include <future>

#include "integration/api.hpp"
#include "support/polls.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;

// Callbacks wait in it until it is opened.
class Gate {
 public:
  ~Gate() { open(); }
  void pass() {
    arrived_ += 1;
    opened_.wait();
  }
  void open() {
    if (!is_open_.exchange(true)) opener_.set_value();
  }
  std::size_t arrived() const { return arrived_; }

 private:
  std::promise<void> opener_;
  std::shared_future<void> opened_ = opener_.get_future().share();
  std::atomic<bool> is_open_ = false;
  std::atomic<std::size_t> arrived_ = 0;
};

class BlockingCallbacksTest : public testing::TestWithParam<std::size_t> {
 protected:
  Nodes nodes{1};
  const Client client = open(nodes);
};

INSTANTIATE_TEST_SUITE_P(Callbacks, BlockingCallbacksTest, testing::Values(16, 64, 200),
                         testing::PrintToStringParamName());

TEST_P(BlockingCallbacksTest, DelayTheLossOfNoOtherLease) {
  Gate gate;
  const auto block = [&] { gate.pass(); };
  std::vector<Lease> leases;
  std::deque<std::stop_callback<decltype(block)>> callbacks;
  for (std::size_t i = 0; i < GetParam(); ++i) {
    auto lease = client.lock("blocked-" + std::to_string(i)).try_acquire();
    ASSERT_TRUE(lease) << lease.error().message;
    callbacks.emplace_back(lease->lost(), block);
    leases.push_back(std::move(*lease));
  }
  const auto other = client.lock("other", {.ttl = 4s, .grace = 1500ms}).try_acquire();
  ASSERT_TRUE(other) << other.error().message;
  std::promise<bool> told;
  const std::stop_callback on_lost(other->lost(), [&] { told.set_value(other->held()); });
  // Goes first, so that whatever fails, no callback is left waiting.
  const struct Opener {
    Gate& gate;
    ~Opener() { gate.open(); }
  } opener{gate};

  for (auto& lease : leases) {
    nodes[0].command({"DEL", "redlock:" + lease.name()});
    EXPECT_EQ(lease.extend().error().code, Refusal::Code::lost);
    EXPECT_FALSE(lease.held()) << lease.name();
  }
  EXPECT_TRUE(wait_until([&] { return gate.arrived() == GetParam(); })) << gate.arrived() << " were called";
  // From now on the other is renewed no more.
  nodes[0].kill();
  auto held_when_told = told.get_future();
  EXPECT_EQ(held_when_told.wait_for(20s), std::future_status::ready) << "it was never told";
  gate.open();
  EXPECT_TRUE(held_when_told.get()) << "it was told after its deadline";
}

TEST_P(BlockingCallbacksTest, LeaveAClientThatLosesAndSignalsAsBefore) {
  {
    Gate gate;
    const auto block = [&] { gate.pass(); };
    std::deque<std::stop_callback<decltype(block)>> callbacks;
    std::vector<Lease> leases;
    for (std::size_t i = 0; i < GetParam(); ++i) {
      leases.push_back(client.lock("blocked-" + std::to_string(i)).try_acquire().value());
      callbacks.emplace_back(leases.back().lost(), block);
      nodes[0].command({"DEL", "redlock:" + leases.back().name()});
      EXPECT_FALSE(leases.back().extend());
    }
    EXPECT_TRUE(wait_until([&] { return gate.arrived() == GetParam(); })) << gate.arrived() << " were called";
    gate.open();
  }
  for (int i = 0; i < 3; ++i) {
    auto lease = client.lock("next").try_acquire().value();
    std::promise<void> told;
    const std::stop_callback on_lost(lease.lost(), [&] { told.set_value(); });
    nodes[0].command({"DEL", "redlock:next"});
    EXPECT_FALSE(lease.extend());
    EXPECT_EQ(told.get_future().wait_for(20s), std::future_status::ready);
  }
}

// The same for the token that a poll gets.
TEST(BlockingCallbacks, OfOnePollDelayTheAbortOfNoOther) {
  Gate gate;
  std::atomic<int> polling = 0;
  CallbackPoll work{.call = [&](const Session& session, const auto&, const std::stop_token& stop) {
    const std::stop_callback on_stop(stop, [&] {
      if (session.id == "blocked") gate.pass();
    });
    polling += 1;
    wait_until([&] { return stop.stop_requested(); }, 30s);
    return PollOutcome{.ok = true};
  }};
  Polls polls(work);
  const auto blocked = polls.begin("blocked", "");
  const auto other = polls.begin("other", "");
  ASSERT_TRUE(wait_until([&] { return polling == 2; }));
  auto aborted = std::async(std::launch::async, [&] {
    polls.abort(blocked, {});
    polls.abort(other, {});
  });
  EXPECT_TRUE(wait_until([&] { return polls.ended(other).has_value(); }));
  EXPECT_FALSE(polls.ended(blocked)) << "its callback blocks it, as it was meant to";
  gate.open();
  EXPECT_EQ(polls.end(blocked).how, poll::PollEnd::How::aborted);
}

}  // namespace
}  // namespace tenure::test
