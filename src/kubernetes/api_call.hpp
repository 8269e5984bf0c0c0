// What is said to an API server, and what it answers, apart from how that travels.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "core/message.hpp"

namespace tenure::kubernetes {

struct ApiCall {
  std::string method;
  std::string target;  // from the slash
  std::string body{};

  bool writes() const { return method != "GET"; }
};

struct ApiAnswer {
  int status = 0;
  std::string body{};
  std::optional<std::chrono::seconds> date{};  // since 1970, by the header Date

  bool fine() const { return status >= 200 && status < 300; }
};

// Where the Leases of a namespace are.
std::string leases_target(const std::string& name_space);
std::string lease_target(const std::string& name_space, const std::string& object);
// A list with that one alone, which also says how new it is.
std::string list_target(const std::string& name_space, const std::string& object);
// What becomes of that one, or with an empty name of all, since that version.
std::string watch_target(const std::string& name_space, const std::string& object, const std::string& version,
                         std::chrono::seconds at_most);

// Of an answer that is not fine. What the server says of it is handed on: it names the verb and the resource that are not allowed.
core::Failure failure_of(const ApiCall& call, const ApiAnswer& answer);

}  // namespace tenure::kubernetes
