#include "redis/greeting.hpp"

#include <utility>

#include "redis/failure.hpp"

namespace tenure::redis {

std::vector<Command> greeting_commands(const Greeting& greeting) {
  std::vector<Command> commands;
  if (!greeting.password.empty()) {
    Command auth{"AUTH"};
    if (!greeting.user.empty()) auth.push_back(greeting.user);
    auth.push_back(greeting.password);
    commands.push_back(std::move(auth));
  }
  if (greeting.database != 0) commands.push_back({"SELECT", std::to_string(greeting.database)});
  return commands;
}

core::Failure greeting_failure(const Greeting& greeting, const std::string& error_reply) {
  auto failure = classify(error_reply);
  if (!greeting.password.empty() && error_reply.find(greeting.password) != std::string::npos) {
    failure.detail = "the server refuses user, password or database, in words that repeat a secret";
  }
  return failure;
}

}  // namespace tenure::redis
