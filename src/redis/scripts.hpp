// The Lua scripts, embedded at build from scripts/*.lua, and the names of the keys beside the leases.
#pragma once

#include <string>
#include <string_view>

namespace tenure::redis {

struct Script {
  std::string_view name;
  std::string_view sha1;  // what EVALSHA calls it by
  std::string_view body;
};

extern const Script acquire_script;
extern const Script renew_script;
extern const Script release_script;
extern const Script init_script;

}  // namespace tenure::redis
