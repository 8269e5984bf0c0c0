// Memory straight from the kernel, for a forked copy of a process with many threads: in the copy, a lock of the usual
// allocator may be held for ever by a thread that does not exist there.
#pragma once

#include <cstddef>
#include <memory_resource>

namespace tenure::process {

class MappedMemory : public std::pmr::memory_resource {
 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override;
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }
};

// While it lives, all std::pmr containers without another resource use mapped memory. For a process with one thread.
class WithoutHeap {
 public:
  WithoutHeap() : before_(std::pmr::set_default_resource(&pool_)) {}
  ~WithoutHeap() { std::pmr::set_default_resource(before_); }
  WithoutHeap(const WithoutHeap&) = delete;
  WithoutHeap& operator=(const WithoutHeap&) = delete;

 private:
  MappedMemory mapped_;
  std::pmr::unsynchronized_pool_resource pool_{&mapped_};
  std::pmr::memory_resource* before_;
};

}  // namespace tenure::process
