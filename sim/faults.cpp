#include "sim/faults.hpp"

#include <algorithm>

namespace tenure::sim {

std::optional<Faults> read_faults(std::string_view text) {
  Faults faults;
  if (text == "none") return faults;
  if (text == "all") return faults.set();
  while (true) {
    const auto comma = text.find(',');
    const auto found = std::ranges::find(fault_names, text.substr(0, comma));
    if (found == fault_names.end()) return std::nullopt;
    faults.set(static_cast<std::size_t>(found - fault_names.begin()));
    if (comma == std::string_view::npos) return faults;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace tenure::sim
