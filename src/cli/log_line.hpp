// A line of the log as JSON: one object with the same fields everywhere. docs/logs.md is its description.
#pragma once

#include <string>
#include <vector>

#include "tenure/log.hpp"

namespace tenure::cli {

// "2026-01-11T08:15:30.123Z"
std::string wall_time();

// time, level, event and message; then the fields of the context that the line has no value of its own for; then its own.
// Without the end of the line.
std::string json_line(const LogLine& line, const std::vector<LogField>& context);

}  // namespace tenure::cli
