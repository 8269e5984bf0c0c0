// Who is whose child, as /proc shows it at that moment. What begins or ends meanwhile may be missing: whoever
// wants all must look again.
#pragma once

#include <sys/types.h>

#include <optional>
#include <utility>
#include <vector>

namespace tenure::cli {

class Children {
 public:
  // By the kernel's own lists, if it has them. That is fast enough to catch a process that forks and exits in a
  // loop.
  Children();

  // For kernels that were built without lists (CONFIG_PROC_CHILDREN): asks every process for its parent, now.
  static Children by_parent();
  static bool kernel_has_lists();

  std::vector<pid_t> of(pid_t parent) const;

 private:
  struct Pair {
    pid_t parent = 0;
    pid_t child = 0;
  };

  explicit Children(std::vector<Pair> pairs) : pairs_(std::move(pairs)) {}
  static std::vector<Pair> all_pairs();

  std::optional<std::vector<Pair>> pairs_;
};

// 0: there is no such process.
pid_t parent_of(pid_t pid);

}  // namespace tenure::cli
