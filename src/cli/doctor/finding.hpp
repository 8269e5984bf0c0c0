// Something about the nodes that a person should know: what it is, why it matters here, what to do.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace tenure::cli {

enum class Severity : std::uint8_t {
  note,     // good to know; nothing is wrong
  warning,  // works, and is weaker or slower than it should be
  error,    // the node does not count as healthy
};

constexpr const char* word_for(Severity severity) {
  constexpr std::array words{"note", "warning", "error"};
  return words.at(static_cast<std::size_t>(severity));
}

struct Finding {
  Severity severity = Severity::note;
  std::string code;                   // for programs: one word, which stays
  std::optional<std::size_t> node{};  // which one; nothing: all of them together
  std::string what;
  std::string why;
  std::string advice;
};

}  // namespace tenure::cli
