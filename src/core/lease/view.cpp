#include "core/lease/view.hpp"

#include <algorithm>
#include <functional>

namespace tenure::core {

namespace {

// Is this a lease that somebody holds? Not one that is kept for a waiter, broken, or written by others.
bool is_held(const KeyState& state) {
  return state.holder && state.left > Ttl::zero() && state.holder->token != 0 && !state.holder->waits &&
         !state.holder->owner.starts_with(broken_by);
}

// The nodes that show the same grant with the same token: on a majority it is that of a confirmed grant.
struct Group {
  const KeyState* state = nullptr;  // of one of them
  std::vector<Ttl> left{};          // by node

  bool shows(const KeyState& other) const {
    return state->holder == other.holder && state->grant == other.grant;
  }
};

}  // namespace

std::vector<const KeyState*> states_of(const std::vector<std::optional<KeyStates>>& answers,
                                       std::size_t name) {
  std::vector<const KeyState*> states;
  for (const auto& answer : answers) {
    const KeyState* state = answer ? &(*answer)[name] : nullptr;
    states.push_back(state != nullptr && state->known ? state : nullptr);
  }
  return states;
}

View view_of(const std::vector<const KeyState*>& nodes) {
  const std::size_t quorum = quorum_of(nodes.size());
  std::vector<Group> groups;
  std::size_t silent = 0;
  View view;
  for (const KeyState* state : nodes) {
    if (state == nullptr) {
      silent += 1;
      continue;
    }
    view.waiters = std::max(view.waiters, state->waiters);
    if (is_held(*state)) {
      auto group = std::ranges::find_if(groups, [&](const Group& it) { return it.shows(*state); });
      if (group == groups.end()) group = groups.insert(group, Group{state});
      group->left.push_back(*state->left);
    } else if (state->exists()) {
      view.stirs = true;
    }
  }
  std::size_t most = 0;
  for (Group& group : groups) {
    most = std::max(most, group.left.size());
    if (group.left.size() < quorum) {
      view.stirs = true;
      continue;
    }
    std::ranges::sort(group.left, std::greater<>());
    view.holder = group.state->holder;
    view.grant = group.state->grant;
    view.left = group.left[quorum - 1];
    view.decided = true;
  }
  view.decided = view.decided || most + silent < quorum;
  return view;
}

}  // namespace tenure::core
