#include "tenure/fleet.hpp"

#include <algorithm>

#include "api/context.hpp"
#include "core/base/duration_reader.hpp"
#include "core/base/names.hpp"
#include "core/base/text.hpp"
#include "core/lease/access.hpp"
#include "redis/key_names.hpp"
#include "redis/net/redis_node.hpp"
#include "redis/session_call.hpp"
#include "redis/text/not_open_text.hpp"
#include "redis/text/refusal_text.hpp"
#include "runtime/engine/membership.hpp"
#include "runtime/wall_clock.hpp"
#include "tenure/client.hpp"

namespace tenure {

namespace {

// A fleet over the leases of a client.
class LeasedFleet : public Fleet {
 public:
  LeasedFleet(std::shared_ptr<detail::Context> context, std::string name,
              std::shared_ptr<runtime::Membership> membership)
      : context_(std::move(context)), name_(std::move(name)), membership_(std::move(membership)) {}
  ~LeasedFleet() override {
    membership_->stop();
    membership_->fall_silent();
  }

  void on_event(std::function<void(const FleetEvent&)> handler) override {
    membership_->handler = std::move(handler);
  }

  tl::expected<void, Refusal> start() override {
    const auto joined = membership_->start(membership_);
    if (joined) return {};
    return tl::unexpected(explained(joined.error()));
  }
  void stop() override { membership_->stop(); }
  void share(std::vector<std::string> sessions) override { membership_->share(std::move(sessions)); }
  void ended(const std::string& session, std::uint64_t token) override { membership_->ended(session, token); }

  tl::expected<SessionLease, Refusal> try_acquire(const std::string& session) override {
    if (auto error = core::name_error("the session", session)) return tl::unexpected(detail::usage(*error));
    auto lease = membership_->take(session);
    if (!lease) return tl::unexpected(detail::refusal(lease.error(), session, *context_));
    return std::move(*lease);
  }
  bool release(const std::string& session) override { return membership_->give_back(session); }

  bool is_owned(const std::string& session) const override { return membership_->owned(session); }
  bool is_uncertain(const std::string& session) const override { return membership_->uncertain(session); }
  bool is_owned_strict(const std::string& session) override { return membership_->owned_strictly(session); }
  std::vector<std::string> owned_sessions() const override { return membership_->all_owned(); }
  std::optional<SessionLease> lease_info(const std::string& session) const override {
    return membership_->lease_of(session);
  }
  std::vector<Instance> live_instances() const override {
    std::vector<Instance> instances;
    for (const auto& member : membership_->members())
      instances.push_back({member.id, member.weight, static_cast<std::size_t>(member.owned)});
    return instances;
  }
  std::optional<std::string> preferred_owner(const std::string& session) const override {
    return membership_->preferred(session);
  }
  bool is_preferred_owner(const std::string& session) const override {
    return preferred_owner(session) == context_->id;
  }
  const std::string& instance_id() const override { return context_->id; }
  std::string name() const override { return name_; }
  std::string prefix() const override { return context_->nodes.keyspace.prefix; }

 private:
  Refusal explained(const runtime::NotJoined& why) const {
    if (why.taken) {
      const auto& left = why.taken->left;
      Refusal refusal{
          Refusal::Code::held,
          "an instance with the id " + context_->id + " lives already in the fleet " + name_ +
              "; give this one another id" +
              (left ? ", or wait until the heartbeat of that one runs out in " + redis::left_text(*left)
                    : ": the heartbeat of that one has no expiry")};
      refusal.holder = Refusal::Holder{context_->id, 0, left};
      return refusal;
    }
    if (why.failure) {
      Refusal refusal{Refusal::Code::no_quorum,
                      "the fleet " + name_ + " cannot be joined: " + why.failure->detail};
      refusal.denied = core::denies_access(*why.failure);
      return refusal;
    }
    if (context_->client.closed()) return {Refusal::Code::closed, "the client is closed"};
    return detail::usage("this client takes part in a fleet already: one client, one fleet");
  }

  std::shared_ptr<detail::Context> context_;
  std::string name_;
  std::shared_ptr<runtime::Membership> membership_;
};

}  // namespace

tl::expected<std::unique_ptr<Fleet>, Refusal> Client::fleet(std::string name,
                                                            const FleetOptions& options) const {
  const auto refuse = [](std::string why) { return tl::unexpected(detail::usage(std::move(why))); };
  if (auto error = redis::fleet_error(name, context_->nodes.keyspace)) return refuse(std::move(*error));
  if (options.weight == 0 || options.weight > core::weight_max)
    return refuse("a weight of " + std::to_string(options.weight) + " is not between 1 and " +
                  std::to_string(core::weight_max));
  core::DurationReader reader;
  core::TimingOptions lengths =
      core::timing_options(reader.read("ttl", options.ttl), context_->nodes.keyspace.cap);
  lengths.renew = reader.read("renew", options.renew);
  lengths.grace = reader.read("grace", options.grace);
  lengths.node_timeout = reader.read("node_timeout", options.node_timeout);
  if (reader.error()) return refuse(*reader.error());
  const auto timing = core::make_timing(lengths);
  if (!timing) return refuse(timing.error());

  std::shared_ptr<runtime::Node> data;
  if (!options.data.empty()) {
    const auto addresses = redis::parse_addresses({options.data});
    if (!addresses) return refuse(addresses.error());
    const auto tls = addresses->front().tls ? runtime::Tls::load(options.data_tls) : runtime::Tls();
    if (!tls) return refuse(tls.error());
    data = redis::make_data_node(addresses->front(), *tls);
  }
  const redis::SessionKeys keys{.fleet = name, .root = context_->nodes.keyspace.root()};
  core::FleetPlan plan{.prefix = keys.base(),
                       .timing = *timing,
                       .weight = options.weight,
                       .started_ms = runtime::wall_now_ms()};
  auto describe = [nodes = context_->nodes](const auto& refusal, auto opens_in) {
    return redis::not_open_text(refusal, nodes, redis::Patience::waits, opens_in);
  };
  auto membership = context_->client.membership(std::move(plan), std::move(data), std::move(describe));
  return std::make_unique<LeasedFleet>(context_, std::move(name), std::move(membership));
}

}  // namespace tenure
