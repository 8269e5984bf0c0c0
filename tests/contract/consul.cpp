// A Consul of its own for this suite, of one agent that keeps all in memory.
#include "consul/net/caller.hpp"
#include "consul/net/consul_node.hpp"
#include "consul/net/consul_store.hpp"
#include "contract/real_stores.hpp"
#include "support/stores/consul_server.hpp"

namespace tenure::test {

namespace {

class Consul : public Store {
 public:
  Consul() {
    if (gone_) server().restart();
    gone_ = false;
    // Keys of this suite have no prefix by which tests could be told apart.
    server().request("DELETE", "/v1/kv/?recurse");
    consul::Caller caller(place_of(terms()), std::chrono::seconds(10));
    EXPECT_TRUE(caller.init().value());
  }
  std::shared_ptr<runtime::Node> node() override { return node_of(terms()); }
  std::shared_ptr<runtime::Node> node_of(const core::Terms& terms) override {
    return consul::make_node(place_of(terms));
  }
  std::shared_ptr<const runtime::Store> open() override { return consul::store_of(place_of(terms())); }
  std::optional<LockName> own_name() override { return LockName{"redlock:", ".elect/leader"}; }
  void lose_everything() override { server().restart(); }
  void go_away() override {
    server().kill();
    gone_ = true;
  }

 private:
  static ConsulServer& server() { return shared_consul(); }
  static consul::Place place_of(const core::Terms& terms) {
    ClientOptions options{.nodes = {server().url("contract")}, .ttl_max = terms.cap};
    consul::Place place = consul::place_of(options, [](const char*) { return std::nullopt; }).value();
    place.terms = terms;
    // Names are the same from test to test, and would stay closed from one to the next.
    place.address.lock_delay = "0s";
    return place;
  }

  static inline bool gone_ = false;
};

}  // namespace

StoreKind consul_kind() {
  return {"Consul",
          []() -> std::unique_ptr<Store> { return std::make_unique<Consul>(); },
          {.queues = false,
           .keeps_fleets = false,
           .names_fleets = false,
           .proposes = false,
           .confirms = false,
           .in_order = false,
           .shortest = core::Ttl(10'000),
           // Twice the TTL, and what Consul takes for that.
           .ends_within = core::Ttl(25'000)}};
}

}  // namespace tenure::test
