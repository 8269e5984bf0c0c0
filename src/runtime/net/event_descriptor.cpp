#include "runtime/net/event_descriptor.hpp"

#include <sys/eventfd.h>

#include <cerrno>
#include <system_error>

namespace tenure::runtime {

Descriptor make_event_descriptor() {
  Descriptor event(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  if (!event) throw std::system_error(errno, std::generic_category(), "eventfd");
  return event;
}

}  // namespace tenure::runtime
