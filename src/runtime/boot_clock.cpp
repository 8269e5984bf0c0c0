#include "runtime/boot_clock.hpp"

#include <ctime>

namespace tenure::runtime {

core::Time boot_now() {
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  return core::Time(std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec));
}

}  // namespace tenure::runtime
