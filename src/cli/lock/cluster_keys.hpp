// Keys of a Redis Cluster, looked at slot by slot: no script there may touch keys of two slots.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "core/message.hpp"
#include "redis/lock_call.hpp"
#include "redis/net/caller.hpp"
#include "redis/script_call.hpp"
#include "redis/text/nodes.hpp"

namespace tenure::cli {

// What a master shows for keys that it has named itself, in their order. One that has left it meanwhile, or expired, shows nothing.
tl::expected<std::vector<redis::FoundKey>, core::Failure> look_at_own_keys(redis::Caller& redis,
                                                                           std::span<const std::string> keys,
                                                                           const redis::Keyspace& keyspace);
// The leases among them.
tl::expected<redis::FoundLeases, core::Failure> find_leases_among_own(redis::Caller& redis,
                                                                      std::span<const std::string> keys);

using KeyLooked = tl::expected<redis::FoundKey, core::Failure>;
// What the Cluster shows for these keys, in their order; asks only the masters that serve them.
std::vector<KeyLooked> look_at_keys(const redis::Nodes& cluster, const std::vector<std::string>& keys);

}  // namespace tenure::cli
