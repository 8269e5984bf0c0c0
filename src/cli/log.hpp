// The log of a command that stays, on stderr: one line for each event. As text it is what the program says to people,
// "tenure: …"; as JSON it is one object a line, and nothing else is on that stream.
// Style and context belong to the process; they are set before its first thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/log_events.hpp"
#include "tenure/log.hpp"

namespace tenure::cli {

enum class LogFormat : std::uint8_t { text, json };

struct LogStyle {
  std::optional<LogFormat> format{};  // nothing: text
  // The lowest that is written. Nothing: as JSON that is info; as text, what people are told is written and what merely
  // happens to leases is not.
  std::optional<LogLevel> level{};
};

void set_log_style(const LogStyle& style);
// Who we are, and what this is about: on every line that does not say it itself.
void set_log_context(std::vector<LogField> context);

void log(const LogEvent& event, std::string message, std::vector<LogField> fields = {});
// A line of the library.
void log(const LogLine& line);

// Below which a client that logs here need not make lines: ClientOptions::log_level.
LogLevel client_log_level();

// Is it about what happens to a lease in the ordinary course: acquired, renewed, released, lost? Commands tell that in
// their own way.
bool tells_of_lease(const LogLine& line);

}  // namespace tenure::cli
