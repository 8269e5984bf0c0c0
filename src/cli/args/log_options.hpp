// --log-format and --log-level, and the variables that stand in for them: TENURE_LOG_FORMAT and TENURE_LOG_LEVEL.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "cli/log.hpp"

namespace CLI {
class App;
}

namespace tenure::cli {

void add_log_options(CLI::App& app, LogStyle& style);

// Takes what no option has said from the variables. An error is a sentence that begins with the variable.
std::optional<std::string> add_log_variables(LogStyle& style);

// What can be told before the words are known to be right: an error in them is logged as they ask for.
LogStyle log_style_asked_for(std::span<const std::string> words);

}  // namespace tenure::cli
