// A watch of holders with all that it works with; for its tests.
#pragma once

#include <gtest/gtest.h>

#include "core/lease/holder_watch.hpp"
#include "unit/core/machine.hpp"

namespace tenure::core {

inline const Holder web_3{"web-3", 5};
inline const Holder web_4{"web-4", 6};

inline KeyState shows(const Holder& holder, std::optional<Ttl> left = 10s) {
  return {holder, Grant(holder.owner, 1), left};
}
inline const KeyState nothing{};

struct Looking : testing::Test {
  HolderWatch watch_{1};
  Desk desk;

  void nodes(std::size_t count) { watch_ = HolderWatch(count); }

  // Every 800 ms, and a node has a second.
  WatchId watch(std::uint64_t number = 1, Time now = at(0s)) {
    watch_.watch(WatchId{number}, "key" + std::to_string(number), 800ms, 1s, now);
    return WatchId{number};
  }
  void on_timer(Time now) { watch_.on_timer(now, desk.out); }
  // Lets time pass to the next wake, and says what time it is then.
  Time wake() {
    const Time now = watch_.wake().value();
    on_timer(now);
    return now;
  }
  void reply(const Send& to, const Reply& answer, Time now) {
    desk.requests.take(to.id);
    watch_.on_reply(to.id, answer, now, desk.out);
  }
  // The requests of a look that begins now, by node.
  std::vector<Send> ask(Time now = at(0s)) {
    on_timer(now);
    return take<Send>();
  }
  // All nodes show the same to a look that begins now.
  void look(const KeyStates& states, Time now) {
    on_timer(now);
    for (const Send& it : take<Send>()) reply(it, states, now);
  }

  // What was told of one kind since the last look, in order; the rest is kept.
  template <class Kind>
  std::vector<Kind> take() {
    std::vector<Kind> found;
    std::erase_if(desk.actions, [&](const Action& action) {
      const auto* it = std::get_if<Kind>(&action);
      if (it != nullptr) found.push_back(*it);
      return it != nullptr;
    });
    return found;
  }
  // Who was seen since the last look, of one name or of several; "nobody" too.
  std::vector<std::string> seen() {
    std::vector<std::string> found;
    for (const Seen& it : take<Seen>()) found.push_back(it.holder ? it.holder->owner : "nobody");
    return found;
  }
  static const std::vector<std::string>& keys(const Send& sent) {
    return std::get<LookRequest>(sent.request).keys;
  }
};

using Names = std::vector<std::string>;

}  // namespace tenure::core
