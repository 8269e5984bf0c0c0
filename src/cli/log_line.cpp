#include "cli/log_line.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>

#include "cli/json.hpp"

namespace tenure::cli {

namespace {

void add(Json& json, const LogField& field) {
  json.key(field.key);
  if (const auto* text = std::get_if<std::string>(&field.value)) {
    json.text(*text);
  } else {
    json.number(std::get<std::uint64_t>(field.value));
  }
}

}  // namespace

std::string wall_time() {
  const auto now = std::chrono::system_clock::now();
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  const auto milliseconds =
      std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count() % 1000;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  const std::size_t length = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &parts);
  const std::string digits = std::to_string(milliseconds);
  return std::string(text.data(), length) + "." + std::string(3 - digits.size(), '0') + digits + "Z";
}

std::string json_line(const LogLine& line, const std::vector<LogField>& context) {
  Json json;
  json.open_object().key("time").text(wall_time());
  json.key("level").text(to_string(line.level)).key("event").text(line.event);
  json.key("message").text(line.message);
  for (const auto& field : context) {
    if (std::ranges::find(line.fields, field.key, &LogField::key) == line.fields.end()) add(json, field);
  }
  for (const auto& field : line.fields) add(json, field);
  return json.close_object().written();
}

}  // namespace tenure::cli
