// Who we are to a server: what is said first on every connection.
#pragma once

#include <string>
#include <vector>

#include "core/message.hpp"
#include "redis/script_call.hpp"

namespace tenure::redis {

struct Greeting {
  std::string user{};  // with a password: an ACL user; empty is the default user
  std::string password{};
  int database = 0;
};

// The commands that open a connection; each must be answered with OK.
std::vector<Command> greeting_commands(const Greeting& greeting);
// What the server's error to one of them means; its words only where they do not repeat the password.
core::Failure greeting_failure(const Greeting& greeting, const std::string& error_reply);

}  // namespace tenure::redis
