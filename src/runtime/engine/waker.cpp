#include "runtime/engine/waker.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>

#include "runtime/timespec.hpp"

namespace tenure::runtime {

namespace {

static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));

long futex(std::atomic<std::uint32_t>& word, int what, std::uint32_t value, const timespec* limit) {
  return syscall(SYS_futex, &word, what | FUTEX_PRIVATE_FLAG, value, limit, nullptr, 0);
}

}  // namespace

// Behind the first line nothing is read or written here: the waiter may be gone. The kernel is told an address, and no more.
void Waker::wake(Why why) {
  const std::uint32_t before = state_.fetch_or(why, std::memory_order_acq_rel);
  if ((before & sleeps) != 0) futex(state_, FUTEX_WAKE, INT_MAX, nullptr);
}

bool Waker::wait(std::optional<core::Duration> limit) {
  const timespec time = timespec_of(limit.value_or(core::Duration::zero()));
  bool slept = false;
  std::uint32_t state = state_.load(std::memory_order_acquire);
  while ((state & (look | done)) == 0 && !(slept && limit)) {
    if (!state_.compare_exchange_weak(state, state | sleeps, std::memory_order_acq_rel)) continue;
    futex(state_, FUTEX_WAIT, sleeps, limit ? &time : nullptr);
    slept = true;
    state = state_.fetch_and(~sleeps, std::memory_order_acq_rel);
  }
  state = state_.fetch_and(~std::uint32_t{look | sleeps}, std::memory_order_acq_rel);
  return (state & done) != 0;
}

}  // namespace tenure::runtime
