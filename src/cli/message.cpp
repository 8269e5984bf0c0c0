#include "cli/message.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>
#include <system_error>

#include "cli/exit_code.hpp"

namespace tenure::cli {

void say(std::string_view sentence) {
  std::string line = "tenure: ";
  line.append(sentence).append("\n");
  // There is nobody to tell when stderr is closed.
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
}

int finish_output() {
  if (std::fflush(stdout) == 0) return number(ExitCode::done);
  say("cannot write the output: " + std::generic_category().message(errno));
  return number(ExitCode::own_error);
}

}  // namespace tenure::cli
