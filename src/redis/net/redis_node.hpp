// Redis behind the port of stores: nodes of a client, from addresses.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "redis/script_call.hpp"
#include "redis/url.hpp"
#include "runtime/net/tls.hpp"
#include "runtime/store/node.hpp"

namespace tenure::redis {

std::vector<std::shared_ptr<runtime::Node>> make_nodes(std::span<const Address> addresses,
                                                       const Keyspace& keyspace, const runtime::Tls& tls);

// One with heartbeats and no leases: nobody has to be admitted there.
std::shared_ptr<runtime::Node> make_data_node(const Address& address, const runtime::Tls& tls);

}  // namespace tenure::redis
