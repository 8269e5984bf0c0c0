// What no Redis would answer, or not to what it was asked: the list "Bad input" for everything that reads replies.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "support/said.hpp"

namespace tenure::test {

struct BadReply {
  std::string name;
  Said said;
};

inline std::string times(std::size_t count, const std::string& text) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i) all += text;
  return all;
}

// Each of them is too much for memory, or for patience.
inline std::vector<BadReply> endless_replies() {
  const std::string letters(65'536, 'x');
  return {
      {"a string without end", Said::and_then_for_ever("$1000000000\r\n", letters)},
      {"a string of 2^63", Said::and_then_for_ever("$9223372036854775808\r\n", letters)},
      {"the longest string", Said::and_then_for_ever("$16777216\r\n", letters)},
      {"many long strings", Said::and_then_for_ever("*1000\r\n", "$65536\r\n" + letters + "\r\n")},
      {"a line without end", Said::and_then_for_ever("+", letters)},
      {"an error without end", Said::and_then_for_ever("-ERR ", letters)},
      {"a number without end", Said::and_then_for_ever(":", std::string(4'096, '1'))},
      {"an array without end", Said::and_then_for_ever("*2147483647\r\n", times(1'000, ":1\r\n"))},
      {"the longest array", Said::and_then_for_ever("*100000\r\n", times(1'000, ":1\r\n"))},
      {"arrays in arrays without end", Said::and_then_for_ever("", times(1'000, "*1\r\n"))},
      {"nothing but line ends", Said::and_then_for_ever("", times(1'000, "\r\n"))},
  };
}

inline std::vector<BadReply> short_bad_replies() {
  using namespace std::string_literals;
  return {
      {"a length of -2", "$-2\r\n"},
      {"an array of -2", "*-2\r\n"},
      {"a length of 2^31", "$2147483648\r\n"},
      {"an array of 2^31", "*2147483648\r\n"},
      {"an array of 2^63", "*9223372036854775808\r\n"},
      {"a number of 2^63", ":9223372036854775808\r\n"},
      {"no number", ":one\r\n"},
      {"no length", "$\r\n"},
      {"a string without its end", "$3\r\nabcdef\r\n"},
      {"deep arrays", times(64, "*1\r\n") + ":1\r\n"},
      {"an empty array", "*0\r\n"},
      {"an array of nothing", "*2\r\n$-1\r\n*-1\r\n"},
      {"a map", "%1\r\n+a\r\n:1\r\n"},
      {"a push", ">2\r\n+message\r\n+x\r\n"},
      {"a null", "_\r\n"},
      {"a truth", "#t\r\n"},
      {"a fraction", ",1.5\r\n"},
      {"another protocol", "HTTP/1.1 400 Bad Request\r\n\r\n"},
      {"zeros", std::string(100, '\0')},
      {"a terminal's commands", "-ERR \x1b]0;mine\x07\x1b[2J <script>\xff\xfe\r\n"s},
      {"an end", Said::and_hang_up("")},
      {"an end within", Said::and_hang_up("$10\r\nabc")},
      {"an end within an array", Said::and_hang_up("*3\r\n:1\r\n")},
  };
}

inline std::vector<BadReply> bad_replies() {
  auto all = short_bad_replies();
  for (auto& it : endless_replies()) all.push_back(std::move(it));
  return all;
}

}  // namespace tenure::test
