// Which process this is, without asking the kernel: a number that a child does not inherit.
#pragma once

#include <cstdint>

namespace tenure::runtime {

// The same as long as this process lives. Another one in every child, however it was forked.
std::int64_t process_mark();

}  // namespace tenure::runtime
