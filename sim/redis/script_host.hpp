// Runs Tenure's scripts in Lua 5.1, the version inside Redis, over a simulated server: the same files
// that real nodes run. One host serves all nodes of all worlds, one call at a time.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "redis/scripts.hpp"
#include "redis/value.hpp"
#include "sim/redis/server.hpp"

struct lua_State;

namespace tenure::sim {

struct ScriptContext;

struct ScriptArguments {
  std::span<const std::string> keys{};
  std::span<const std::string> values{};
};

class ScriptHost {
 public:
  // With a directory, a file <name>.lua in it takes the place of the script of that name, which is
  // still called by its old body and sha1. Throws std::runtime_error where a file names no script of
  // ours, there is none at all, or one does not compile.
  explicit ScriptHost(const std::optional<std::filesystem::path>& scripts_dir = std::nullopt);
  ScriptHost(const ScriptHost&) = delete;
  ScriptHost& operator=(const ScriptHost&) = delete;
  ~ScriptHost();

  // Scripts are counted from 0.
  std::size_t scripts() const { return scripts_.size(); }
  std::optional<std::size_t> by_sha1(std::string_view sha1) const;
  std::optional<std::size_t> by_body(std::string_view body) const;
  std::string_view sha1(std::size_t script) const { return scripts_[script].known->sha1; }

  redis::Value run(std::size_t script, const ScriptArguments& arguments, Server& server, NodeTime now);
  // A script that is not one of ours: compiled for this call, and forgotten.
  redis::Value run_once(std::string_view body, const ScriptArguments& arguments, Server& server,
                        NodeTime now);

 private:
  struct Loaded {
    const redis::Script* known = nullptr;
    int function = 0;  // where Lua's registry keeps it
  };

  // Leaves the compiled function on the stack; else says what is wrong.
  std::optional<std::string> compile(std::string_view body);
  // Calls the function at the top of the stack.
  redis::Value call(std::string_view sha1, const ScriptArguments& arguments, Server& server, NodeTime now);

  std::unique_ptr<ScriptContext> context_;
  std::unique_ptr<lua_State, void (*)(lua_State*)> lua_;
  std::vector<Loaded> scripts_;
  // How many strings the tables KEYS and ARGV hold from the call before.
  std::size_t keys_filled_ = 0;
  std::size_t values_filled_ = 0;
};

}  // namespace tenure::sim
