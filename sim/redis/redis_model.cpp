#include "sim/redis/redis_model.hpp"

#include <span>
#include <string>
#include <string_view>

#include "sim/redis/commands.hpp"

namespace tenure::sim {

namespace {

using redis::Value;

Value wrong_arity(std::string_view command) {
  return Value::error("ERR wrong number of arguments for '" + std::string(command) + "' command");
}

Value no_script() { return Value::error("NOSCRIPT No matching script. Please use EVAL."); }

Value unknown_command(const redis::Command& command) {
  std::string text = "ERR unknown command '" + command[0] + "', with args beginning with: ";
  for (std::size_t i = 1; i < command.size(); ++i) text += "'" + command[i] + "' ";
  return Value::error(text);
}

// What follows the script in EVAL and EVALSHA: the number of keys, keys, values. Else what is wrong.
struct ReadArguments {
  ScriptArguments arguments;
  std::string_view wrong;
};

ReadArguments read_arguments(const redis::Command& command) {
  const auto rest = std::span(command).subspan(3);
  const auto keys = read_integer(command[2]);
  if (!keys) return {{}, not_an_integer};
  if (*keys > static_cast<std::int64_t>(rest.size())) {
    return {{}, "ERR Number of keys can't be greater than number of args"};
  }
  if (*keys < 0) return {{}, "ERR Number of keys can't be negative"};
  const auto count = static_cast<std::size_t>(*keys);
  return {{.keys = rest.first(count), .values = rest.subspan(count)}, {}};
}

}  // namespace

Value RedisModel::run(const redis::Command& command, NodeTime now) {
  if (command.empty()) return Value::error("ERR empty command");
  const std::string_view name = command[0];
  if (same_word(name, "evalsha")) return command.size() < 3 ? wrong_arity("evalsha") : evalsha(command, now);
  if (same_word(name, "eval")) return command.size() < 3 ? wrong_arity("eval") : eval(command, now);
  if (same_word(name, "script")) return command.size() < 2 ? wrong_arity("script") : script(command);
  return plain(command, now);
}

Value RedisModel::evalsha(const redis::Command& command, NodeTime now) {
  if (command[1].size() != 40) return no_script();
  const auto [arguments, wrong] = read_arguments(command);
  if (!wrong.empty()) return Value::error(std::string(wrong));
  const auto id = host_->by_sha1(command[1]);
  if (!id || !loaded_[*id]) return no_script();
  return host_->run(*id, arguments, server_, now);
}

Value RedisModel::eval(const redis::Command& command, NodeTime now) {
  const auto [arguments, wrong] = read_arguments(command);
  if (!wrong.empty()) return Value::error(std::string(wrong));
  const auto id = host_->by_body(command[1]);
  if (!id) return host_->run_once(command[1], arguments, server_, now);
  loaded_[*id] = true;
  return host_->run(*id, arguments, server_, now);
}

Value RedisModel::script(const redis::Command& command) {
  if (same_word(command[1], "flush")) {
    if (command.size() > 2 && !same_word(command[2], "sync") && !same_word(command[2], "async")) {
      return Value::error("ERR SCRIPT FLUSH only support SYNC|ASYNC option");
    }
    forget_scripts();
    return Value::status("OK");
  }
  if (same_word(command[1], "load")) {
    if (command.size() != 3) return wrong_arity("script|load");
    const auto id = host_->by_body(command[2]);
    if (!id) return Value::error("ERR the simulated Redis loads only the scripts of Tenure");
    loaded_[*id] = true;
    return Value::string(std::string(host_->sha1(*id)));
  }
  return Value::error("ERR unknown subcommand '" + command[1] + "'. Try SCRIPT HELP.");
}

Value RedisModel::plain(const redis::Command& command, NodeTime now) {
  const CommandSpec* spec = find_command(command[0]);
  if (spec == nullptr) return unknown_command(command);
  if (!spec->takes(command.size())) return wrong_arity(spec->name);
  const std::vector<std::string_view> args(command.begin(), command.end());
  ValueSink reply;
  spec->run({server_, now, args, reply});
  return reply.take();
}

}  // namespace tenure::sim
