#include "sim/world/faults.hpp"

#include <algorithm>

namespace tenure::sim {

std::optional<Faults> read_faults(std::string_view text) {
  Faults faults;
  if (text == "none") return faults;
  while (true) {
    const auto comma = text.find(',');
    const auto name = text.substr(0, comma);
    const auto found = std::ranges::find(fault_names, name);
    if (name == "all") {
      for (std::size_t fault = 0; fault < faults_within_assumptions; ++fault) faults.set(fault);
    } else if (found != fault_names.end()) {
      faults.set(static_cast<std::size_t>(found - fault_names.begin()));
    } else {
      return std::nullopt;
    }
    if (comma == std::string_view::npos) return faults;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace tenure::sim
