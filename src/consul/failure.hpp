// What the statuses of Consul's answers mean.
#pragma once

#include <string_view>

#include "core/message.hpp"

namespace tenure::consul {

// Of an answer with another status than those that tell what was done.
core::Failure classify(int status, std::string_view body);

}  // namespace tenure::consul
