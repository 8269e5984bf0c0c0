// "1 session", "2 sessions".
#pragma once

#include <cstddef>
#include <string>

namespace tenure::cli {

inline std::string plural(std::size_t count, const std::string& word) {
  return std::to_string(count) + " " + word + (count == 1 ? "" : "s");
}

}  // namespace tenure::cli
