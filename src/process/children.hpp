// Who is whose child, as /proc shows it at that moment. What begins or ends meanwhile may be missing: whoever
// wants all must look again.
#pragma once

#include <sys/types.h>

#include <memory_resource>
#include <optional>
#include <utility>
#include <vector>

namespace tenure::process {

// Memory comes from the default resource of std::pmr: a watchdog that was forked from a process with many threads sets one
// that has no locks (mapped_memory.hpp).
using Pids = std::pmr::vector<pid_t>;

class Children {
 public:
  // By the kernel's own lists, if it has them. That is fast enough to catch a process that forks and exits in a
  // loop.
  Children();

  // For kernels that were built without lists (CONFIG_PROC_CHILDREN): asks every process for its parent, now.
  static Children by_parent();
  static bool kernel_has_lists();

  Pids of(pid_t parent) const;

 private:
  struct Pair {
    pid_t parent = 0;
    pid_t child = 0;
  };
  using Pairs = std::pmr::vector<Pair>;

  explicit Children(Pairs pairs) : pairs_(std::move(pairs)) {}
  static Pairs all_pairs();

  std::optional<Pairs> pairs_;
};

// 0: there is no such process.
pid_t parent_of(pid_t pid);

}  // namespace tenure::process
