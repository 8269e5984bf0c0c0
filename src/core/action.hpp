// What the machines of the core return, and say to each other: effects and notices, and what stays among themselves. Only
// the agent sees all of it.
#pragma once

#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "core/effect.hpp"
#include "core/notice.hpp"
#include "core/outbox.hpp"

namespace tenure::core {

struct Listen {};  // Effects::listen

struct Seen {  // who holds a name that is watched: said at first, and when it changes
  WatchId watch{};
  std::optional<Holder> holder{};
  std::optional<Grant> grant{};  // of that holder, where it can be read
};

struct Unseen {  // too few nodes answer to see who holds it; said once until they do
  WatchId watch{};
  std::vector<NodeFailure> failures{};
};

// For the fleet: the reply to a request of its own.
struct Heard {
  RequestId request{};
  Reply reply;
};

using AnyAction =
    std::variant<Send, Drop, Listen, ClockJumped, Acquired, Refused, Waiting, Renewed, Uncertain, Lost,
                 Released, Seen, Unseen, Elected, TermEnding, TermOverran, TermOver, LeaderChanged,
                 CampaignHindered, ElectionStopped, Heard, SessionTaken, SessionRefused, SessionEnding,
                 SessionEnded, InstancesChanged, SessionsChanged, FleetJoined, FleetHindered, FleetNotOpen,
                 FleetOpen, FleetRefused, FleetStopped>;

template <class T, class Variant>
inline constexpr bool is_alternative = false;
template <class T, class... Alternatives>
inline constexpr bool is_alternative<T, std::variant<Alternatives...>> =
    (std::is_same_v<T, Alternatives> || ...);

// A class of its own, so that copying, moving and destroying it is compiled once, in action.cpp, and not in every file
// that has a list of actions.
class Action : public AnyAction {
 public:
  template <class Alternative>
    requires is_alternative<Alternative, AnyAction>
  Action(Alternative action) : AnyAction(std::in_place_type<Alternative>, std::move(action)) {}
  Action(const Action&);
  Action(Action&&) noexcept;
  Action& operator=(const Action&);
  Action& operator=(Action&&) noexcept;
  ~Action();
};
// A class of its own as well, so that headers need not know what it is a list of.
class Actions : public std::vector<Action> {
 public:
  using std::vector<Action>::vector;
};

// Offers each action to somebody, and then what follows from it, until nothing more does. take(action, more) returns true
// for what concerns nobody else, and adds what follows to more. What is not taken stays in the list.
template <class Take>
void offer(Actions& actions, const Take& take) {
  Actions more;
  // Most are of no concern to most, and stay where they are: a renewal of many leases tells of each.
  auto stays = actions.begin();
  for (auto it = actions.begin(); it != actions.end(); ++it) {
    if (take(*it, more)) continue;
    if (stays != it) *stays = std::move(*it);
    ++stays;
  }
  actions.erase(stays, actions.end());
  while (!more.empty()) {
    Actions told = std::exchange(more, {});
    for (Action& action : told) {
      if (!take(action, more)) actions.push_back(std::move(action));
    }
  }
}

}  // namespace tenure::core
