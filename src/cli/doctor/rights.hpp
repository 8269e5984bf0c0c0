// Which rights a user of Redis lacks for what Tenure does, by their names. Runs none of the commands.
#pragma once

#include <string>
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

// For a person: "SET on redlock:*", "SUBSCRIBE on the channels tenure:wake:*", "INFO". The error is why it could
// not be found out; that EVAL itself is not allowed is no error but the one right that is named.
tl::expected<std::vector<std::string>, core::Failure> missing_rights(redis::Caller& redis,
                                                                     const UsedKeys& keys);

// All that is needed, as ACL SETUSER takes it.
std::string rights_needed(const UsedKeys& keys);

}  // namespace tenure::cli
