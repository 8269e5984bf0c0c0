#include "line.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>

#include "redis/record_text.hpp"

namespace tenure::scenario {

using namespace core;

namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  bool quoted = false;
  for (const char c : text) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == separator && !quoted) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

KeyAnswers key_answers(const std::string& words) {
  struct Known {
    std::string_view word;
    KeyAnswer answer;
  };
  static constexpr std::array known{
      Known{"renewed", KeyAnswer::done},    Known{"released", KeyAnswer::done},
      Known{"confirmed", KeyAnswer::done},  Known{"reasserted", KeyAnswer::done},
      Known{"missing", KeyAnswer::missing}, Known{"foreign", KeyAnswer::foreign},
  };
  KeyAnswers answers;
  for (const auto& word : split(words, ',')) {
    const auto* found = std::ranges::find(known, word, &Known::word);
    if (found == known.end()) throw std::invalid_argument("no such answer: " + word);
    answers.push_back(found->answer);
  }
  return answers;
}

}  // namespace

std::uint64_t number(std::string_view text) {
  std::uint64_t value = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value).ptr;
  if (text.empty() || end != text.data() + text.size()) {
    throw std::invalid_argument("not a number: " + std::string(text));
  }
  return value;
}

Duration duration(const std::string& text) {
  if (text.starts_with('+')) return duration(text.substr(1));
  if (text.starts_with('-')) return -duration(text.substr(1));
  const auto digits = text.find_first_not_of("0123456789");
  if (digits == std::string::npos || digits == 0) throw std::invalid_argument("not a duration: " + text);
  const auto count = static_cast<Duration::rep>(number(text.substr(0, digits)));
  const std::string unit = text.substr(digits);
  if (unit == "ms") return std::chrono::milliseconds(count);
  if (unit == "s") return std::chrono::seconds(count);
  if (unit == "m") return std::chrono::minutes(count);
  throw std::invalid_argument("not a unit: " + unit);
}

Line::Line(const std::string& text) {
  for (const auto& word : split(text, ' ')) {
    const auto sign = word.find('=');
    if (sign != std::string::npos) {
      options_[word.substr(0, sign)] = word.substr(sign + 1);
    } else if (!word.empty() || text.ends_with("\"\"")) {
      words_.push_back(word);
    }
  }
}

const std::string& Line::word(std::size_t i) const {
  if (i >= words_.size()) throw std::invalid_argument("a word is missing");
  return words_[i];
}

std::optional<std::string> Line::option(const std::string& name) const {
  const auto found = options_.find(name);
  return found != options_.end() ? std::optional(found->second) : std::nullopt;
}

std::string Line::needed(const std::string& name) const {
  const auto value = option(name);
  if (!value) throw std::invalid_argument(name + "= is missing");
  return *value;
}

std::optional<Duration> Line::time(const std::string& name) const {
  const auto value = option(name);
  return value ? std::optional(duration(*value)) : std::nullopt;
}

std::vector<std::uint64_t> Line::numbers(std::size_t i) const {
  std::vector<std::uint64_t> all;
  for (const auto& part : split(word(i), ',')) all.push_back(number(part));
  return all;
}

NodeIndex Line::node(std::size_t i) const { return static_cast<NodeIndex>(number(word(i))); }

Reply Line::reply() const {
  const std::string& kind = word(2);
  if (kind == "granted") return Granted{number(needed("token"))};
  if (kind == "closed") return NotOpen{redis::found_record(word(3))};
  if (kind == "opened") return Opened{};
  if (kind == "held") {
    const Token token = number(needed("token"));
    Held held{{needed("owner"), token, token == 0},
              std::chrono::duration_cast<Ttl>(duration(needed("left")))};
    if (const auto place = option("place")) held.ahead = static_cast<int>(number(*place));
    return held;
  }
  if (kind == "shows") return KeyStates{key_state(3)};
  return key_answers(kind);
}

KeyState Line::key_state(std::size_t i) const {
  if (!option("owner")) {
    if (word(i) != "nobody") throw std::invalid_argument("nobody, or owner=, not " + word(i));
    return {};
  }
  const auto left = std::chrono::duration_cast<Ttl>(duration(needed("left")));
  const std::string owner = needed("owner");
  return {Holder{owner, number(needed("token"))}, Grant(owner, 1), left};
}

Failure Line::failure() const {
  struct Known {
    std::string_view word;
    Applied applied;
    FailureCode code;
  };
  static constexpr std::array known{
      Known{"refused", Applied::no, FailureCode::unreachable},
      Known{"closed", Applied::perhaps, FailureCode::closed},
      Known{"timeout", Applied::perhaps, FailureCode::timed_out},
      Known{"loading", Applied::no, FailureCode::starting},
      Known{"oom", Applied::no, FailureCode::full},
      Known{"server", Applied::perhaps, FailureCode::server},
  };
  const auto* found = std::ranges::find(known, word(2), &Known::word);
  if (found == known.end()) throw std::invalid_argument("no such failure: " + word(2));
  return {found->applied, found->code, word(2)};
}

}  // namespace tenure::scenario
