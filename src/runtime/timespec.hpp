// A length of time, or a time since boot, as the kernel takes it.
#pragma once

#include <ctime>

#include "core/base/time.hpp"

namespace tenure::runtime {

inline timespec timespec_of(core::Duration duration) {
  timespec time{};
  time.tv_sec = static_cast<time_t>(duration / std::chrono::seconds(1));
  time.tv_nsec = static_cast<long>((duration % std::chrono::seconds(1)).count());
  return time;
}

}  // namespace tenure::runtime
