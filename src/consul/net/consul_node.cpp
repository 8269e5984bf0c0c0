#include "consul/net/consul_node.hpp"

#include <poll.h>

#include <utility>

#include "consul/net/caller.hpp"
#include "consul/net/link.hpp"
#include "consul/net/watcher.hpp"

namespace tenure::consul {

namespace {

// A client that ends takes so long at most.
constexpr core::Duration farewell = std::chrono::milliseconds(200);

// Nobody tells: a Consul keeps no fleets.
class Silence : public runtime::Subscription {
 public:
  void open(core::Time, core::Random&) override {}
  void on_ready(core::Time, core::Random&, std::vector<runtime::Message>&) override {}
  void on_timer(core::Time, core::Random&) override {}
  void close() override {}
  runtime::Awaited awaited() const override { return {}; }
  std::optional<core::Time> wake() const override { return std::nullopt; }
  bool listening() const override { return false; }
};

class ConsulNode : public runtime::Node {
 public:
  explicit ConsulNode(Place place) : shared_(std::make_shared<Shared>(std::move(place))) {}
  ~ConsulNode() override {
    // A session by which something is held must not end before that: it ends by itself.
    if (!shared_->holds_nothing() || shared_->sessions().empty()) return;
    Caller caller(shared_->place(), farewell);
    for (const std::string& id : shared_->sessions()) caller.destroy_session(id);
  }

  std::string name() const override { return shared_->place().address.name(); }
  std::string shown(const core::Grant& grant, core::Token token) const override {
    return std::string(grant.owner()) + " " + std::to_string(token);
  }
  // With the record, and what is deleted on the way.
  core::BatchMax batch_max() const override { return {56}; }
  std::unique_ptr<runtime::Connection> connect(core::NodeIndex node, core::Duration /*patience*/) override {
    return std::make_unique<Link>(node, shared_);
  }
  std::unique_ptr<runtime::Subscription> wake_ups(const std::string& /*owner*/) override {
    return std::make_unique<Watcher>(shared_);
  }
  std::unique_ptr<runtime::Subscription> changes(const std::string& /*fleet*/) override {
    return std::make_unique<Silence>();
  }

 private:
  std::shared_ptr<Shared> shared_;
};

}  // namespace

std::shared_ptr<runtime::Node> make_node(Place place) {
  return std::make_shared<ConsulNode>(std::move(place));
}

}  // namespace tenure::consul
