// What a script can see, and that it cannot change it: as in Redis, a script leaves nothing behind
// but data. Only what is the same in Redis and in bare Lua 5.1 is there; Redis's own pcall is not.
#pragma once

#include <lua.hpp>

namespace tenure::sim {

// Takes the table at the top of the stack, whose fields become globals, adds the allowed libraries,
// and leaves in its place an environment through which scripts read it.
void make_sandbox(lua_State* lua);

}  // namespace tenure::sim
