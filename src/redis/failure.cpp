#include "redis/failure.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "core/text.hpp"

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
    Known{"LOADING", FailureCode::loading, InScript::unclear, "the server is still loading its data"},
    Known{"READONLY", FailureCode::read_only, InScript::unchanged,
          "the server is a read-only replica: name the master instead"},
    Known{"MASTERDOWN", FailureCode::read_only, InScript::unclear,
          "the server is a replica that has lost its master: name the master instead"},
    Known{"MISCONF", FailureCode::misconf, InScript::unchanged,
          "the server takes no writes because it cannot save to disk"},
    Known{"NOREPLICAS", FailureCode::misconf, InScript::unchanged,
          "the server takes no writes because too few replicas follow it"},
    Known{"OOM", FailureCode::out_of_memory, InScript::unchanged, "the server has reached its maxmemory"},
    Known{"BUSY", FailureCode::busy_script, InScript::unclear,
          "the server is busy with somebody's long script (SCRIPT KILL ends it)"},
    Known{"CLUSTERDOWN", FailureCode::cluster, InScript::unclear, "the Redis Cluster is down"},
    Known{"MOVED", FailureCode::cluster, InScript::unclear,
          "the server is part of a Redis Cluster, which does not work yet"},
    Known{"ASK", FailureCode::cluster, InScript::unclear,
          "the server is part of a Redis Cluster, which does not work yet"},
    Known{"TRYAGAIN", FailureCode::cluster, InScript::unclear,
          "the server is part of a Redis Cluster, which does not work yet"},
    Known{"CROSSSLOT", FailureCode::cluster, InScript::unclear,
          "the server is part of a Redis Cluster, which does not work yet"},
    Known{"EXECABORT", FailureCode::server, InScript::unclear, "the server refused the transaction"},
    Known{"NOSCRIPT", FailureCode::server, InScript::unclear, "the server does not know the script"},
    Known{"ERR max number of clients reached", FailureCode::server, InScript::unclear,
          "the server has no room for another client (its maxclients)"},
    Known{"ERR DB index is out of range", FailureCode::server, InScript::unclear,
          "the server has no such database"},
    Known{"ERR unknown command", FailureCode::server, InScript::unclear,
          "the server does not know the command: renamed, or no Redis of version 7"},
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

// "the user may not run EVALSHA", from "NOPERM … to run the 'evalsha' command …".
std::string denied_command(std::string_view reply) {
  constexpr std::string_view before = "to run the '";
  const auto found = reply.find(before);
  if (found == std::string_view::npos) return {};
  const auto rest = reply.substr(found + before.size());
  const auto end = rest.find('\'');
  if (end == std::string_view::npos) return {};
  std::string name(rest.substr(0, end));
  std::transform(name.begin(), name.end(), name.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  return "the user may not run " + core::printable(name);
}

// Both old and new servers begin these with ERR when a script meets them.
bool denied_in_script(std::string_view reply) {
  return reply.find("The user executing the script can't") != std::string_view::npos ||
         reply.find("ACL failure in script") != std::string_view::npos;
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
  if (in_script && denied_in_script(reply)) {
    return {Applied::perhaps, FailureCode::no_permission,
            "the user may not run what the script needs: " + said};
  }
  return {Applied::perhaps, FailureCode::server, "the server said: " + said};
}

}  // namespace tenure::redis
