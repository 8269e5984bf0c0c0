// An API server behind the port of stores: the node of a client. It is a single one, whose etcd is a quorum already.
#pragma once

#include <memory>

#include "core/lease/record.hpp"
#include "kubernetes/net/place.hpp"
#include "runtime/store/node.hpp"

namespace tenure::kubernetes {

std::shared_ptr<runtime::Node> make_node(const Place& place, const core::Terms& terms);

}  // namespace tenure::kubernetes
