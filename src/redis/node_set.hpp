// Which nodes decide together: core/lease/node_set.hpp, of addresses of Redis.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "redis/url.hpp"

namespace tenure::redis {

// By where they are, whoever we are there: a group of Sentinels by the name of its master and all Sentinels that are listed, in any
// order.
std::string node_set(std::span<const Address> addresses, std::string_view name = {});

// Surely the same master: a Sentinel that both list knows one by that name. Two lists that share none may mean the same one all the
// same.
bool same_group(const SentinelGroup& one, const SentinelGroup& other);
// Surely the same Cluster: both list one of its nodes. Two that list other nodes may mean the same one.
bool same_cluster(const Address& one, const Address& other);

}  // namespace tenure::redis
