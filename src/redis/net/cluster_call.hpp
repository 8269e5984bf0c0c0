// A Redis Cluster, asked and waited for on the calling thread: for who looks at it once. Leases do not go through here.
#pragma once

#include <tl/expected.hpp>

#include "core/base/time.hpp"
#include "core/message.hpp"
#include "redis/cluster/slot_map.hpp"
#include "redis/script_call.hpp"
#include "redis/url.hpp"
#include "runtime/net/tls.hpp"

namespace tenure::redis {

// Which of its nodes serves which slot.
tl::expected<SlotMap, core::Failure> find_slot_map(const Address& cluster, const runtime::Tls& tls,
                                                   core::Duration timeout);

// One that changes nothing, and that nobody has to be admitted for.
core::Reply ask_cluster(const Address& cluster, const Keyspace& keyspace, const runtime::Tls& tls,
                        core::Request request, core::Duration timeout);

// How long a round trip to the slowest of its masters takes. A failure: one of them does not answer.
tl::expected<core::Duration, core::Failure> ping_cluster(const Address& cluster, const runtime::Tls& tls,
                                                         core::Duration timeout);

}  // namespace tenure::redis
