#include "postgres/net/postgres_node.hpp"

#include <utility>

#include "core/base/random.hpp"
#include "postgres/net/link.hpp"
#include "postgres/net/listener.hpp"
#include "runtime/instance_id.hpp"
#include "runtime/wall_clock.hpp"

namespace tenure::postgres {

namespace {

class PostgresNode : public runtime::Node {
 public:
  enum class Kind : std::uint8_t { leases, only_data };

  PostgresNode(Address address, Keyspace keyspace, Kind kind)
      : address_(std::move(address)),
        keyspace_(std::move(keyspace)),
        kind_(kind),
        random_(runtime::random_from_kernel()) {}

  std::string name() const override { return address_.name; }

  std::string shown(const core::Grant& grant, core::Token token) const override {
    return std::string(grant.owner()) + " " + std::to_string(token);
  }

  std::unique_ptr<runtime::Connection> connect(core::NodeIndex node, core::Duration /*patience*/) override {
    Link::Introduce introduce;
    if (kind_ == Kind::leases) {
      introduce = [this] { return Introduction{random_.hex16(), runtime::wall_now_ms()}; };
    }
    return std::make_unique<Link>(node, address_, keyspace_, std::move(introduce), seen_);
  }

  std::unique_ptr<runtime::Subscription> wake_ups(const std::string& owner) override {
    const auto read = [](const std::string& text) -> std::optional<runtime::Message> {
      auto wake_up = read_wake_up(text);
      if (!wake_up) return std::nullopt;  // not from a function of ours
      return runtime::WakeUp{std::move(wake_up->ticket), wake_up->after};
    };
    return std::make_unique<Listener>(address_, wake_ups_of(keyspace_, owner), read);
  }

  std::unique_ptr<runtime::Subscription> changes(const std::string& fleet) override {
    const auto read = [](const std::string& text) { return read_change(text); };
    return std::make_unique<Listener>(address_, changes_of(fleet), read);
  }

 private:
  Address address_;
  Keyspace keyspace_;
  Kind kind_;
  core::Random random_;
  Seen seen_ = std::make_shared<core::Token>(0);  // by all its connections
};

}  // namespace

std::vector<std::shared_ptr<runtime::Node>> make_nodes(std::span<const Address> addresses,
                                                       const Keyspace& keyspace) {
  std::vector<std::shared_ptr<runtime::Node>> nodes;
  for (const Address& address : addresses) {
    nodes.push_back(std::make_shared<PostgresNode>(address, keyspace, PostgresNode::Kind::leases));
  }
  return nodes;
}

std::shared_ptr<runtime::Node> make_data_node(const Address& address) {
  return std::make_shared<PostgresNode>(address, Keyspace{}, PostgresNode::Kind::only_data);
}

}  // namespace tenure::postgres
