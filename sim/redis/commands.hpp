// The commands of Redis that Tenure's scripts and tests use, over a simulated server, with the
// replies and the error texts of Redis 7. An option that is not modelled is a syntax error.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "sim/redis/reply_sink.hpp"
#include "sim/redis/server.hpp"

namespace tenure::sim {

struct CommandCall {
  Server& server;
  NodeTime now;
  std::span<const std::string_view> args;  // with the command's name
  ReplySink& reply;
};

struct CommandSpec {
  std::string_view name;
  int arity;  // as Redis counts it, with the name; negative: at least so many
  void (*run)(const CommandCall&);

  bool takes(std::size_t args) const {
    return arity >= 0 ? args == static_cast<std::size_t>(arity) : args >= static_cast<std::size_t>(-arity);
  }
};

// Names are compared without regard to case. Null: no such command.
const CommandSpec* find_command(std::string_view name);

bool same_word(std::string_view word, std::string_view lower_case);

// Redis's notion of an integer: no spaces, no plus sign, no leading zeros.
std::optional<std::int64_t> read_integer(std::string_view text);

inline constexpr std::string_view not_an_integer = "ERR value is not an integer or out of range";

}  // namespace tenure::sim
