#include "cli/lock/lock_answers.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "cli/natural_order.hpp"

namespace tenure::cli {

namespace {

// Whatever stands under the prefix of locks is in the way of one. Elsewhere only what Tenure wrote is a lease.
bool is_ours(const LockView& view) {
  return view.kind == LeaseKind::lock || view.holder.token != 0 || view.holder.waits;
}

}  // namespace

FoundKeys shown_for(const KeysShown& answers, const std::string& key) {
  FoundKeys shown;
  for (const auto& answer : answers) {
    if (!answer) {
      shown.emplace_back();
      continue;
    }
    const auto found = answer->find(key);
    shown.emplace_back(found == answer->end() ? redis::FoundKey{} : found->second);
  }
  return shown;
}

AllLeases leases_of_all(const KeysShown& answers, const std::string& root, const std::string& lock_prefix,
                        ShowSessions sessions) {
  std::set<std::string_view> all;
  AllLeases leases{.looked = {{}, runtime::failures_in(answers)}};
  for (const auto& answer : answers) {
    if (!answer) continue;
    for (const auto& [key, shown] : *answer) all.insert(key);
  }
  struct Count {
    std::size_t sessions = 0;
    std::set<std::string> owners{};
  };
  std::map<std::string, Count, NaturalLess> fleets;
  for (const auto& key : all) {
    const std::string name(key.substr(root.size()));
    auto view = view_of(lease_name(name, lock_prefix), shown_for(answers, std::string(key)));
    if (!is_ours(view)) continue;
    if (view.kind == LeaseKind::session && view.holds()) {
      auto& count = fleets[view.fleet];
      count.sessions += 1;
      count.owners.insert(view.holder.owner);
    }
    if (view.kind != LeaseKind::session || sessions == ShowSessions::listed) {
      leases.looked.locks.push_back(std::move(view));
    }
  }
  std::ranges::sort(leases.looked.locks, [](const LockView& one, const LockView& other) {
    const auto order = natural_order(one.name, other.name);
    return order != 0 ? order < 0 : std::tie(one.kind, one.fleet) < std::tie(other.kind, other.fleet);
  });
  for (const auto& [fleet, count] : fleets) {
    leases.fleets.push_back({fleet, count.sessions, count.owners.size()});
  }
  return leases;
}

Looked leases_under(const KeysShown& answers, const std::string& key_prefix) {
  std::set<std::string_view> all;
  for (const auto& answer : answers) {
    if (!answer) continue;
    for (const auto& [key, shown] : *answer) all.insert(key);
  }
  Looked looked{{}, runtime::failures_in(answers)};
  for (const std::string_view key : all) {
    looked.locks.push_back(
        view_of(std::string(key.substr(key_prefix.size())), shown_for(answers, std::string(key))));
  }
  return looked;
}

Looked leases_of_name(const KeysShown& answers, const std::vector<std::string>& keys, const std::string& root,
                      const std::string& lock_prefix) {
  Looked looked{{}, runtime::failures_in(answers)};
  for (const auto& key : keys) {
    auto view = view_of(lease_name(key.substr(root.size()), lock_prefix), shown_for(answers, key));
    if (is_ours(view)) looked.locks.push_back(std::move(view));
  }
  auto& locks = looked.locks;
  if (std::ranges::any_of(locks, &LockView::taken)) {
    std::erase_if(locks, [](const LockView& it) { return !it.taken(); });
    return looked;
  }
  const auto leftover = std::ranges::find_if(locks, [](const auto& it) { return it.shown_on > 0; });
  const auto one = leftover == locks.end() ? locks.begin() : leftover;
  if (one->shown_on == 0) one->kind.reset();
  locks = {std::move(*one)};
  return looked;
}

}  // namespace tenure::cli
