#include "cli/fleet/fleet_view.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "cli/natural_order.hpp"
#include "core/base/check.hpp"

namespace tenure::cli {

namespace {

InstanceView instance_of(const FleetFacts::Beat& beat, std::int64_t now_ms) {
  InstanceView view{.id = beat.instance, .status = "unreadable", .left = beat.left};
  const auto& said = beat.said;
  if (!said) return view;
  view.status = said->status;
  view.started_ms = said->started_ms;
  // Its clock may be ahead of ours.
  view.age_ms = std::max<std::int64_t>(0, now_ms - said->started_ms);
  view.weight = said->weight;
  view.says_owned = said->owned;
  return view;
}

std::optional<Balance> balance_of(std::vector<InstanceView>& instances, std::size_t sessions) {
  double weights = 0;
  for (const auto& it : instances) weights += it.ready() ? it.weight : 0;
  if (weights == 0) return std::nullopt;
  Balance balance{.most = 0, .fewest = HUGE_VAL};
  for (auto& it : instances) {
    if (!it.ready()) continue;
    it.share = static_cast<double>(sessions) * it.weight / weights;
    balance.most = std::max(balance.most, it.per_weight());
    balance.fewest = std::min(balance.fewest, it.per_weight());
    if (std::abs(static_cast<double>(it.owned) - it.share) >= 1) balance.within_one = false;
  }
  return balance;
}

}  // namespace

FleetView view_of(FleetFacts facts) {
  auto& good = facts.sessions.good;
  core::must(facts.leases.size() == good.size() && facts.results.size() == good.size(),
             "every session has a lease and a result, if empty ones");
  FleetView view{.now_ms = facts.now_ms,
                 .bad = std::move(facts.sessions.bad),
                 .closed = std::move(facts.closed),
                 .open = facts.open};
  std::map<std::string, InstanceView, NaturalLess> instances;
  for (const auto& beat : facts.beats) instances[beat.instance] = instance_of(beat, facts.now_ms);
  const auto count = [&](const LeaseView& lease) {
    const std::string& owner = lease.holder.owner;
    auto& instance =
        instances.try_emplace(owner, InstanceView{.id = owner, .status = "silent"}).first->second;
    instance.owned += 1;
    view.owned += 1;
  };
  for (const auto& lease : facts.unlisted) {
    if (!lease.holds()) continue;
    count(lease);
    view.unlisted += 1;
  }
  view.sessions.reserve(good.size());
  for (std::size_t i = 0; i < good.size(); ++i) {
    SessionView session{std::move(good[i]), std::move(facts.leases[i]), std::move(facts.results[i])};
    if (session.lease.holds()) count(session.lease);
    view.paused += session.session.paused ? 1 : 0;
    view.nobody += session.nobody() ? 1 : 0;
    view.failing += session.failing() ? 1 : 0;
    view.sessions.push_back(std::move(session));
  }
  std::ranges::sort(view.sessions, NaturalLess{},
                    [](const SessionView& it) -> std::string_view { return it.session.id; });
  std::ranges::sort(view.bad, NaturalLess{}, [](const BadSession& it) -> std::string_view { return it.id; });
  for (auto& [id, instance] : instances) view.instances.push_back(std::move(instance));
  view.balance = balance_of(view.instances, view.sessions.size() - view.paused + view.unlisted);
  return view;
}

}  // namespace tenure::cli
