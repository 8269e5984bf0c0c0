// PostgreSQL behind the port of stores: nodes of a client, from addresses.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "postgres/call.hpp"
#include "postgres/net/address.hpp"
#include "runtime/store/node.hpp"

namespace tenure::postgres {

std::vector<std::shared_ptr<runtime::Node>> make_nodes(std::span<const Address> addresses,
                                                       const Keyspace& keyspace);

// One with heartbeats and no leases: nobody has to be admitted there.
std::shared_ptr<runtime::Node> make_data_node(const Address& address);

}  // namespace tenure::postgres
