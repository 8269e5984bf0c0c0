// How many sessions each instance has, as the instances of several processes write it down for the one that measures: to
// look at every lease would cost Redis more than what is measured.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>

namespace tenure::bench {

class OwnedCounts {
 public:
  using Count = std::atomic<std::int64_t>;
  static_assert(Count::is_always_lock_free);

  // The file is made where there is none.
  OwnedCounts(const std::string& file, std::size_t instances) : size_(instances * sizeof(Count)) {
    const int opened = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (opened < 0 || ::ftruncate(opened, static_cast<off_t>(size_)) != 0)
      throw std::runtime_error(file + " cannot be made");
    memory_ = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED, opened, 0);
    ::close(opened);
    if (memory_ == MAP_FAILED) throw std::runtime_error(file + " cannot be mapped");
  }
  ~OwnedCounts() { ::munmap(memory_, size_); }
  OwnedCounts(const OwnedCounts&) = delete;
  OwnedCounts& operator=(const OwnedCounts&) = delete;

  std::span<Count> all() const { return {static_cast<Count*>(memory_), size_ / sizeof(Count)}; }

 private:
  std::size_t size_;
  void* memory_ = nullptr;
};

}  // namespace tenure::bench
