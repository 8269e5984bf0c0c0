// A part in a fleet, over a store in memory: what threads that start, stop and let go do to each other.
#include "runtime/engine/membership.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "runtime/engine/client.hpp"
#include "support/memory_store.hpp"

namespace tenure::runtime {
namespace {

using namespace std::chrono_literals;
using test::MemoryStore;

class AMembership : public testing::Test {
 protected:
  Client client(const std::string& owner) { return client(owner, store.node()); }
  Client client(const std::string& owner, std::shared_ptr<Node> node) {
    ClientOptions options;
    options.nodes = {std::move(node)};
    options.owner = owner;
    options.terms = terms;
    return Client(std::move(options));
  }
  static std::shared_ptr<Membership> membership(const Client& client, const std::string& fleet = "f:") {
    return client.membership({.prefix = fleet, .timing = core::make_timing({}).value()}, nullptr,
                             [](const auto&, auto) { return FleetEvent{}; });
  }
  static bool joins(const std::shared_ptr<Membership>& it) { return it->start(it).has_value(); }

  const core::Terms terms{core::Ttl(60'000), "1"};
  MemoryStore store{terms};
};

// Lets the engine come to what a node has answered when the test says so, and not before.
class Gate {
 public:
  void pass() {
    std::unique_lock lock(mutex_);
    somebody_ = true;
    changed_.notify_all();
    changed_.wait(lock, [this] { return open_; });
  }
  void wait_for_somebody() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return somebody_; });
  }
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool somebody_ = false;
  bool open_ = false;
};

class GatedConnection : public Connection {
 public:
  GatedConnection(std::unique_ptr<Connection> inner, std::shared_ptr<Gate> gate)
      : inner_(std::move(inner)), gate_(std::move(gate)) {}
  void on_ready(core::Time now, News& news) override {
    gate_->pass();
    inner_->on_ready(now, news);
  }
  void ask(core::RequestId id, core::Request request, core::Time now, News& news) override {
    inner_->ask(id, std::move(request), now, news);
  }
  void flush(News& news) override { inner_->flush(news); }
  void drop(const core::Failure& why, News& news) override { inner_->drop(why, news); }
  Awaited awaited() const override { return inner_->awaited(); }
  bool waiting() const override { return inner_->waiting(); }
  bool carries(core::RequestId id) const override { return inner_->carries(id); }

 private:
  std::unique_ptr<Connection> inner_;
  std::shared_ptr<Gate> gate_;  // a thread of the client may be the last that needs it
};

class GatedNode : public Node {
 public:
  GatedNode(std::shared_ptr<Node> inner, std::shared_ptr<Gate> gate)
      : inner_(std::move(inner)), gate_(std::move(gate)) {}
  std::string name() const override { return inner_->name(); }
  std::string shown(const core::Grant& grant, core::Token token) const override {
    return inner_->shown(grant, token);
  }
  std::unique_ptr<Connection> connect(core::NodeIndex node, core::Duration patience) override {
    return std::make_unique<GatedConnection>(inner_->connect(node, patience), gate_);
  }
  std::unique_ptr<Subscription> wake_ups(const std::string& owner) override {
    return inner_->wake_ups(owner);
  }
  std::unique_ptr<Subscription> changes(const std::string& fleet) override { return inner_->changes(fleet); }

 private:
  std::shared_ptr<Node> inner_;
  std::shared_ptr<Gate> gate_;  // a thread of the client may be the last that needs it
};

// One is refused, because another lives under its id. That one leaves, and the next start joins before the first has come to
// clean up behind itself: there is nothing left that is its own.
TEST_F(AMembership, AStartThatIsRefusedStopsNobodyElses) {
  for (int i = 0; i < 10; ++i) {
    const Client other = client("web-1");
    const auto namesake = membership(other);
    ASSERT_TRUE(joins(namesake));
    const auto gate = std::make_shared<Gate>();
    const Client one = client("web-1", std::make_shared<GatedNode>(store.node(), gate));
    const auto it = membership(one);
    std::jthread first([&] {
      // One that wakes up only when the second has joined finds that it takes part.
      const auto joined = it->start(it);
      EXPECT_TRUE(joined || joined.error().taken);
    });
    gate->wait_for_somebody();
    // Holds the first up, and lets the second go before it.
    std::jthread sharer([&] { it->share({"a"}); });
    std::this_thread::sleep_for(10ms);
    std::jthread second([&] { EXPECT_TRUE(joins(it)); });
    std::this_thread::sleep_for(10ms);
    ASSERT_TRUE(namesake->stop());
    gate->open();
    first.join();
    second.join();
    EXPECT_FALSE(it->members().empty()) << "the first has stopped what the second had started";
    it->stop();
  }
}

// Whoever has stopped it, and let it fall silent, has its last handle: what goes with that goes here and now, and not on a
// thread that may outlive main().
TEST_F(AMembership, IsNobodyElsesOnceItIsSilent) {
  for (int i = 0; i < 500; ++i) {
    const Client one = client("web-1");
    const auto it = membership(one);
    ASSERT_TRUE(joins(it));
    ASSERT_TRUE(it->stop());
    it->fall_silent();
    ASSERT_EQ(it.use_count(), 1) << "at the " << i << "th time";
  }
}

// One client, one fleet at a time: while the one ends, the next may begin.
TEST_F(AMembership, TheEndOfOneIsNotThatOfTheNext) {
  const Client one = client("web-1");
  const auto first = membership(one, "f:");
  const auto second = membership(one, "g:");
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(joins(first));
    std::atomic<bool> done = false;
    std::vector<std::jthread> stoppers;
    for (int stopper = 0; stopper < 2; ++stopper) {
      stoppers.emplace_back([&] {
        while (!done) first->stop();
      });
    }
    while (!joins(second)) std::this_thread::yield();
    done = true;
    stoppers.clear();
    ASSERT_FALSE(second->members().empty()) << "another's stop() made it leave";
    ASSERT_TRUE(joins(second)) << "it runs";
    second->stop();
  }
}

}  // namespace
}  // namespace tenure::runtime
