// Requests and replies of the core in words: to compare what two stores say, and to tell what they were asked.
#pragma once

#include <string>
#include <vector>

#include "core/message.hpp"

namespace tenure::conformance {

std::string to_text(const core::Request& request);
// Equal for equal replies. A record is what was read in it; its text only where nothing could be.
std::string to_text(const core::Reply& reply);
std::string to_text(const core::FoundRecord& record);
std::string to_text(const core::Grant& grant);

// One word for a kind of request, and the words for what came of it.
std::string kind_of(const core::Request& request);
std::vector<std::string> outcomes_of(const core::Reply& reply);

}  // namespace tenure::conformance
