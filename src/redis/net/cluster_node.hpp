// A Redis Cluster behind the port of stores: one node, each of whose slots is a part.
#pragma once

#include <memory>

#include "redis/script_call.hpp"
#include "redis/url.hpp"
#include "runtime/net/tls.hpp"
#include "runtime/store/node.hpp"

namespace tenure::redis {

std::shared_ptr<runtime::Node> make_cluster_node(const Address& address, const Keyspace& keyspace,
                                                 const runtime::Tls& tls);

}  // namespace tenure::redis
