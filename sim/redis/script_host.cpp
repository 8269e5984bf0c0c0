#include "sim/redis/script_host.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <lua.hpp>
#include <set>
#include <stdexcept>
#include <system_error>

#include "core/base/check.hpp"
#include "sim/redis/lua_values.hpp"
#include "sim/redis/redis_library.hpp"
#include "sim/redis/sandbox.hpp"

namespace tenure::sim {

namespace {

namespace fs = std::filesystem;

constexpr std::array known_scripts{
    &redis::acquire_script,        &redis::confirm_script,       &redis::renew_script,
    &redis::release_script,        &redis::reassert_script,      &redis::admit_script,
    &redis::open_script,           &redis::init_script,          &redis::publish_result_script,
    &redis::look_script,           &redis::break_script,         &redis::rights_script,
    &redis::beat_script,           &redis::reconfigure_script,   &redis::session_put_script,
    &redis::session_remove_script, &redis::session_texts_script, &redis::results_script,
    &redis::find_leases_script,
};

// What lies at the bottom of the stack for good: pushing it from there is the fastest way to it.
enum Slot : int { handler_slot = 1, keys_slot, values_slot, environment_slot };

// Turns whatever a script failed with into Redis's sentence, without the name of the script.
int describe_error(lua_State* lua) {
  lua_Debug where{};
  // The failing function may be redis.call; the line is of the script that called it.
  bool known = lua_getstack(lua, 1, &where) != 0 && lua_getinfo(lua, "Sl", &where) != 0;
  if (known && where.what == std::string_view("C")) {
    known = lua_getstack(lua, 2, &where) != 0 && lua_getinfo(lua, "Sl", &where) != 0;
  }
  if (lua_istable(lua, 1)) {
    lua_getfield(lua, 1, "err");
    if (lua_isstring(lua, -1) == 0) lua_pushliteral(lua, "ERR the script's error says nothing");
  } else if (lua_isstring(lua, 1) != 0) {
    lua_pushfstring(lua, "ERR %s", lua_tostring(lua, 1));
  } else {
    lua_pushfstring(lua, "ERR %s", luaL_typename(lua, 1));
  }
  lua_pushinteger(lua, known ? where.currentline : 0);
  lua_createtable(lua, 2, 0);
  lua_insert(lua, -3);
  lua_rawseti(lua, -3, 2);
  lua_rawseti(lua, -2, 1);
  return 1;
}

void fill(lua_State* lua, int table, std::span<const std::string> texts, std::size_t& filled) {
  int i = 0;
  for (const std::string& text : texts) {
    lua_pushlstring(lua, text.data(), text.size());
    lua_rawseti(lua, table, ++i);
  }
  while (static_cast<std::size_t>(i) < filled) {
    lua_pushnil(lua);
    lua_rawseti(lua, table, ++i);
  }
  filled = texts.size();
}

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path.string() + ": cannot be read");
  return {std::istreambuf_iterator<char>(file), {}};
}

// Names of the scripts that a directory replaces. A name that is not ours is a slip that would
// otherwise go unnoticed: the world would run unchanged.
std::set<std::string, std::less<>> replaced_scripts(const fs::path& dir) {
  std::error_code failed;
  std::set<std::string, std::less<>> names;
  for (const auto& entry : fs::directory_iterator(dir, failed)) {
    if (entry.path().extension() != ".lua") continue;
    const std::string name = entry.path().stem().string();
    if (std::none_of(known_scripts.begin(), known_scripts.end(),
                     [&](auto* script) { return script->name == name; })) {
      throw std::runtime_error(entry.path().string() + ": there is no script of that name");
    }
    names.insert(name);
  }
  if (failed) throw std::runtime_error(dir.string() + ": " + failed.message());
  if (names.empty()) throw std::runtime_error(dir.string() + ": no script in it");
  return names;
}

}  // namespace

ScriptHost::ScriptHost(const std::optional<fs::path>& scripts_dir)
    : context_(std::make_unique<ScriptContext>()), lua_(luaL_newstate(), lua_close) {
  core::must(lua_ != nullptr, "Lua gets its memory");
  lua_State* lua = lua_.get();
  lua_pushcfunction(lua, describe_error);
  lua_newtable(lua);
  lua_newtable(lua);
  lua_newtable(lua);
  lua_pushvalue(lua, keys_slot);
  lua_setfield(lua, -2, "KEYS");
  lua_pushvalue(lua, values_slot);
  lua_setfield(lua, -2, "ARGV");
  push_redis_library(lua, *context_);
  lua_setfield(lua, -2, "redis");
  make_sandbox(lua);

  const auto replaced = scripts_dir ? replaced_scripts(*scripts_dir) : std::set<std::string, std::less<>>{};
  for (const redis::Script* script : known_scripts) {
    const std::string name(script->name);
    const bool other = replaced.contains(name);
    const std::string body = other ? read_file(*scripts_dir / (name + ".lua")) : std::string(script->body);
    if (const auto wrong = compile(body)) throw std::runtime_error(name + ".lua: " + *wrong);
    scripts_.push_back({script, luaL_ref(lua, LUA_REGISTRYINDEX)});
  }
}

ScriptHost::~ScriptHost() = default;

std::optional<std::size_t> ScriptHost::by_sha1(std::string_view sha1) const {
  for (std::size_t i = 0; i < scripts_.size(); ++i) {
    if (scripts_[i].known->sha1 == sha1) return i;
  }
  return std::nullopt;
}

std::optional<std::size_t> ScriptHost::by_body(std::string_view body) const {
  for (std::size_t i = 0; i < scripts_.size(); ++i) {
    if (scripts_[i].known->body == body) return i;
  }
  return std::nullopt;
}

redis::Value ScriptHost::run(std::size_t script, const ScriptArguments& arguments, Server& server,
                             NodeTime now) {
  lua_rawgeti(lua_.get(), LUA_REGISTRYINDEX, scripts_[script].function);
  return call(sha1(script), arguments, server, now);
}

redis::Value ScriptHost::run_once(std::string_view body, const ScriptArguments& arguments, Server& server,
                                  NodeTime now) {
  if (const auto wrong = compile(body)) {
    return redis::Value::error(one_line("ERR Error compiling script (new function): " + *wrong));
  }
  return call("of somebody else", arguments, server, now);
}

std::optional<std::string> ScriptHost::compile(std::string_view body) {
  // Lua does not know the line with the flags; its end stays, so that lines keep their numbers.
  if (body.starts_with("#!")) body.remove_prefix(std::min(body.find('\n'), body.size()));
  lua_State* lua = lua_.get();
  if (luaL_loadbuffer(lua, body.data(), body.size(), "@user_script") != 0) {
    std::string wrong = lua_tostring(lua, -1);
    lua_pop(lua, 1);
    return wrong;
  }
  lua_pushvalue(lua, environment_slot);
  lua_setfenv(lua, -2);
  return std::nullopt;
}

redis::Value ScriptHost::call(std::string_view sha1, const ScriptArguments& arguments, Server& server,
                              NodeTime now) {
  lua_State* lua = lua_.get();
  fill(lua, keys_slot, arguments.keys, keys_filled_);
  fill(lua, values_slot, arguments.values, values_filled_);
  context_->server = &server;
  context_->now = now;
  if (lua_pcall(lua, 0, 1, handler_slot) == 0) return pop_value(lua);

  core::must(lua_istable(lua, -1), "Lua describes what went wrong");
  lua_rawgeti(lua, -1, 1);
  lua_rawgeti(lua, -2, 2);
  std::string text = one_line(lua_tostring(lua, -2));
  text += " script: " + std::string(sha1) + ", on @user_script:" + lua_tostring(lua, -1) + ".";
  lua_pop(lua, 3);
  return redis::Value::error(text);
}

}  // namespace tenure::sim
