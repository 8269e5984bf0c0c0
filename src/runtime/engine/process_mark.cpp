#include "runtime/engine/process_mark.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <new>

namespace tenure::runtime {

namespace {

using Mark = std::atomic<std::int64_t>;

// A page that the kernel wipes in a child. Null where it cannot: then it is asked each time.
Mark* make_page() {
  const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* const page = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return nullptr;
  if (madvise(page, size, MADV_WIPEONFORK) == 0) return new (page) Mark(0);
  munmap(page, size);
  return nullptr;
}

}  // namespace

std::int64_t process_mark() {
  static Mark* const page = make_page();
  if (page == nullptr) return getpid();
  std::int64_t mark = page->load(std::memory_order_relaxed);
  if (mark == 0) page->store(mark = getpid(), std::memory_order_relaxed);
  return mark;
}

}  // namespace tenure::runtime
