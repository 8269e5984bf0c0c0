// Stops the program where an invariant is broken; on in every build, because a lock that goes on
// after a broken invariant is worse than none.
#pragma once

#include <source_location>
#include <string_view>

namespace tenure::core {

[[noreturn]] void broken(std::string_view what, std::source_location where);

inline void must(bool holds, std::string_view what,
                 std::source_location where = std::source_location::current()) {
  if (!holds) [[unlikely]]
    broken(what, where);
}

}  // namespace tenure::core
