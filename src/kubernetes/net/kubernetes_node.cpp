#include "kubernetes/net/kubernetes_node.hpp"

#include <chrono>
#include <utility>

#include "kubernetes/net/fleets.hpp"
#include "kubernetes/net/kubernetes_link.hpp"
#include "kubernetes/net/shared.hpp"
#include "kubernetes/net/watcher.hpp"
#include "runtime/boot_clock.hpp"
#include "runtime/wall_clock.hpp"

namespace tenure::kubernetes {

namespace {

// A fleet is refused before anybody would listen for its changes.
class Silence : public runtime::Subscription {
 public:
  void open(core::Time /*now*/, core::Random& /*random*/) override {}
  void on_ready(core::Time /*now*/, core::Random& /*random*/,
                std::vector<runtime::Message>& /*messages*/) override {}
  void on_timer(core::Time /*now*/, core::Random& /*random*/) override {}
  void close() override {}
  runtime::Awaited awaited() const override { return {}; }
  std::optional<core::Time> wake() const override { return std::nullopt; }
  bool listening() const override { return false; }
};

class KubernetesNode : public runtime::Node {
 public:
  KubernetesNode(const Place& place, core::Terms terms)
      : shared_(place),
        // Nobody else has to agree to terms: how long a lease lasts stands in the Lease.
        record_{std::move(terms), "kubernetes", true},
        clock_ahead_(std::chrono::milliseconds(runtime::wall_now_ms()) -
                     runtime::boot_now().time_since_epoch()) {}

  std::string name() const override { return shared_.place.name; }
  std::string shown(const core::Grant& grant, core::Token /*token*/) const override {
    return std::string(grant.owner());
  }
  // One call for each Lease whatever comes together: apart, what goes wrong with one is told of that one.
  core::BatchMax batch_max() const override { return {1}; }
  std::unique_ptr<runtime::Connection> connect(core::NodeIndex node, core::Duration /*patience*/) override {
    return std::make_unique<KubernetesLink>(node, record_, clock_ahead_, shared_);
  }
  // Who holds a Lease is told to everybody who watches it.
  std::unique_ptr<runtime::Subscription> wake_ups(const std::string& /*owner*/) override {
    return std::make_unique<Watcher>(shared_);
  }
  std::unique_ptr<runtime::Subscription> changes(const std::string& /*fleet*/) override {
    return std::make_unique<Silence>();
  }

 private:
  Shared shared_;
  core::Record record_;
  core::Duration clock_ahead_;
};

}  // namespace

std::shared_ptr<runtime::Node> make_node(const Place& place, const core::Terms& terms) {
  return std::make_shared<KubernetesNode>(place, terms);
}

}  // namespace tenure::kubernetes
