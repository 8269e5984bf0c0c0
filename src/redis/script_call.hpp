// Requests of the core as script calls, and the answers of the scripts as replies.
#pragma once

#include <string>
#include <vector>

#include "core/message.hpp"
#include "redis/scripts.hpp"
#include "redis/value.hpp"

namespace tenure::redis {

// A command as Redis takes it: its name and arguments.
using Command = std::vector<std::string>;

// What the scripts need to know beside the request.
struct Keyspace {
  std::string prefix = "tenure:";
  core::Ttl cap{60'000};

  std::string record() const { return prefix + "record"; }
  std::string fence() const { return prefix + "fence"; }
};

enum class CallBy : std::uint8_t {
  sha1,  // short, and fails with NOSCRIPT where Redis does not know the script
  body,  // works always, and makes it known
};

Command script_call(const core::Request& request, const Keyspace& keyspace, CallBy by);

// The reply to that request. A value that no script of ours gives is a Failure.
core::Reply script_reply(const core::Request& request, const Value& value);

}  // namespace tenure::redis
