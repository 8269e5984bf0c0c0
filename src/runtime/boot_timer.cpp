#include "runtime/boot_timer.hpp"

#include <sys/timerfd.h>

#include <cerrno>
#include <cstdint>
#include <system_error>

#include "runtime/timespec.hpp"

namespace tenure::runtime {

BootTimer::BootTimer() : fd_(timerfd_create(CLOCK_BOOTTIME, TFD_NONBLOCK | TFD_CLOEXEC)) {
  if (!fd_) throw std::system_error(errno, std::generic_category(), "timerfd_create");
}

void BootTimer::set(std::optional<core::Time> when) {
  itimerspec spec{};
  if (when) {
    // Zero would disarm it; one nanosecond after boot is as long ago.
    const auto at = std::max<core::Duration>(when->time_since_epoch(), core::Duration(1));
    spec.it_value = timespec_of(at);
  }
  timerfd_settime(fd_.get(), TFD_TIMER_ABSTIME, &spec, nullptr);
}

void BootTimer::clear() {
  std::uint64_t expirations = 0;
  [[maybe_unused]] const auto got = ::read(fd_.get(), &expirations, sizeof expirations);
}

}  // namespace tenure::runtime
