// What nodes of Redis failed with, in words for a person.
#pragma once

#include <string>
#include <vector>

#include "core/notice.hpp"
#include "redis/text/nodes.hpp"

namespace tenure::redis {

// Names the node and what it said.
std::string failure_text(const Address& address, const core::Failure& failure);

// See runtime::failures_text().
std::string failures_text(const std::vector<core::NodeFailure>& failures, const Nodes& nodes);

}  // namespace tenure::redis
