#include "core/lease/view.hpp"

#include <algorithm>
#include <functional>
#include <map>

namespace tenure::core {

namespace {

// Is this a lease that somebody holds? Not one that is kept for a waiter, broken, or written by others.
bool is_held(const Sight& sight, const Holder& holder) {
  return sight.left > Ttl::zero() && holder.token != 0 && !holder.waits &&
         !holder.owner.starts_with(broken_by);
}

}  // namespace

std::vector<const Sight*> sights_of(const std::vector<std::optional<Sights>>& answers, std::size_t name) {
  std::vector<const Sight*> sights;
  for (const auto& answer : answers) sights.push_back(answer ? &(*answer)[name] : nullptr);
  return sights;
}

View view_of(const std::vector<const Sight*>& nodes) {
  const std::size_t quorum = quorum_of(nodes.size());
  // By value: on a majority its token is that of a confirmed grant.
  std::map<std::string, std::vector<Ttl>> shown;
  std::size_t silent = 0;
  View view;
  for (const Sight* sight : nodes) {
    if (sight == nullptr) {
      silent += 1;
      continue;
    }
    view.waiters = std::max(view.waiters, sight->waiters);
    if (is_held(*sight, read_holder(sight->value))) {
      shown[sight->value].push_back(sight->left);
    } else if (sight->exists()) {
      view.stirs = true;
    }
  }
  std::size_t most = 0;
  for (auto& [value, left] : shown) {
    most = std::max(most, left.size());
    if (left.size() < quorum) {
      view.stirs = true;
      continue;
    }
    std::ranges::sort(left, std::greater<>());
    view.holder = read_holder(value);
    view.value = value;
    view.left = left[quorum - 1];
    view.decided = true;
  }
  view.decided = view.decided || most + silent < quorum;
  return view;
}

}  // namespace tenure::core
