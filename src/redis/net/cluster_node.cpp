#include "redis/net/cluster_node.hpp"

#include <utility>

#include "redis/cluster/slot.hpp"
#include "redis/grant_text.hpp"
#include "redis/net/cluster_link.hpp"
#include "redis/net/cluster_subscription.hpp"
#include "runtime/instance_id.hpp"
#include "runtime/wall_clock.hpp"

namespace tenure::redis {

namespace {

core::Part part_of_key(std::string_view key) { return slot_of(key); }

class RedisCluster : public runtime::Node {
 public:
  RedisCluster(Address address, Keyspace keyspace, runtime::Tls tls)
      : address_(std::move(address)),
        keyspace_(std::move(keyspace)),
        tls_(std::move(tls)),
        random_(runtime::random_from_kernel()) {}

  std::string name() const override { return to_text(address_); }
  std::string shown(const core::Grant& grant, core::Token token) const override {
    return value(grant, token);
  }
  core::PartOf part_of() const override { return part_of_key; }

  std::unique_ptr<runtime::Connection> connect(core::NodeIndex node, core::Duration patience) override {
    Router::Us us{.greeting = {address_.user, address_.password, 0}, .keyspace = keyspace_, .seen = seen_};
    us.introduce = [this] { return Introduction{random_.hex16(), runtime::wall_now_ms()}; };
    return std::make_unique<ClusterLink>(node, address_, std::move(us), tls_, view_, patience);
  }

  std::unique_ptr<runtime::Subscription> wake_ups(const std::string& owner) override {
    return std::make_unique<ClusterSubscription>(address_, keyspace_.channels() + owner, tls_, view_,
                                                 read_message);
  }

  std::unique_ptr<runtime::Subscription> changes(const std::string& fleet) override {
    const auto read = [](const std::string& text) { return read_change(text); };
    return std::make_unique<ClusterSubscription>(address_, Keyspace::changes(fleet), tls_, view_, read);
  }

 private:
  static std::optional<runtime::Message> read_message(const std::string& text) {
    auto wake_up = read_wake_up(text);
    if (!wake_up) return std::nullopt;  // not from a script of ours
    return runtime::WakeUp{std::move(wake_up->ticket), wake_up->after};
  }

  Address address_;
  Keyspace keyspace_;
  runtime::Tls tls_;
  core::Random random_;
  Seen seen_ = Conversation::new_seen();                            // by all its connections
  SharedView view_ = std::make_shared<SharedView::element_type>();  // by all that it made
};

}  // namespace

std::shared_ptr<runtime::Node> make_cluster_node(const Address& address, const Keyspace& keyspace,
                                                 const runtime::Tls& tls) {
  return std::make_shared<RedisCluster>(address, keyspace, tls);
}

}  // namespace tenure::redis
