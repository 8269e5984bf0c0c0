// A duration that was read from the command line, as the library takes it.
#pragma once

#include <chrono>
#include <optional>

#include "core/base/time.hpp"

namespace tenure::cli {

// Whole milliseconds, which all that people type is.
inline std::optional<std::chrono::milliseconds> whole(std::optional<core::Duration> duration) {
  if (!duration) return std::nullopt;
  return std::chrono::duration_cast<std::chrono::milliseconds>(*duration);
}

}  // namespace tenure::cli
