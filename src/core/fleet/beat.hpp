// What an instance says of itself with every heartbeat, for people and for other instances.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace tenure::core {

struct Beat {
  std::string boot;             // one that no other process has, not even of the same id
  std::int64_t started_ms = 0;  // unix time; nothing is decided by it
  std::uint32_t weight = 1;     // how much it takes, compared with others
  std::uint64_t owned = 0;      // of the sessions that are shared
  std::uint64_t version = 0;    // of the sessions, as it knows them
  // Of the sessions that it owns (Tally). Earlier versions say none.
  std::optional<std::uint64_t> digest{};

  bool operator==(const Beat&) const = default;
};

inline constexpr std::uint32_t weight_max = 1'000;

}  // namespace tenure::core
