// Preloaded into a redis-server, adds a number of nanoseconds to the wall clock that it sees: a clock that steps, for one
// process. The number stands in a file that the test may change at any time. All other clocks are left alone.
//
// Written for a program that knows nothing of it: plain system calls, because what would look the real functions up may
// ask for the time itself, and nothing that a signal handler must not do.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <ctime>

namespace {

constexpr std::int64_t second = 1'000'000'000;

const std::int64_t* offset = nullptr;  // until the file is found: no step

[[gnu::constructor]] void find_offset() {
  const char* path = std::getenv("TENURE_CLOCK_SHIM");
  if (path == nullptr) return;
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) _exit(125);  // a test whose clock stays as it is would show nothing
  void* page = mmap(nullptr, sizeof *offset, PROT_READ, MAP_SHARED, file, 0);
  close(file);
  if (page == MAP_FAILED) _exit(125);
  offset = static_cast<const std::int64_t*>(page);
}

bool is_wall_clock(clockid_t clock) { return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE; }

int read_clock(clockid_t clock, timespec* now) {
  const int result = static_cast<int>(syscall(SYS_clock_gettime, clock, now));
  if (result != 0 || offset == nullptr || !is_wall_clock(clock)) return result;
  const std::int64_t step = __atomic_load_n(offset, __ATOMIC_RELAXED);
  now->tv_sec += step / second;
  now->tv_nsec += step % second;
  if (now->tv_nsec < 0) {
    now->tv_nsec += second;
    now->tv_sec -= 1;
  } else if (now->tv_nsec >= second) {
    now->tv_nsec -= second;
    now->tv_sec += 1;
  }
  return 0;
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* now) noexcept { return read_clock(clock, now); }

int gettimeofday(timeval* now, void* zone) noexcept {
  if (zone != nullptr) *static_cast<struct timezone*>(zone) = {};
  timespec precise{};
  const int result = read_clock(CLOCK_REALTIME, &precise);
  if (result == 0) *now = {precise.tv_sec, precise.tv_nsec / 1'000};
  return result;
}

time_t time(time_t* now) noexcept {
  timespec precise{};
  if (read_clock(CLOCK_REALTIME, &precise) != 0) return -1;
  if (now != nullptr) *now = precise.tv_sec;
  return precise.tv_sec;
}
}
