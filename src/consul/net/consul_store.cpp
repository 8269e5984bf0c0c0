#include "consul/net/consul_store.hpp"

#include <utility>

#include "consul/net/caller.hpp"
#include "consul/net/consul_node.hpp"
#include "consul/session_text.hpp"
#include "core/base/text.hpp"
#include "runtime/text/not_open_text.hpp"

namespace tenure::consul {

namespace {

std::string no_fleets() {
  return "a Consul keeps no fleets: each beat and each result would be a write to the log of all its "
         "servers; name another store, "
         "a Redis or a PostgreSQL, for the fleet";
}

class ConsulStore : public runtime::Store {
 public:
  explicit ConsulStore(Place place) : Store({place.address.name()}, place.terms), place_(std::move(place)) {}

  std::vector<std::shared_ptr<runtime::Node>> make_nodes() const override { return {make_node(place_)}; }

  tl::expected<std::string, std::string> lock_key(const std::string& prefix,
                                                  const std::string& name) const override {
    return place_.keys.lock(prefix, name);
  }
  std::string name_in(std::string key) const override { return place_.keys.name_in(key); }

  std::optional<std::string> ttl_error(core::Ttl ttl) const override {
    if (ttl > lock_delay_max && ttl <= session_ttl_max && place_.address.lock_delay.empty()) {
      return "a TTL of " + core::to_text(ttl) + " is longer than the longest lock-delay of Consul, " +
             core::to_text(lock_delay_max) +
             ": a session that ended early, as when its agent leaves, would let another one in while the "
             "holder believes; "
             "a shorter TTL, or ?lock-delay=60s in the address where sessions never end early";
    }
    if (ttl >= session_ttl_min && ttl <= session_ttl_max) return std::nullopt;
    return "a TTL of " + core::to_text(ttl) + " is none that a Consul can keep: its sessions last from " +
           core::to_text(session_ttl_min) + " to " + core::to_text(session_ttl_max);
  }

  tl::expected<std::string, std::string> fleet_keys(const std::string& /*fleet*/) const override {
    return tl::unexpected(no_fleets());
  }
  tl::expected<runtime::DataPlace, std::string> fleet_data(const std::string& /*url*/,
                                                           const Tls& /*tls*/) const override {
    return tl::unexpected(no_fleets());
  }

  runtime::NotOpenText not_open_text(const core::Refusal& refusal, runtime::Patience patience,
                                     std::optional<core::Duration> opens_in) const override {
    // That the data went back stands in its record.
    const runtime::RecordWords words{"Consul", "the key " + place_.keys.record(), "restored"};
    return runtime::not_open_text(refusal, *this, words, patience, opens_in);
  }
  std::vector<core::NodeFailure> diagnosed(std::vector<core::NodeFailure> failures) const override {
    return failures;
  }

  runtime::Answers<core::KeyState> look(const std::string& key, core::Duration timeout) const override {
    return {Caller(place_, timeout).look(key)};
  }
  runtime::Answers<core::Duration> ping(core::Duration timeout) const override {
    return {Caller(place_, timeout).ping()};
  }

 private:
  Place place_;
};

}  // namespace

std::shared_ptr<const runtime::Store> store_of(Place place) {
  return std::make_shared<const ConsulStore>(std::move(place));
}

tl::expected<std::shared_ptr<const runtime::Store>, std::string> open_store(const ClientOptions& options) {
  return place_of(options).map([](Place&& place) { return store_of(std::move(place)); });
}

}  // namespace tenure::consul
