#include "cli/log.hpp"

#include <unistd.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "cli/log_line.hpp"
#include "cli/nodes/tls_options.hpp"

namespace tenure::cli {

namespace {

struct Log {
  LogStyle style{};
  std::vector<LogField> context{};
};

Log& the_log() {
  static Log log;
  return log;
}

// "tenure: " stands before each line of a message that has several.
std::string as_text(std::string_view message) {
  std::string lines;
  for (std::size_t from = 0; from <= message.size();) {
    const auto end = std::min(message.find('\n', from), message.size());
    lines.append("tenure: ").append(message.substr(from, end - from)).append("\n");
    from = end + 1;
  }
  return lines;
}

bool is_json() { return the_log().style.format == LogFormat::json; }
LogLevel level() { return the_log().style.level.value_or(LogLevel::info); }
// People are told what they should know, unless they ask for more.
bool for_people() { return !is_json() && !the_log().style.level; }

// In one write, so that the lines of several programs on one stream stay whole.
void write(LogLine line) {
  if (line.level > level()) return;
  line.message = naming_tls_options(std::move(line.message));
  const std::string text = is_json() ? json_line(line, the_log().context) + "\n" : as_text(line.message);
  // There is nobody to tell when stderr is closed.
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text.data(), text.size());
}

}  // namespace

void set_log_style(const LogStyle& style) { the_log().style = style; }
void set_log_context(std::vector<LogField> context) { the_log().context = std::move(context); }

LogLevel client_log_level() { return for_people() ? LogLevel::warn : level(); }

void log(const LogEvent& event, std::string message, std::vector<LogField> fields) {
  write({event.level, event.name, std::move(message), std::move(fields)});
}

void log(const LogLine& line) {
  if (!for_people() || !tells_of_lease(line)) write(line);
}

bool tells_of_lease(const LogLine& line) {
  return line.event == log_event::lease_acquired.name || line.event == log_event::lease_renewed.name ||
         line.event == log_event::lease_lost.name || line.event == log_event::lease_released.name;
}

}  // namespace tenure::cli
