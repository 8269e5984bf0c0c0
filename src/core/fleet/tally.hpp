// How many sessions somebody owns, and a digest of which: two that own the same have the same tally, in whatever order
// the sessions came.
#pragma once

#include <cstdint>

#include "core/fleet/rendezvous.hpp"

namespace tenure::core {

struct Tally {
  std::uint64_t count = 0;
  std::uint64_t digest = 0;

  void add(SessionHash session) {
    count += 1;
    digest += mixed(session);
  }
  void remove(SessionHash session) {
    count -= 1;
    digest -= mixed(session);
  }

  bool operator==(const Tally&) const = default;
};

}  // namespace tenure::core
