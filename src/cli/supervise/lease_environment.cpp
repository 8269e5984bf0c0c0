#include "cli/supervise/lease_environment.hpp"

#include <array>
#include <cstdio>
#include <string>

namespace tenure::cli {

namespace {

// As the first number in /proc/uptime, which counts on the same clock.
std::string uptime_text(core::Time time) {
  const auto since_boot = std::chrono::floor<std::chrono::milliseconds>(time.time_since_epoch()).count();
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%lld.%03lld", static_cast<long long>(since_boot / 1000),
                static_cast<long long>(since_boot % 1000));
  return text.data();
}

}  // namespace

void tell_of_lease(Command& command, core::Token token, core::Time deadline) {
  command.set_environment("TENURE_TOKEN", std::to_string(token));
  command.set_environment("TENURE_DEADLINE", uptime_text(deadline));
}

}  // namespace tenure::cli
