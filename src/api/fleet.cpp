#include "tenure/fleet.hpp"

#include <algorithm>

#include "api/context.hpp"
#include "core/base/duration_reader.hpp"
#include "core/base/names.hpp"
#include "core/base/text.hpp"
#include "core/lease/access.hpp"
#include "runtime/engine/membership.hpp"
#include "runtime/text/refusal_text.hpp"
#include "runtime/wall_clock.hpp"
#include "tenure/client.hpp"

namespace tenure {

namespace {

// A fleet over the leases of a client.
class LeasedFleet : public Fleet {
 public:
  // The node is that of the data, for people.
  LeasedFleet(std::shared_ptr<detail::Context> context, std::string name, FleetData data, std::string node,
              std::shared_ptr<runtime::Membership> membership)
      : context_(std::move(context)),
        name_(std::move(name)),
        data_(std::move(data)),
        node_(std::move(node)),
        membership_(std::move(membership)) {}
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
  tl::expected<void, Refusal> stop(const std::stop_token& give_up) override {
    if (membership_->stop(give_up)) return {};
    return tl::unexpected(detail::still_stopping("the fleet " + name_, give_up));
  }
  void share(std::vector<std::string> sessions) override { membership_->share(std::move(sessions)); }
  void ended(const std::string& session, std::uint64_t token) override { membership_->ended(session, token); }

  tl::expected<SessionLease, Refusal> try_acquire(const std::string& session) override {
    if (auto error = core::name_error("the session", session)) return tl::unexpected(detail::usage(*error));
    auto lease = membership_->take(session);
    if (!lease) return tl::unexpected(explained(std::move(lease.error()), session));
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
  std::string prefix() const override { return context_->prefix; }
  FleetData data() const override { return data_; }

 private:
  Refusal explained(const runtime::NotJoined& why) const {
    if (why.taken) {
      const auto& left = why.taken->left;
      Refusal refusal{
          Refusal::Code::held,
          "an instance with the id " + context_->id + " lives already in the fleet " + name_ +
              "; give this one another id" +
              (left ? ", or wait until the heartbeat of that one runs out in " + runtime::left_text(*left)
                    : ": the heartbeat of that one has no expiry")};
      refusal.holder = Holder{context_->id, 0, left};
      return refusal;
    }
    if (why.failure) {
      Refusal refusal{Refusal::Code::no_quorum,
                      "the fleet " + name_ + " cannot be joined: " + node_ + ": " + why.failure->detail};
      refusal.failed = {{node_, why.failure->detail}};
      refusal.denied = core::denies_access(*why.failure);
      return refusal;
    }
    return explained(*why.why);
  }
  Refusal explained(runtime::NotTaken why, const std::string& session) const {
    if (why.refusal) return detail::refusal(std::move(*why.refusal), session, *context_);
    if (why.ours) {
      const auto left = std::chrono::floor<std::chrono::milliseconds>(why.ours->deadline - BootClock::now());
      Refusal refusal{Refusal::Code::held,
                      session + " is this instance's own (token " + std::to_string(why.ours->token) +
                          "), and nothing new may begin: its work is to end, or its renewal has failed"};
      refusal.holder = Holder{context_->id, why.ours->token, std::max(left, std::chrono::milliseconds(0))};
      return refusal;
    }
    if (context_->client.closed()) return explained(runtime::NotJoined::Why::closed);
    return detail::usage("the fleet " + name_ + " does not run: start it first");
  }
  Refusal explained(runtime::NotJoined::Why why) const {
    using Why = runtime::NotJoined::Why;
    switch (why) {
      case Why::still_stopping:
        return detail::usage("the fleet " + name_ + " is still being stopped");
      case Why::stopped:
        return {Refusal::Code::cancelled, "the fleet " + name_ + " was stopped before it was joined"};
      case Why::closed:
        return {Refusal::Code::closed, "the client is closed"};
      case Why::no_thread:
        return {Refusal::Code::system,
                "this machine refuses: there is no thread for the handler of the fleet " + name_};
      case Why::other_fleet:
        break;
    }
    return detail::usage("this client takes part in a fleet already: one client, one fleet");
  }

  std::shared_ptr<detail::Context> context_;
  std::string name_;
  FleetData data_;
  std::string node_;
  std::shared_ptr<runtime::Membership> membership_;
};

}  // namespace

tl::expected<std::unique_ptr<Fleet>, Refusal> Client::fleet(std::string name,
                                                            const FleetOptions& options) const {
  const auto refuse = [](std::string why) { return tl::unexpected(detail::usage(std::move(why))); };
  auto keys = context_->store->fleet_keys(name);
  if (!keys) return refuse(std::move(keys.error()));
  if (options.weight == 0 || options.weight > core::weight_max)
    return refuse("a weight of " + std::to_string(options.weight) + " is not between 1 and " +
                  std::to_string(core::weight_max));
  core::DurationReader reader;
  core::TimingOptions lengths =
      core::timing_options(reader.read("ttl", options.ttl), context_->store->terms().cap);
  lengths.renew = reader.read("renew", options.renew);
  lengths.grace = reader.read("grace", options.grace);
  lengths.node_timeout = reader.read("node_timeout", options.node_timeout);
  if (reader.error()) return refuse(*reader.error());
  const auto timing = core::make_timing(lengths);
  if (!timing) return refuse(timing.error());

  auto place = context_->store->fleet_data(options.data, options.data_tls);
  if (!place) return refuse(std::move(place.error()));
  core::FleetPlan plan{.prefix = std::move(*keys),
                       .timing = *timing,
                       .weight = options.weight,
                       .started_ms = runtime::wall_now_ms()};
  auto describe = [store = context_->store](const auto& refusal, auto opens_in) {
    auto [text, why] = store->not_open_text(refusal, runtime::Patience::waits, opens_in);
    return FleetEvent{.kind = FleetEvent::Kind::not_open, .detail = std::move(text), .not_open = why};
  };
  std::string node = place->node ? place->node->name() : context_->store->names().front();
  auto membership = context_->client.membership(std::move(plan), std::move(place->node), std::move(describe));
  return std::make_unique<LeasedFleet>(context_, std::move(name), std::move(place->data), std::move(node),
                                       std::move(membership));
}

}  // namespace tenure
