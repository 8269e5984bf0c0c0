// One `/bin/sh -c` in a process group of its own, that has nothing of ours but standard error, and dies with the thread
// that started it.
#pragma once

#include <sys/types.h>

#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "runtime/descriptor.hpp"

namespace tenure::poll {

class Shell {
 public:
  // The environment is all that it gets, "NAME=value" each. The error is an errno.
  static tl::expected<Shell, int> start(const std::string& command,
                                        const std::vector<std::string>& environment);
  ~Shell();  // kills the group, if nobody has reaped it
  Shell(Shell&& other) noexcept;
  Shell& operator=(Shell&& other) = delete;

  // To the whole group.
  void signal(int signal) const;
  // Readable when it has ended.
  int end_fd() const { return end_.get(); }
  // Its standard output, which does not block.
  int out_fd() const { return out_.get(); }
  void close_out() { out_.reset(); }
  // Once it has ended: kills what is left of the group, and gives the exit code, or 128 and the signal, as shells do.
  int reap();

 private:
  Shell(pid_t pid, runtime::Descriptor end, runtime::Descriptor out);

  pid_t pid_;  // 0: reaped; also the number of the group
  runtime::Descriptor end_;
  runtime::Descriptor out_;
};

}  // namespace tenure::poll
