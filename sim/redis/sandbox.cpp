#include "sim/redis/sandbox.hpp"

#include <array>

namespace tenure::sim {

namespace {

constexpr std::array functions{"assert", "error",  "ipairs",   "next",     "pairs", "rawequal",
                               "rawget", "select", "tonumber", "tostring", "type",  "unpack"};
constexpr std::array libraries{"string", "table", "math"};

int refuse_write(lua_State* lua) { return luaL_error(lua, "Attempt to modify a readonly table"); }

int refuse_unknown(lua_State* lua) {
  return luaL_error(lua, "Script attempted to access nonexistent global variable '%s'", lua_tostring(lua, 2));
}

void open_libraries(lua_State* lua) {
  for (const lua_CFunction open : {luaopen_base, luaopen_string, luaopen_table, luaopen_math}) {
    lua_pushcfunction(lua, open);
    lua_call(lua, 0, 0);
  }
  // Chance must come from the world's seed, and scripts need none.
  lua_getglobal(lua, "math");
  for (const char* name : {"random", "randomseed"}) {
    lua_pushnil(lua);
    lua_setfield(lua, -2, name);
  }
  lua_pop(lua, 1);
}

// Replaces the table at the top by an empty one that shows it and takes no writes.
void make_read_only(lua_State* lua) {
  lua_createtable(lua, 0, 0);
  lua_createtable(lua, 0, 2);
  lua_pushvalue(lua, -3);
  lua_setfield(lua, -2, "__index");
  lua_pushcfunction(lua, refuse_write);
  lua_setfield(lua, -2, "__newindex");
  lua_setmetatable(lua, -2);
  lua_remove(lua, -2);
}

}  // namespace

void make_sandbox(lua_State* lua) {
  open_libraries(lua);
  for (const char* name : functions) {
    lua_getglobal(lua, name);
    lua_setfield(lua, -2, name);
  }
  for (const char* name : libraries) {
    lua_getglobal(lua, name);
    make_read_only(lua);
    lua_setfield(lua, -2, name);
  }
  lua_createtable(lua, 0, 1);
  lua_pushcfunction(lua, refuse_unknown);
  lua_setfield(lua, -2, "__index");
  lua_setmetatable(lua, -2);
  make_read_only(lua);
}

}  // namespace tenure::sim
