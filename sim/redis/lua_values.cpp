#include "sim/redis/lua_values.hpp"

#include <limits>
#include <optional>
#include <utility>

#include "core/base/check.hpp"

namespace tenure::sim {

namespace {

using redis::Value;

std::string_view text_at(lua_State* lua, int index) {
  std::size_t size = 0;
  const char* text = lua_tolstring(lua, index, &size);
  return {text, size};
}

// The field of the table at the top, if it is a string.
std::optional<std::string> field(lua_State* lua, const char* name) {
  lua_pushstring(lua, name);
  lua_rawget(lua, -2);
  std::optional<std::string> found;
  if (lua_type(lua, -1) == LUA_TSTRING) found = one_line(text_at(lua, -1));
  lua_pop(lua, 1);
  return found;
}

std::int64_t truncated(double number) {
  // What x86 gives for a number that has no 64-bit integer; in C++ it is not defined.
  if (!(number >= -0x1p63 && number < 0x1p63)) return std::numeric_limits<std::int64_t>::min();
  return static_cast<std::int64_t>(number);
}

Value table_at_top(lua_State* lua) {
  core::must(lua_checkstack(lua, 4) != 0, "a script's answer is nested too deeply");
  if (auto error = field(lua, "err")) return Value::error(std::move(*error));
  if (auto status = field(lua, "ok")) return Value::status(std::move(*status));
  std::vector<Value> items;
  items.reserve(lua_objlen(lua, -1));
  for (int i = 1;; ++i) {
    lua_rawgeti(lua, -1, i);
    if (lua_isnil(lua, -1)) break;
    items.push_back(pop_value(lua));
  }
  lua_pop(lua, 1);
  return Value::array(std::move(items));
}

Value value_at_top(lua_State* lua) {
  switch (lua_type(lua, -1)) {
    case LUA_TSTRING:
      return Value::string(std::string(text_at(lua, -1)));
    case LUA_TNUMBER:
      return Value::of(truncated(lua_tonumber(lua, -1)));
    case LUA_TBOOLEAN:
      return lua_toboolean(lua, -1) != 0 ? Value::of(1) : Value::nil();
    case LUA_TTABLE:
      return table_at_top(lua);
    default:
      return Value::nil();
  }
}

}  // namespace

void LuaSink::nil() {
  lua_pushboolean(lua_, 0);
  pushed();
}

void LuaSink::integer(std::int64_t number) {
  lua_pushnumber(lua_, static_cast<double>(number));
  pushed();
}

void LuaSink::status(std::string_view text) {
  lua_createtable(lua_, 0, 1);
  lua_pushlstring(lua_, text.data(), text.size());
  lua_setfield(lua_, -2, "ok");
  pushed();
}

void LuaSink::string(std::string_view text) {
  lua_pushlstring(lua_, text.data(), text.size());
  pushed();
}

void LuaSink::error(std::string_view text) {
  failed_ = true;
  lua_createtable(lua_, 0, 1);
  lua_pushlstring(lua_, text.data(), text.size());
  lua_setfield(lua_, -2, "err");
  pushed();
}

void LuaSink::array(std::size_t items) {
  lua_createtable(lua_, static_cast<int>(items), 0);
  in_array_ = true;
}

void LuaSink::pushed() {
  if (in_array_) lua_rawseti(lua_, -2, ++items_);
}

Value pop_value(lua_State* lua) {
  Value value = value_at_top(lua);
  lua_pop(lua, 1);
  return value;
}

std::string one_line(std::string_view text) {
  std::string line(text);
  for (char& letter : line) {
    if (letter == '\r' || letter == '\n') letter = ' ';
  }
  return line;
}

}  // namespace tenure::sim
