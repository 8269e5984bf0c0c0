// The table `redis` that a script sees: call, pcall, error_reply and status_reply.
#pragma once

#include <lua.hpp>
#include <string_view>
#include <vector>

#include "sim/redis/server.hpp"

namespace tenure::sim {

// What the script that runs now may work on. The time stands still while it runs.
struct ScriptContext {
  Server* server = nullptr;
  NodeTime now = 0;
  std::vector<std::string_view> args{};  // of one redis.call; here, so that its memory is used again
};

// Leaves the table on the stack. The context must outlive the state.
void push_redis_library(lua_State* lua, ScriptContext& context);

}  // namespace tenure::sim
