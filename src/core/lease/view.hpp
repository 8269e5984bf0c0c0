// What a majority of the nodes shows for one name. It decides nothing about leases; it is for those who want to know.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/message.hpp"

namespace tenure::core {

struct View {
  std::optional<Holder> holder{};  // shown by a majority
  std::optional<Grant> grant{};    // of that holder, where it can be read
  Ttl left{};                      // until it is shown by one no more
  bool decided = false;            // nodes that have not answered cannot change it
  bool stirs = false;              // some node shows something else: it may be about to change hands
  std::int64_t waiters = 0;        // on the node that shows the most
};

// By node; null for one that has not answered.
View view_of(const std::vector<const KeyState*>& nodes);

// What the nodes have said of the name with that number; null where one could not look at it.
std::vector<const KeyState*> states_of(const std::vector<std::optional<KeyStates>>& answers,
                                       std::size_t name);

}  // namespace tenure::core
