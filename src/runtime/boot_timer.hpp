// A descriptor that becomes readable at a point of boot time. Timers of epoll and poll stand still
// while the machine is suspended; this one does not.
#pragma once

#include <optional>

#include "core/base/time.hpp"
#include "runtime/net/descriptor.hpp"

namespace tenure::runtime {

class BootTimer {
 public:
  BootTimer();

  // From any thread. An empty time disarms it.
  void set(std::optional<core::Time> when);
  // Makes it unreadable until it is due again.
  void clear();
  int fd() const { return fd_.get(); }

 private:
  Descriptor fd_;
};

}  // namespace tenure::runtime
