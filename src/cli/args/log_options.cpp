#include "cli/args/log_options.hpp"

#include <algorithm>

#include "api/environment.hpp"
#include "cli/args/args_options.hpp"
#include "core/base/text.hpp"

namespace tenure::cli {

namespace {

std::optional<LogFormat> read_format(const std::string& text) {
  if (text == "text") return LogFormat::text;
  if (text == "json") return LogFormat::json;
  return std::nullopt;
}

std::optional<LogLevel> read_level(const std::string& text) {
  for (const auto level : {LogLevel::error, LogLevel::warn, LogLevel::info, LogLevel::debug}) {
    if (text == to_string(level)) return level;
  }
  return std::nullopt;
}

std::string not_a_format(const std::string& text) {
  return "\"" + core::printable(text, 60) + "\" is neither text nor json";
}

std::string not_a_level(const std::string& text) {
  return "\"" + core::printable(text, 60) + "\" is none of error, warn, info and debug";
}

}  // namespace

void add_log_options(CLI::App& app, LogStyle& style) {
  app.add_option_function<std::string>("--log-format", [&style](const std::string& text) {
    style.format = read_format(text);
    if (!style.format) throw CLI::ValidationError("--log-format", not_a_format(text));
  });
  app.add_option_function<std::string>("--log-level", [&style](const std::string& text) {
    style.level = read_level(text);
    if (!style.level) throw CLI::ValidationError("--log-level", not_a_level(text));
  });
}

std::optional<std::string> add_log_variables(LogStyle& style) {
  if (const auto given = detail::variable("TENURE_LOG_FORMAT"); given && !style.format) {
    style.format = read_format(*given);
    if (!style.format) return "TENURE_LOG_FORMAT: " + not_a_format(*given);
  }
  if (const auto given = detail::variable("TENURE_LOG_LEVEL"); given && !style.level) {
    style.level = read_level(*given);
    if (!style.level) return "TENURE_LOG_LEVEL: " + not_a_level(*given);
  }
  return std::nullopt;
}

LogStyle log_style_asked_for(std::span<const std::string> words) {
  LogStyle style;
  const bool logs = !words.empty() && (words[0] == "run" || words[0] == "elect" || words[0] == "poll");
  if (!logs) return style;
  const auto own = words.first(static_cast<std::size_t>(std::ranges::find(words, "--") - words.begin()));
  const std::string option = "--log-format";
  for (std::size_t i = 1; i < own.size(); ++i) {
    if (own[i].starts_with(option + "=")) style.format = read_format(own[i].substr(option.size() + 1));
    if (own[i] == option && i + 1 < own.size()) style.format = read_format(own[i + 1]);
    if (words[0] == "poll" && own[i] == "--json") style.format = LogFormat::json;
  }
  if (!style.format) style.format = read_format(detail::variable("TENURE_LOG_FORMAT").value_or(""));
  return style;
}

}  // namespace tenure::cli
