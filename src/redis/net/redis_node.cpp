#include "redis/net/redis_node.hpp"

#include <utility>

#include "redis/grant_text.hpp"
#include "redis/net/cluster_node.hpp"
#include "redis/net/link.hpp"
#include "redis/net/subscriber.hpp"
#include "runtime/instance_id.hpp"
#include "runtime/wall_clock.hpp"

namespace tenure::redis {

namespace {

class RedisNode : public runtime::Node {
 public:
  enum class Kind : std::uint8_t { leases, only_data };

  RedisNode(Address address, Keyspace keyspace, runtime::Tls tls, Kind kind)
      : address_(std::move(address)),
        keyspace_(std::move(keyspace)),
        tls_(std::move(tls)),
        kind_(kind),
        random_(runtime::random_from_kernel()) {}

  std::string name() const override { return to_text(address_); }

  std::string shown(const core::Grant& grant, core::Token token) const override {
    return value(grant, token);
  }

  std::unique_ptr<runtime::Connection> connect(core::NodeIndex node, core::Duration patience) override {
    Conversation::Introduce introduce;
    if (kind_ == Kind::leases) {
      introduce = [this] { return Introduction{random_.hex16(), runtime::wall_now_ms()}; };
    }
    return std::make_unique<Link>(node, address_, keyspace_, std::move(introduce), seen_, tls_, patience);
  }

  std::unique_ptr<runtime::Subscription> wake_ups(const std::string& owner) override {
    const auto read = [](const std::string& text) -> std::optional<runtime::Message> {
      auto wake_up = read_wake_up(text);
      if (!wake_up) return std::nullopt;  // not from a script of ours
      return runtime::WakeUp{std::move(wake_up->ticket), wake_up->after};
    };
    return std::make_unique<Subscriber>(address_, keyspace_.channels() + owner, tls_, read);
  }

  std::unique_ptr<runtime::Subscription> changes(const std::string& fleet) override {
    const auto read = [](const std::string& text) { return read_change(text); };
    return std::make_unique<Subscriber>(address_, Keyspace::changes(fleet), tls_, read);
  }

 private:
  Address address_;
  Keyspace keyspace_;
  runtime::Tls tls_;
  Kind kind_;
  core::Random random_;
  Seen seen_ = Conversation::new_seen();  // by all its connections
};

}  // namespace

std::vector<std::shared_ptr<runtime::Node>> make_nodes(std::span<const Address> addresses,
                                                       const Keyspace& keyspace, const runtime::Tls& tls) {
  std::vector<std::shared_ptr<runtime::Node>> nodes;
  for (const Address& address : addresses) {
    if (address.kind == Address::Kind::cluster) {
      nodes.push_back(make_cluster_node(address, keyspace, tls));
    } else {
      nodes.push_back(std::make_shared<RedisNode>(address, keyspace, tls, RedisNode::Kind::leases));
    }
  }
  return nodes;
}

std::shared_ptr<runtime::Node> make_data_node(const Address& address, const runtime::Tls& tls) {
  return std::make_shared<RedisNode>(address, Keyspace{}, tls, RedisNode::Kind::only_data);
}

}  // namespace tenure::redis
