// What a forked copy of a process that may have many threads does before anything else. Nothing here allocates or locks.
#pragma once

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>

#include "runtime/net/descriptor.hpp"

namespace tenure::process {

// From now on nobody but SIGKILL and SIGSTOP reaches us. The descriptor is readable when a child has ended or stopped; it is
// none when the kernel has none left.
runtime::Descriptor block_signals();
// Makes it unreadable until the next signal.
void clear_signals(const runtime::Descriptor& children);

// Makes these the descriptors 0, 1, 2 and so on, and closes all others. A descriptor may be named more than once. False:
// there is none left to do it with.
template <std::size_t N>
bool keep_descriptors(std::array<int, N> kept) {
  // First out of the way: one of them may have the number that another is to get.
  for (int& fd : kept) fd = fcntl(fd, F_DUPFD, static_cast<int>(N));
  for (std::size_t i = 0; i < N; ++i) {
    if (kept[i] < 0 || dup2(kept[i], static_cast<int>(i)) < 0) return false;
  }
  return syscall(SYS_close_range, static_cast<unsigned>(N), ~0U, 0U) == 0;
}

// The name that ps shows. Whoever says "pkill -9 tenure" must not hit a process and its watchdog together.
void call_watchdog();

}  // namespace tenure::process
