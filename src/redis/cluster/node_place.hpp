// Where a node of a Redis Cluster is, as another one says it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "redis/url.hpp"

namespace tenure::redis {

// A host as nodes write it: an IPv6 address without brackets. Nothing, or "?", is a host that the node does not know: the
// same one that was asked, and here an empty one. Returns nullopt if it is no host.
std::optional<std::string> read_node_host(std::string_view text);

}  // namespace tenure::redis
