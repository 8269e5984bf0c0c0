#include "redis/beat_text.hpp"

#include "core/base/number.hpp"

namespace tenure::redis {

namespace {

constexpr std::string_view opening = "{\"boot\":\"";

bool take(std::string_view& text, char letter) {
  if (!text.starts_with(letter)) return false;
  text.remove_prefix(1);
  return true;
}

// The string at the front of the text, as it is written, without its quotes.
std::optional<std::string_view> take_string(std::string_view& text) {
  if (!take(text, '"')) return std::nullopt;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      const auto string = text.substr(0, i);
      text.remove_prefix(i + 1);
      return string;
    }
  }
  return std::nullopt;
}

// Whatever value stands at the front, up to the comma or the end of the object that it is in; quotes taken off.
std::optional<std::string_view> take_value(std::string_view& text) {
  if (text.starts_with('"')) return take_string(text);
  const std::string_view all = text;
  std::size_t open = 0;  // brackets
  while (!text.empty() && (open > 0 || (text.front() != ',' && text.front() != '}'))) {
    if (text.front() == '"') {
      if (!take_string(text)) return std::nullopt;
      continue;
    }
    if (text.front() == '{' || text.front() == '[') open += 1;
    if ((text.front() == '}' || text.front() == ']') && open > 0) open -= 1;
    text.remove_prefix(1);
  }
  return all.substr(0, all.size() - text.size());
}

template <class Number>
bool read_into(Number& number, std::string_view value) {
  const auto read = core::read_number<Number>(value);
  if (read) number = *read;
  return read.has_value();
}

// False: it is known, and cannot be read; or it says that this one takes nothing any more.
bool note(core::Beat& beat, std::string_view name, std::string_view value) {
  if (name == "status") return value == "ready";
  if (name == "started") return read_into(beat.started_ms, value);
  if (name == "weight") return read_into(beat.weight, value);
  if (name == "owned") return read_into(beat.owned, value);
  if (name == "version") return read_into(beat.version, value);
  if (name == "digest") return read_into(beat.digest.emplace(), value);
  return true;
}

}  // namespace

std::string beat_opening(std::string_view boot) { return std::string(opening) + std::string(boot) + "\""; }

std::string beat_text(const core::Beat& beat) {
  return beat_opening(beat.boot) +
         ",\"v\":1,\"status\":\"ready\",\"started\":" + std::to_string(beat.started_ms) +
         ",\"weight\":" + std::to_string(beat.weight) + ",\"owned\":" + std::to_string(beat.owned) +
         ",\"version\":" + std::to_string(beat.version) +
         // In quotes, because it is larger than what every reader of JSON takes for a number.
         (beat.digest ? ",\"digest\":\"" + std::to_string(*beat.digest) + "\"" : "") + "}";
}

std::optional<core::Beat> read_beat(std::string_view text) {
  if (!text.starts_with(opening)) return std::nullopt;
  std::string_view behind = text.substr(opening.size() - 1);
  const auto boot = take_string(behind);
  if (!boot) return std::nullopt;
  core::Beat beat{std::string(*boot)};
  do {
    text.remove_prefix(1);  // the bracket, or a comma
    const auto name = take_string(text);
    if (!name || !take(text, ':')) return std::nullopt;
    const auto value = take_value(text);
    if (!value || !note(beat, *name, *value)) return std::nullopt;
  } while (text.starts_with(','));
  if (text != "}" || beat.weight == 0 || beat.weight > core::weight_max) return std::nullopt;
  return beat;
}

}  // namespace tenure::redis
