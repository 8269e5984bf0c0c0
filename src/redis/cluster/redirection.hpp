// What a node of a Redis Cluster says instead of doing what it was asked: who serves the slot, or that nobody does now.
// Nothing was done where it is said.
#pragma once

#include <cstdint>
#include <optional>

#include "redis/cluster/slot.hpp"
#include "redis/url.hpp"
#include "redis/value.hpp"

namespace tenure::redis {

struct Redirection {
  enum class Kind : std::uint8_t {
    moved,      // the slot is served there from now on
    ask,        // the slot is on its way there: this one request is served there, behind ASKING
    try_again,  // of these keys some have gone to another node already, others have not
    down,       // nobody serves the slot, or the Cluster serves nothing, now
  };

  Kind kind = Kind::down;
  Slot slot = 0;  // of moved and ask; the others do not say
  HostPort to{};  // of moved and ask; an empty host is the one that was asked, with this port

  bool operator==(const Redirection&) const = default;
};

// Returns nullopt if it is no redirection, or one that makes no sense.
std::optional<Redirection> read_redirection(const Value& answer);

}  // namespace tenure::redis
