// A script call taken apart, as a node got it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/base/number.hpp"
#include "redis/script_call.hpp"

namespace tenure::sim {

// An argument that is a number; 0 where it is none.
inline std::int64_t number(const std::string& text) {
  return core::read_number<std::int64_t>(text).value_or(0);
}

struct ScriptArgs {
  enum class Kind { acquire, confirm, renew, reassert, release, admit, open, look, beat, reconfigure };
  Kind kind = Kind::acquire;
  std::size_t keys = 0;

  static bool is_script(const redis::Command& command) { return command[0].starts_with("EVAL"); }
  // By what is called, be it by sha1 or by body.
  explicit ScriptArgs(const redis::Command& command);

  const std::string& key(const redis::Command& command, std::size_t i) const { return command.at(3 + i); }
  const std::string& argument(const redis::Command& command, std::size_t i) const {
    return command.at(3 + keys + i);
  }
  // Of a release: the ticket that leaves the queue of that lease, or nothing.
  std::string ticket(const redis::Command& command, std::size_t lease) const {
    const std::size_t at = 3 + keys + 2 + keys / 2 + lease;
    return at < command.size() ? command[at] : "";
  }
};

}  // namespace tenure::sim
