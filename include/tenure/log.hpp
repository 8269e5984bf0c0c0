// The lines of a client's log: what happened, how bad it is, a sentence, and the facts in it as fields. docs/logs.md lists
// every event with its level and its fields.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tenure {

/// The worst first.
enum class LogLevel : std::uint8_t {
  error,  // a person has to do something: it does not pass by itself
  warn,   // something failed or was lost; it is tried again, or passes
  info,   // what happens when all is well, seldom enough to be read
  debug,  // every renewal
};

/// The name of the enumerator: "warn".
std::string_view to_string(LogLevel level);

struct LogField {
  std::string_view key{};  // "name", "token", "node", …: a literal, which outlives the line
  std::variant<std::string, std::uint64_t> value{};

  bool operator==(const LogField&) const = default;
};

struct LogLine {
  LogLevel level{};
  std::string_view event{};  // "lease_lost": a literal that stays the same from version to version
  std::string message{};     // a sentence for a person, which may change; holds no secret
  std::vector<LogField> fields{};
};

}  // namespace tenure
