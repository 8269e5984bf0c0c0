// Why a name was not acquired, in words for a person.
#pragma once

#include <string>
#include <vector>

#include "core/notice.hpp"
#include "redis/text/nodes.hpp"

namespace tenure::redis {

// A sentence; of several lines where several nodes failed.
std::string refusal_text(const core::Refusal& refusal, const std::string& name, const Nodes& nodes);

// "waiting for job: held by web-3 for another 12s (token 5)".
std::string waiting_text(const core::Refusal& refusal, const std::string& name, const Nodes& nodes);

// Behind a sentence: one failure on the same line, several on lines of their own. Nothing where there is none.
std::string failures_text(const std::vector<core::NodeFailure>& failures, const Nodes& nodes);

// "held by web-3 for another 12s (token 5)".
std::string holder_text(const core::Held& held);

// Rounded up: after that time it is worth looking again.
std::string left_text(core::Ttl left);

// Names the node and what it said.
std::string failure_text(const Address& address, const core::Failure& failure);

}  // namespace tenure::redis
