// Requests of the core as orders on Leases, one for each name, and their outcomes as replies.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kubernetes/lease_task.hpp"

namespace tenure::kubernetes {

// By name. Of a request that is not about Leases: none.
std::vector<std::pair<std::string, Order>> orders_of(const core::Request& request);
// All outcomes are there.
core::Reply reply_of(const core::Request& request, std::vector<std::optional<Outcome>> outcomes);

}  // namespace tenure::kubernetes
