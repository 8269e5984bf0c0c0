#include "cli/descriptors.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <vector>

#include "runtime/net/descriptor.hpp"

namespace tenure::cli {

std::optional<std::string> lack_of_descriptors(std::size_t wanted) {
  std::vector<runtime::Descriptor> taken;
  taken.reserve(wanted);
  while (taken.size() < wanted) {
    taken.emplace_back(fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0));
    if (taken.back()) continue;
    const int error = errno;
    return "cannot open " + std::to_string(wanted) + " more files and connections, as many as it may need: " +
           descriptors_hint(error).value_or(std::generic_category().message(error));
  }
  return std::nullopt;
}

std::optional<std::string> descriptors_hint(int error) {
  if (error == ENFILE) return "this machine has too many files open (raise fs.file-max, see sysctl)";
  if (error != EMFILE) return std::nullopt;
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  return "at most " + std::to_string(limit.rlim_cur) + " may be open at a time (raise it: ulimit -n)";
}

}  // namespace tenure::cli
