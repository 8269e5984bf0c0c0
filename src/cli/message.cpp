#include "cli/message.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>
#include <system_error>
#include <utility>

#include "api/refusal_log.hpp"
#include "cli/log.hpp"

namespace tenure::cli {

namespace {

// For machines: what the exit code means.
const char* word_of(ExitCode code) {
  switch (code) {
    case ExitCode::done:
      return "done";
    case ExitCode::not_taken:
      return "not_taken";
    case ExitCode::critical:
      return "critical";
    case ExitCode::usage:
      return "usage";
    case ExitCode::no_quorum:
      return "no_quorum";
    case ExitCode::exists:
      return "exists";
    case ExitCode::busy:
      return "busy";
    case ExitCode::not_open:
      return "not_open";
    case ExitCode::lost:
      return "lost";
    case ExitCode::waited:
      return "waited";
    case ExitCode::own_error:
      return "own_error";
    case ExitCode::cannot_run:
      return "cannot_run";
    case ExitCode::not_found:
      return "not_found";
  }
  return "unknown";
}

}  // namespace

void say(std::string_view sentence) { log(log_event::note, std::string(sentence)); }

LogField exit_code_field(int code) { return {"exit_code", static_cast<std::uint64_t>(code)}; }

int fail(ExitCode code, std::string_view sentence) {
  log(log_event::failed, std::string(sentence), {{"reason", word_of(code)}, exit_code_field(number(code))});
  return number(code);
}

int fail(ExitCode code, const Refusal& why, std::string_view sentence) {
  auto fields = detail::log_fields_of(why);
  fields.push_back(exit_code_field(number(code)));
  log(log_event::failed, std::string(sentence), std::move(fields));
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
  return fail(ExitCode::own_error, "cannot write the output: " + std::generic_category().message(errno));
}

}  // namespace tenure::cli
