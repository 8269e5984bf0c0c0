// In which slot of a Cluster a request belongs.
#pragma once

#include "core/message.hpp"
#include "redis/cluster/slot.hpp"

namespace tenure::redis {

// Of one whose leases are all in one slot. Heartbeats and their lists are in none, and are not asked of a Cluster.
Slot slot_of(const core::Request& request);

}  // namespace tenure::redis
