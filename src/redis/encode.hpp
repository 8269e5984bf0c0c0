// Writes commands as RESP, the bytes that Redis reads. Arguments may hold any bytes: each goes with
// its length, so nothing inside one can end it or begin another.
#pragma once

#include <span>
#include <string>

namespace tenure::redis {

void append_command(std::string& out, std::span<const std::string> args);

}  // namespace tenure::redis
