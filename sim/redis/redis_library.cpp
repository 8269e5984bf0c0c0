#include "sim/redis/redis_library.hpp"

#include <array>
#include <cstdio>
#include <string>

#include "sim/redis/commands.hpp"
#include "sim/redis/lua_values.hpp"

namespace tenure::sim {

namespace {

// Lua's errors jump like longjmp: no object with a destructor may be alive where one can start.

// The arguments of the call as text; false when one of them is neither string nor number.
bool read_args(lua_State* lua, std::vector<std::string_view>& args) {
  const int count = lua_gettop(lua);
  args.resize(static_cast<std::size_t>(count));
  for (int i = 1; i <= count; ++i) {
    const int type = lua_type(lua, i);
    if (type == LUA_TNUMBER) {
      std::array<char, 32> digits{};
      std::snprintf(digits.data(), digits.size(), "%.17g", lua_tonumber(lua, i));
      lua_pushstring(lua, digits.data());
      lua_replace(lua, i);
    } else if (type != LUA_TSTRING) {
      return false;
    }
    std::size_t size = 0;
    const char* text = lua_tolstring(lua, i, &size);
    args[static_cast<std::size_t>(i - 1)] = {text, size};
  }
  return true;
}

// Leaves the reply on the stack; false when it is an error.
bool run_command(lua_State* lua) {
  auto& context = *static_cast<ScriptContext*>(lua_touserdata(lua, lua_upvalueindex(1)));
  LuaSink reply(lua);
  const CommandSpec* spec = nullptr;
  if (lua_gettop(lua) == 0) {
    reply.error("ERR Please specify at least one argument for this redis lib call");
  } else if (!read_args(lua, context.args)) {
    reply.error("ERR Lua redis lib command arguments must be strings or integers");
  } else if (spec = find_command(context.args[0]); spec == nullptr) {
    reply.error("ERR Unknown Redis command called from script");
  } else if (!spec->takes(context.args.size())) {
    reply.error("ERR Wrong number of args calling Redis command from script");
  } else {
    spec->run({*context.server, context.now, context.args, reply});
  }
  return !reply.failed();
}

int call(lua_State* lua) { return run_command(lua) ? 1 : lua_error(lua); }

int pcall(lua_State* lua) {
  run_command(lua);
  return 1;
}

bool one_string(lua_State* lua) { return lua_gettop(lua) == 1 && lua_type(lua, 1) == LUA_TSTRING; }

int wrong_arguments(lua_State* lua) {
  LuaSink(lua).error("ERR wrong number or type of arguments");
  return 1;
}

int error_reply(lua_State* lua) {
  if (!one_string(lua)) return wrong_arguments(lua);
  const char* text = lua_tostring(lua, 1);
  if (*text == '-') ++text;
  // The first word is the error's code; a text of one word has none.
  const bool has_code = std::string_view(text).find(' ') != std::string_view::npos;
  lua_createtable(lua, 0, 1);
  lua_pushfstring(lua, "%s%s", has_code ? "" : "ERR ", text);
  lua_setfield(lua, -2, "err");
  return 1;
}

int status_reply(lua_State* lua) {
  if (!one_string(lua)) return wrong_arguments(lua);
  lua_createtable(lua, 0, 1);
  lua_pushvalue(lua, 1);
  lua_setfield(lua, -2, "ok");
  return 1;
}

}  // namespace

void push_redis_library(lua_State* lua, ScriptContext& context) {
  lua_createtable(lua, 0, 4);
  for (const auto& [name, function] : {luaL_Reg{"call", call}, luaL_Reg{"pcall", pcall}}) {
    lua_pushlightuserdata(lua, &context);
    lua_pushcclosure(lua, function, 1);
    lua_setfield(lua, -2, name);
  }
  lua_pushcfunction(lua, error_reply);
  lua_setfield(lua, -2, "error_reply");
  lua_pushcfunction(lua, status_reply);
  lua_setfield(lua, -2, "status_reply");
}

}  // namespace tenure::sim
