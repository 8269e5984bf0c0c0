// What the snippets of the documents take for granted, beside a `client`.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <cstdint>
#include <iostream>
#include <stop_token>
#include <string>
#include <tenure/asio.hpp>
#include <tenure/tenure.hpp>

using namespace std::chrono_literals;

inline void log(const std::string& line) { std::cerr << line << '\n'; }
inline void wait_until_readable(int) {}
inline boost::asio::io_context io;
inline bool more_to_do() { return false; }
inline std::string next_line() { return {}; }
inline void write_to_store(const std::string& line, std::uint64_t token) {
  std::cout << token << ' ' << line << '\n';
}
