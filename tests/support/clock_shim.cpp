#include "support/clock_shim.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <stdexcept>

#include "support/paths.hpp"

namespace tenure::test {

// A file without a name: the server finds it among this process's descriptors, and nothing is left of it.
ClockShim::ClockShim() : file_(memfd_create("clock", MFD_CLOEXEC)) {
  if (file_ < 0 || ftruncate(file_, sizeof *offset_) != 0) throw std::runtime_error("no memory for a clock");
  void* page = mmap(nullptr, sizeof *offset_, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
  if (page == MAP_FAILED) throw std::runtime_error("no memory for a clock");
  offset_ = static_cast<std::int64_t*>(page);
}

ClockShim::~ClockShim() {
  munmap(offset_, sizeof *offset_);
  close(file_);
}

std::vector<std::string> ClockShim::environment() const {
  return {
      std::string("LD_PRELOAD=") + paths::clock_shim,
      "TENURE_CLOCK_SHIM=/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(file_),
  };
}

void ClockShim::step(std::chrono::milliseconds by) {
  __atomic_fetch_add(offset_, std::chrono::nanoseconds(by).count(), __ATOMIC_RELAXED);
}

}  // namespace tenure::test
