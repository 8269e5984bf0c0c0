#include "cli/message.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <string>
#include <system_error>

#include "cli/nodes/tls_options.hpp"

namespace tenure::cli {

void say(std::string_view sentence) {
  const std::string text = naming_tls_options(std::string(sentence));
  std::string lines;
  for (std::size_t from = 0; from <= text.size();) {
    const auto end = std::min(text.find('\n', from), text.size());
    lines.append("tenure: ").append(text, from, end - from).append("\n");
    from = end + 1;
  }
  // There is nobody to tell when stderr is closed.
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, lines.data(), lines.size());
}

int fail(ExitCode code, std::string_view sentence) {
  say(sentence);
  return number(code);
}

bool write_line(std::string line, const std::function<bool()>& may_write) {
  line += '\n';
  std::string_view rest = line;
  while (!rest.empty()) {
    if (!may_write()) return false;
    const auto written = ::write(STDOUT_FILENO, rest.data(), rest.size());
    if (written > 0) {
      rest.remove_prefix(static_cast<std::size_t>(written));
    } else if (written == 0 || errno != EINTR) {
      return false;
    }
  }
  return true;
}

int finish_output(ExitCode code) {
  if (std::fflush(stdout) == 0) return number(code);
  say("cannot write the output: " + std::generic_category().message(errno));
  return number(ExitCode::own_error);
}

}  // namespace tenure::cli
