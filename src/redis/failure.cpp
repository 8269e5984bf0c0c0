#include "redis/failure.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "core/base/number.hpp"
#include "core/base/text.hpp"
#include "redis/scripts.hpp"

namespace tenure::redis {
namespace {

using core::Applied;
using core::Failure;
using core::FailureCode;

// What the same words mean when they come out of a script that was already running.
enum class InScript : unsigned char {
  unchanged,  // Redis checks this only before the first write of a script (scriptVerifyWriteCommandAllow and
              // scriptVerifyOOM in its script.c), so nothing was written
  unclear,    // an earlier call of the script may have written
};

struct Known {
  std::string_view start;  // of the reply, up to a space or its end
  FailureCode code;
  InScript in_script;
  std::string_view advice;
};

// Redis says all of these before it runs anything.
constexpr std::array known{
    Known{"NOAUTH", FailureCode::auth, InScript::unclear, "the server wants a password"},
    Known{"WRONGPASS", FailureCode::auth, InScript::unclear, "wrong user name or password"},
    Known{"ERR invalid password", FailureCode::auth, InScript::unclear, "wrong password"},
    Known{"ERR AUTH <password> called without any password", FailureCode::auth, InScript::unclear,
          "a password was given, but the server has none for the default user"},
    Known{"DENIED", FailureCode::auth, InScript::unclear,
          "the server is in protected mode: it takes clients from elsewhere only with a password"},
    Known{"NOPERM", FailureCode::no_permission, InScript::unclear, "the user may not do this"},
    Known{"LOADING", FailureCode::starting, InScript::unclear, "the server is still loading its data"},
    Known{"READONLY", FailureCode::read_only, InScript::unchanged,
          "the server is a read-only replica: name the master instead"},
    Known{"MASTERDOWN", FailureCode::read_only, InScript::unclear,
          "the server is a replica that has lost its master: name the master instead"},
    Known{"MISCONF", FailureCode::not_durable, InScript::unchanged,
          "the server takes no writes because it cannot save to disk"},
    Known{"NOREPLICAS", FailureCode::not_durable, InScript::unchanged,
          "the server takes no writes because too few replicas follow it"},
    Known{"OOM", FailureCode::full, InScript::unchanged, "the server has reached its maxmemory"},
    Known{"BUSY", FailureCode::busy, InScript::unclear,
          "the server is busy with somebody's long script (SCRIPT KILL ends it)"},
    Known{"CLUSTERDOWN", FailureCode::unsupported, InScript::unclear, "the Redis Cluster is down"},
    Known{"MOVED", FailureCode::unsupported, InScript::unclear,
          "the server is part of a Redis Cluster: name that, by redis-cluster://"},
    Known{"ASK", FailureCode::unsupported, InScript::unclear,
          "the server is part of a Redis Cluster: name that, by redis-cluster://"},
    Known{"TRYAGAIN", FailureCode::unsupported, InScript::unclear,
          "the server is part of a Redis Cluster: name that, by redis-cluster://"},
    Known{"CROSSSLOT", FailureCode::unsupported, InScript::unclear,
          "the server is part of a Redis Cluster: name that, by redis-cluster://"},
    Known{"EXECABORT", FailureCode::server, InScript::unclear, "the server refused the transaction"},
    Known{"NOSCRIPT", FailureCode::server, InScript::unclear, "the server does not know the script"},
    Known{"ERR max number of clients reached", FailureCode::server, InScript::unclear,
          "the server has no room for another client (its maxclients)"},
    Known{"ERR DB index is out of range", FailureCode::server, InScript::unclear,
          "the server has no such database"},
    Known{"ERR Could not find scripting engine", FailureCode::unsupported, InScript::unclear,
          "the server runs no Lua scripts: load its Lua engine, or use another server"},
};

bool begins_with(std::string_view reply, std::string_view start) {
  if (!reply.starts_with(start)) return false;
  return reply.size() == start.size() ||
         std::string_view(" ,.").find(reply[start.size()]) != std::string_view::npos;
}

// Redis 7 says where in a script an error was raised: "… script: <sha>, on @user_script:7." In a
// version that says it otherwise, the reply begins with ERR and is unclear for that reason.
bool raised_in_script(std::string_view reply) {
  const auto sha = reply.rfind(" script: ");
  return sha != std::string_view::npos && reply.find(", on @", sha) != std::string_view::npos;
}

// Redis repeats the arguments of a command that it does not know. Those of AUTH are a secret.
std::string without_arguments(std::string_view reply) {
  reply = reply.substr(0, reply.find(", with args beginning with:"));
  return core::printable(reply);
}

std::string in_capitals(std::string name) {
  std::ranges::transform(name, name.begin(),
                         [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  return name;
}

// "the user may not run EVALSHA", from "NOPERM … to run the 'evalsha' command …".
std::string denied_command(std::string_view reply) {
  constexpr std::string_view before = "to run the '";
  const auto found = reply.find(before);
  if (found == std::string_view::npos) return {};
  const auto rest = reply.substr(found + before.size());
  const auto end = rest.find('\'');
  if (end == std::string_view::npos) return {};
  return "the user may not run " + core::printable(in_capitals(std::string(rest.substr(0, end))));
}

// Both old and new servers begin these with ERR when a script meets them.
bool denied_in_script(std::string_view reply) {
  return reply.find("The user executing the script can't") != std::string_view::npos ||
         reply.find("ACL failure in script") != std::string_view::npos;
}

const Script* find_script(std::string_view sha1) {
  for (const Script* script :
       {&acquire_script, &confirm_script, &renew_script, &release_script, &reassert_script, &admit_script,
        &open_script, &init_script, &publish_result_script, &rights_script, &look_script, &break_script,
        &beat_script, &session_put_script, &session_remove_script, &session_texts_script, &results_script,
        &reconfigure_script, &find_leases_script}) {
    if (script->sha1 == sha1) return script;
  }
  return nullptr;
}

std::string_view line_of(std::string_view text, int number) {
  for (int line = 1; line < number && !text.empty(); ++line) {
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  }
  return text.substr(0, text.find('\n'));
}

// Redis says only where in a script of ours a command was refused. Those that stand there: redis.call('INFO', …
std::vector<std::string> commands_there(std::string_view reply) {
  constexpr std::string_view before_sha = " script: ";
  constexpr std::string_view before_line = ", on @user_script:";
  const auto sha = reply.rfind(before_sha);
  const auto place = reply.rfind(before_line);
  if (sha == std::string_view::npos || place == std::string_view::npos || place < sha) return {};
  const auto sha1 = reply.substr(sha + before_sha.size(), place - sha - before_sha.size());
  const auto number = reply.substr(place + before_line.size());
  const Script* script = find_script(sha1);
  const auto line = core::read_number<int>(number.substr(0, number.find_first_not_of("0123456789")));
  if (script == nullptr || !line) return {};
  const auto code = line_of(script->body, *line);
  std::vector<std::string> names;
  for (const std::string_view before_name : {"call('", "acl_check_cmd('"}) {
    for (auto at = code.find(before_name); at != std::string_view::npos; at = code.find(before_name, at)) {
      at += before_name.size();
      std::string name(code.substr(at, code.find('\'', at) - at));
      if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
    }
  }
  return names;
}

std::string joined(const std::vector<std::string>& names, const std::string& before_each = "") {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : " or ") + before_each + name;
  return text;
}

// As an ACL rule has it.
std::string in_small_letters(std::string name) {
  std::ranges::transform(name, name.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return name;
}

constexpr std::string_view before_unknown = "ERR unknown command";

// The command that the server does not know: "ERR unknown command 'EVALSHA', with …". Other servers quote it otherwise.
std::string unknown_command(std::string_view reply) {
  constexpr std::string_view around_it = " '`\",";
  const auto begin = std::min(reply.find_first_not_of(around_it, before_unknown.size()), reply.size());
  const auto end = reply.find_first_of(around_it, begin);
  return in_capitals(core::printable(reply.substr(begin, end - begin), 40));
}

// Redis says "Unknown Redis command called from script", Valkey leaves out its own name. A script that asks for a right to a
// command gets another sentence.
bool unknown_in_script(std::string_view reply) {
  const bool called =
      reply.starts_with("ERR Unknown ") && reply.find("command called from script") != std::string_view::npos;
  return called || (reply.starts_with("ERR Invalid command passed to ") &&
                    reply.find("acl_check_cmd()") != std::string_view::npos);
}

std::string unknown_text(const std::string& command) {
  return "the server does not know the command" + (command.empty() ? "" : " " + command) +
         " (renamed, disabled, or no Redis of version 7): enable it there, or use another server";
}

std::string denied_in_script_text(std::string_view reply, const std::string& said) {
  // As 7.0 says it, and as servers after it do: "User web has no permissions to run the 'info' command".
  const bool command = reply.find("can't run this command") != std::string_view::npos ||
                       reply.find("has no permissions to run the '") != std::string_view::npos;
  const auto names = command ? commands_there(reply) : std::vector<std::string>{};
  if (names.empty()) return "the user may not run what the script needs: " + said;
  return "the user may not run " + joined(names) + ": it lacks " + in_small_letters(joined(names, "+")) +
         " (tenure doctor names all rights that are needed)";
}

// A script of ours begins with its flags.
bool flags_unknown(std::string_view reply) {
  return reply.starts_with("ERR Error compiling script") && reply.find("near '#'") != std::string_view::npos;
}

}  // namespace

Failure classify(std::string_view reply) {
  const bool in_script = raised_in_script(reply);
  const std::string said = without_arguments(reply);
  for (const Known& entry : known) {
    if (!begins_with(reply, entry.start)) continue;
    const bool unclear = in_script && entry.in_script == InScript::unclear;
    std::string advice(entry.advice);
    if (entry.code == FailureCode::no_permission) {
      if (auto command = denied_command(reply); !command.empty()) advice = std::move(command);
    }
    return {unclear ? Applied::perhaps : Applied::no, entry.code, advice + ": " + said};
  }
  if (begins_with(reply, before_unknown)) {
    return {in_script ? Applied::perhaps : Applied::no, FailureCode::unsupported,
            unknown_text(unknown_command(reply))};
  }
  if (unknown_in_script(reply)) {
    const auto names = commands_there(reply);
    return {Applied::perhaps, FailureCode::unsupported,
            unknown_text(joined(names)) + (names.empty() ? ": " + said : "")};
  }
  if (flags_unknown(reply)) {
    return {Applied::no, FailureCode::unsupported,
            "the server does not know scripts with flags: use a Redis of version 7 or later"};
  }
  if (in_script && denied_in_script(reply)) {
    return {Applied::perhaps, FailureCode::no_permission, denied_in_script_text(reply, said)};
  }
  return {Applied::perhaps, FailureCode::server, "the server said: " + said};
}

std::string no_life_text(std::string_view field) {
  return "its INFO shows no " + std::string(field) +
         ", by which a restart is noticed: use a Redis or Valkey that shows it";
}

}  // namespace tenure::redis
