#include "core/fleet/beat.hpp"

#include "core/base/number.hpp"

namespace tenure::core {

namespace {

// Takes the number after that label off the front of the text.
template <class Number>
bool take(std::string_view& text, std::string_view label, Number& number) {
  if (!text.starts_with(label)) return false;
  text.remove_prefix(label.size());
  const auto digits = text.substr(0, text.find_first_not_of("0123456789"));
  const auto read = read_number<Number>(digits);
  if (!read) return false;
  number = *read;
  text.remove_prefix(digits.size());
  return true;
}

}  // namespace

std::string beat_opening(std::string_view boot) { return "{\"boot\":\"" + std::string(boot) + "\""; }

std::string beat_text(const Beat& beat) {
  return beat_opening(beat.boot) + ",\"status\":\"ready\",\"started\":" + std::to_string(beat.started_ms) +
         ",\"weight\":" + std::to_string(beat.weight) + ",\"owned\":" + std::to_string(beat.owned) +
         ",\"version\":" + std::to_string(beat.version) + "}";
}

std::optional<Beat> read_beat(std::string_view text) {
  Beat beat;
  const std::string_view opening = "{\"boot\":\"";
  if (!text.starts_with(opening)) return std::nullopt;
  text.remove_prefix(opening.size());
  const auto end = text.find('"');
  if (end == std::string_view::npos) return std::nullopt;
  beat.boot = text.substr(0, end);
  text.remove_prefix(end);
  const bool all = take(text, "\",\"status\":\"ready\",\"started\":", beat.started_ms) &&
                   take(text, ",\"weight\":", beat.weight) && take(text, ",\"owned\":", beat.owned) &&
                   take(text, ",\"version\":", beat.version) && text == "}";
  if (!all || beat.weight == 0 || beat.weight > weight_max) return std::nullopt;
  return beat;
}

}  // namespace tenure::core
