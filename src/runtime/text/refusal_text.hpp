// Why a name was not acquired, in words for a person.
#pragma once

#include <string>
#include <vector>

#include "core/notice.hpp"
#include "runtime/store/store.hpp"

namespace tenure::runtime {

// A sentence; of several lines where several nodes failed.
std::string refusal_text(const core::Refusal& refusal, const std::string& name, const Store& store);

// "waiting for job: held by web-3 for another 12s (token 5)".
std::string waiting_text(const core::Refusal& refusal, const std::string& name, const Store& store);

// Is it the record that stands in the way? Then the store says why (Store::not_open_text).
bool speaks_of_record(const core::Refusal& refusal);

// Behind a sentence: one failure on the same line, several on lines of their own. Nothing where there is none. The names are
// those of all nodes.
std::string failures_text(const std::vector<core::NodeFailure>& failures,
                          const std::vector<std::string>& names);

// "held by web-3 for another 12s (token 5)".
std::string holder_text(const core::Held& held);

// Rounded up: after that time it is worth looking again.
std::string left_text(core::Ttl left);

}  // namespace tenure::runtime
