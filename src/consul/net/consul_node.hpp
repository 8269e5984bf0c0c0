// Consul behind the port of stores: the node of a client.
#pragma once

#include <memory>

#include "consul/net/shared.hpp"
#include "runtime/store/node.hpp"

namespace tenure::consul {

std::shared_ptr<runtime::Node> make_node(Place place);

}  // namespace tenure::consul
