// Every command of the program that talks to a Redis, for tests of what holds for all of them.
#pragma once

#include "cli/tenure_program.hpp"

namespace tenure::test {

// Those that ask once and end. The place is how to reach the Redis.
inline std::vector<Words> commands_that_ask(const Words& place) {
  return {
      Words{"run", "job", "-n"} + place + Words{"--", "true"},
      Words{"init"} + place,
      Words{"doctor"} + place,
      Words{"lock", "ls"} + place,
      Words{"lock", "show", "job"} + place,
      Words{"lock", "break", "job", "--yes"} + place,
      Words{"sessions", "ls"} + place,
      Words{"sessions", "ls", "--index"} + place,
      Words{"sessions", "add", "s-1", "http://127.0.0.1:1/"} + place,
      Words{"sessions", "rm", "s-1"} + place,
      Words{"sessions", "pause", "s-1"} + place,
      Words{"sessions", "resume", "s-1"} + place,
      Words{"status"} + place,
      Words{"explain", "s-1"} + place,
  };
}

// Those that go on, and wait for a Redis that is of no use.
inline std::vector<Words> commands_that_stay(const Words& place) {
  return {
      Words{"elect", "myapp:leader", "--lease", "1s"} + place,
      Words{"elect", "myapp:leader", "--observe"} + place,
      Words{"poll", "--ttl", "1s"} + place,
      Words{"poll", "--ttl", "1s", "--index"} + place,
  };
}

inline std::string joined(const Words& words) {
  std::string text;
  for (const auto& word : words) text += word.substr(0, 80) + ' ';
  return text;
}

// A report on its standard output; the others say one line when they fail.
inline bool is_doctor(const Words& words) { return words.front() == "doctor"; }

// "tenure: …", once, and nothing that a terminal would obey.
inline bool is_one_plain_line(const std::string& text) {
  const auto commands = [](char letter) {
    return static_cast<unsigned char>(letter) < 0x20 && letter != '\n';
  };
  return text.starts_with("tenure: ") && text.find('\n') == text.size() - 1 &&
         std::ranges::none_of(text, commands);
}

}  // namespace tenure::test
