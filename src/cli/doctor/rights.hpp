// Which rights a user of Redis lacks for what Tenure does, and which commands the server does not know, by their names. Runs none
// of the commands.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "core/message.hpp"
#include "redis/net/caller.hpp"
#include "redis/script_call.hpp"

namespace tenure::cli {

// What an ACL rule must allow, for leases whose keys begin so.
struct UsedKeys {
  std::string leases = "redlock:";
  redis::Keyspace keyspace{};
};

// For a person.
struct Missing {
  std::vector<std::string> rights{};  // "SET on redlock:*", "SUBSCRIBE on the channels tenure:wake:*", "INFO"
  std::vector<std::string> commands{};  // that nobody may use there: "INFO"
};

// Of a server of a Cluster: with the keyspace of one of its slots. The error is why it could not be found out; that EVAL itself is not allowed, or not known, is no error but the one that is
// named.
tl::expected<Missing, core::Failure> ask_missing(redis::Caller& redis, const UsedKeys& keys);

// All that is needed, as ACL SETUSER takes it.
std::string rights_needed(const UsedKeys& keys);
// And in a Redis Cluster besides.
inline constexpr std::string_view cluster_rights = "+cluster|slots +cluster|myid +asking";

}  // namespace tenure::cli
