// What happens beside the calls.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tenure {

/// What happened to a lease, or to a node; for logs and metrics.
struct Event {
  enum class Kind : std::uint8_t {
    acquired,
    renewed,
    uncertain,  // a renewal failed; it ends as renewed or lost
    lost,
    released,
    clock_jumped,  // a node's clock; its grants do not count for a while
  };
  Kind kind{};
  std::string name{};  // of the lock; for clock_jumped the node
  std::uint64_t token = 0;
  std::string detail{};  // a sentence, where there is more to say
};

std::string_view to_string(Event::Kind kind);

}  // namespace tenure
