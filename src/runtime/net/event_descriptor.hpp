// A descriptor that is readable once something has been written to it: by which one thread ends the poll of another.
#pragma once

#include "runtime/net/descriptor.hpp"

namespace tenure::runtime {

// For eventfd_write and eventfd_read, which do not block. Throws std::system_error: whoever polled a descriptor that
// is none would wait for ever.
Descriptor make_event_descriptor();

}  // namespace tenure::runtime
