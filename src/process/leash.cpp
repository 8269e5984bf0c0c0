#include "process/leash.hpp"

#include <array>
#include <system_error>

namespace tenure::process {

std::pair<Leash, Leash> Leash::make() {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw std::system_error(errno, std::generic_category(), "socketpair");
  }
  return {Leash(runtime::Descriptor(ends[0])), Leash(runtime::Descriptor(ends[1]))};
}

}  // namespace tenure::process
