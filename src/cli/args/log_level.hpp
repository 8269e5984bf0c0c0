// How much an instance tells about its sessions.
#pragma once

#include <cstdint>

namespace tenure::cli {

enum class LogLevel : std::uint8_t {
  usual,  // renewals and the start of each poll only while there are few sessions: thousands of lines help nobody
  info,
  debug,
};

}  // namespace tenure::cli
