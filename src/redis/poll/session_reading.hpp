// Reads sessions from one Redis, in calls that stay small however many there are.
#pragma once

#include <span>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "poll/session_json.hpp"
#include "redis/net/caller.hpp"
#include "redis/session_call.hpp"

namespace tenure::redis {

// One that was looked for: a session, a bad one, or none.
struct ReadSession {
  enum class Kind : std::uint8_t { absent, good, bad };
  Kind kind = Kind::absent;
  Session session{};  // of a bad one only its id
  std::string why{};
};

// One for each id, in their order.
tl::expected<std::vector<ReadSession>, core::Failure> read_sessions(Caller& redis, const SessionKeys& keys,
                                                                    std::span<const std::string> ids,
                                                                    poll::Addresses addresses);

// The ids of all keys that begin as those of sessions do, by their order. Goes through all keys.
tl::expected<std::vector<std::string>, core::Failure> scan_sessions(Caller& redis, const SessionKeys& keys);

}  // namespace tenure::redis
