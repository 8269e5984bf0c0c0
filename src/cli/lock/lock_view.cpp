#include "cli/lock/lock_view.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "core/nodes.hpp"
#include "redis/grant_text.hpp"
#include "redis/lock_call.hpp"

namespace tenure::cli {

namespace {

// What the nodes that show the same grant say together.
struct Group {
  std::uint32_t count = 0;
  core::Holder holder{};
  core::Ttl left{-2};

  // A key without an expiry lasts the longest.
  void add(const redis::FoundKey& key) {
    count += 1;
    const auto shown = redis::read_holder(key.value);
    if (count == 1 || shown.token > holder.token) holder = shown;
    left = left == core::Ttl(-1) || key.left == core::Ttl(-1) ? core::Ttl(-1) : std::max(left, key.left);
  }
};

LockState state_of(const Group& group, std::size_t silent, std::size_t quorum) {
  if (group.count + silent < quorum) return LockState::free;
  if (group.holder.waits) return LockState::kept;
  if (group.holder.token == 0) return LockState::foreign;
  if (group.holder.owner.starts_with(core::broken_by)) return LockState::broken;
  return group.count < quorum ? LockState::perhaps : LockState::held;
}

}  // namespace

const char* word_for(LockState state) {
  switch (state) {
    case LockState::held:
      return "held";
    case LockState::perhaps:
      return "perhaps";
    case LockState::kept:
      return "kept";
    case LockState::broken:
      return "broken";
    case LockState::foreign:
      return "foreign";
    case LockState::free:
      break;
  }
  return "free";
}

LockView view_of(std::string name, FoundKeys nodes) {
  LockView view;
  view.name = std::move(name);
  std::map<std::string, Group> groups;
  std::size_t silent = 0;
  for (const auto& key : nodes) {
    if (!key) {
      silent += 1;
      continue;
    }
    view.waiters = std::max(view.waiters, key->waiters);
    if (key->exists()) groups[redis::grant_in(key->value)].add(*key);
  }
  const auto best = std::ranges::max_element(
      groups, {}, [](const auto& it) { return std::tuple(it.second.count, it.second.holder.token); });
  if (best != groups.end()) {
    const auto& [grant, group] = *best;
    view.grant = grant;
    view.holder = group.holder;
    view.left = group.left;
    view.shown_on = group.count;
    view.state = state_of(group, silent, core::quorum_of(nodes.size()));
  }
  view.nodes_all = static_cast<std::uint32_t>(nodes.size());
  view.nodes = std::move(nodes);
  return view;
}

LockView view_of(LeaseName name, FoundKeys nodes) {
  LockView view = view_of(std::move(name.name), std::move(nodes));
  view.kind = name.kind;
  view.fleet = std::move(name.fleet);
  return view;
}

const char* word_for(LeaseKind kind) {
  switch (kind) {
    case LeaseKind::election:
      return "election";
    case LeaseKind::session:
      return "session";
    case LeaseKind::lock:
      break;
  }
  return "lock";
}

LeaseName lease_name(const std::string& key, const std::string& lock_prefix) {
  constexpr std::string_view mark = ":lease:";
  if (key.starts_with(lock_prefix)) return {key.substr(lock_prefix.size()), LeaseKind::lock};
  const auto at = key.find(mark);
  if (at == std::string::npos || at == 0) return {key, LeaseKind::election};
  return {key.substr(at + mark.size()), LeaseKind::session, key.substr(0, at)};
}

}  // namespace tenure::cli
