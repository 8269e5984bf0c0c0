#include "cli/endpoint/pulse.hpp"

#include "core/base/text.hpp"

namespace tenure::cli {

std::string Loops::stuck(core::Time now, core::Duration limit) const {
  std::string lines;
  for (const auto& pulse : pulses_) {
    const auto busy = pulse.busy_for(now);
    if (!busy || *busy < limit) continue;
    lines += pulse.name() + " is stuck: it has been at the same thing for " +
             core::to_text(std::chrono::floor<std::chrono::seconds>(*busy)) + "\n";
  }
  return lines;
}

}  // namespace tenure::cli
