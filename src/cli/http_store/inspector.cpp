// Shows a Kubernetes or a Consul, and the leases there.
#include <algorithm>
#include <memory>
#include <utility>

#include "cli/doctor/diagnosis.hpp"
#include "cli/doctor/record_finding.hpp"
#include "cli/http_store/http_store.hpp"
#include "cli/http_store/outside.hpp"
#include "cli/lock/lock_answers.hpp"
#include "cli/nodes/chosen_store.hpp"
#include "kubernetes/url.hpp"
#include "redis/grant_text.hpp"
#include "runtime/store/store.hpp"
#include "runtime/wall_clock.hpp"

namespace tenure::cli {

namespace {

constexpr core::Duration patience = std::chrono::seconds(5);

// As a Redis would show it.
redis::FoundKey found_key(const core::KeyState& state) {
  redis::FoundKey key;
  if (!state.exists()) return key;
  key.left = state.left.value_or(core::Ttl(-1));
  key.value = state.grant ? redis::value(*state.grant, state.holder->token) : state.holder->owner;
  if (key.value.empty()) key.value = "?";
  return key;
}

class HttpStoreInspector : public NodeInspector {
 public:
  using Store = std::shared_ptr<const runtime::Store>;

  // What keys begin with is for the store to say: here they are names, as Store::name_in() gives them.
  HttpStoreInspector(Store store, std::unique_ptr<const Outside> outside, std::string how_to_init)
      : NodeInspector({store->names(), store->terms(), "", std::move(how_to_init)}),
        store_(std::move(store)),
        outside_(std::move(outside)) {}

  Diagnosis diagnose(const std::string& /*lock_prefix*/, core::Duration node_timeout) const override {
    Diagnosis result{.kind = outside_->kind(), .how_to_init = how_to_init()};
    NodeShown& node = result.nodes.emplace_back();
    node.name = node.place = names().front();
    const auto round_trip = store_->ping(patience).front();
    auto said = round_trip ? outside_->said(patience) : tl::unexpected(round_trip.error());
    auto record = said ? outside_->record(patience) : tl::unexpected(said.error());
    if (!record) {
      node.down = record.error();
      return result;
    }
    node.version = said->version;
    node.role = said->role;
    node.round_trip = *round_trip;
    std::vector<Finding> findings = std::move(said->findings);
    if (auto closed = closed_finding(*record)) findings.push_back(std::move(*closed));
    if (*round_trip > node_timeout) {
      findings.push_back({Severity::warning,
                          "slow",
                          {},
                          "it answers later than clients wait for it",
                          "a renewal that comes too late is a lost lease",
                          "give a longer --ttl, or ask why it is slow"});
    }
    if (!outside_->record_name().empty()) node.record = std::move(*record);
    result.add(0, std::move(findings));
    result.conclude();
    return result;
  }

  AllLeases all_leases(const std::string& lock_prefix, ShowSessions sessions) const override {
    return leases_of_all({held()}, "", lock_prefix, sessions);
  }
  Looked leases_under(const std::string& key_prefix) const override {
    auto all = held();
    if (all) std::erase_if(*all, [&](const auto& it) { return !it.first.starts_with(key_prefix); });
    return cli::leases_under({std::move(all)}, key_prefix);
  }

  LeasesLooked leases(const std::string& key_prefix, const std::vector<std::string>& wanted) const override {
    const KeysShown shown{held()};
    LeasesLooked looked{{}, runtime::failures_in(shown)};
    for (const auto& name : wanted)
      looked.leases.push_back(view_of(name, shown_for(shown, key_prefix + name)));
    return looked;
  }

  Looked lease(const std::string& key_prefix, const std::string& name) const override {
    const KeysShown shown{look({{key_prefix, name}})};
    Looked looked{{}, runtime::failures_in(shown)};
    looked.locks.push_back(view_of(name, shown_for(shown, key_prefix + name)));
    return looked;
  }

  // There are no sessions. What another program has is somebody's: nothing else is kept there.
  Looked leases_of(const LeaseTarget& target, const std::string& name) const override {
    const KeysShown shown{look({{target.lock_prefix, name}, {"", name}})};
    Looked looked = leases_of_name(shown, {target.lock_prefix + name, name}, "", target.lock_prefix);
    LockView election = view_of(LeaseName{name, LeaseKind::election}, shown_for(shown, name));
    const auto is_taken = [](const LockView& it) { return it.taken(); };
    if (election.state == LockState::foreign && std::ranges::none_of(looked.locks, is_taken)) {
      looked.locks = {std::move(election)};
    }
    return looked;
  }

 private:
  using Answer = tl::expected<ByKey, core::Failure>;
  struct Name {
    std::string prefix;
    std::string name;
  };

  Answer held() const {
    return outside_->held(patience).map([](const auto& states) {
      ByKey keys;
      for (const auto& [name, state] : states) keys[name] = found_key(state);
      return keys;
    });
  }

  Answer look(const std::vector<Name>& wanted) const {
    ByKey keys;
    for (const Name& it : wanted) {
      const auto key = store_->lock_key(it.prefix, it.name);
      if (!key) continue;  // nothing can be kept for it
      auto state = store_->look(*key, patience).front();
      if (!state) return tl::unexpected(std::move(state.error()));
      if (state->exists()) keys[it.prefix + it.name] = found_key(*state);
    }
    return keys;
  }

  std::optional<Finding> closed_finding(const core::FoundRecord& record) const {
    const std::string name = outside_->record_name();
    if (name.empty()) return std::nullopt;
    return finding_on({record, terms(), name, init_hint(terms(), how_to_init())}, runtime::wall_now_ms());
  }

  NodesClosed look_at_records(core::Duration how_long) const override {
    if (const auto up = store_->ping(how_long).front(); !up) return {tl::unexpected(up.error())};
    auto record = outside_->record(how_long);
    if (!record) return {tl::unexpected(std::move(record.error()))};
    auto finding = closed_finding(*record);
    if (!finding) return {std::optional<ClosedNode>()};
    return {std::optional(
        closed_by(names().front(), std::move(*finding), *record, {terms(), runtime::wall_now_ms()}))};
  }

  Store store_;
  std::unique_ptr<const Outside> outside_;
};

}  // namespace

Outsider outside_of(const ClientOptions& options) {
  return kubernetes::is_url(options.nodes.front()) ? kubernetes_outside(options) : consul_outside(options);
}

}  // namespace tenure::cli

void tenure_inspect_http_store(
    const tenure::ClientOptions& options, const std::shared_ptr<const tenure::runtime::Store>& store,
    tl::expected<std::shared_ptr<const tenure::cli::NodeInspector>, std::string>& inspector) {
  auto outside = tenure::cli::outside_of(options);
  if (!outside) {
    inspector = tl::unexpected(std::move(outside.error()));
    return;
  }
  inspector = std::make_shared<const tenure::cli::HttpStoreInspector>(store, std::move(*outside),
                                                                      tenure::cli::how_to_init(options));
}
