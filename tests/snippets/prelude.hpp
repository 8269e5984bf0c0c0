// What the snippets of the documents take for granted, beside a `client`.
#pragma once

#include <chrono>
#include <cstdint>
#include <iostream>
#include <stop_token>
#include <string>
#include <tenure/tenure.hpp>

using namespace std::chrono_literals;

inline void log(const std::string& line) { std::cerr << line << '\n'; }
inline bool more_to_do() { return false; }
inline std::string next_line() { return {}; }
inline void write_to_store(const std::string& line, std::uint64_t token) {
  std::cout << token << ' ' << line << '\n';
}
