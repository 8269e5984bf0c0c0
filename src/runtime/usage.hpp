// The answer to a wish that contradicts itself.
#pragma once

#include <string>
#include <utility>

#include "tenure/refusal.hpp"

namespace tenure::detail {

inline Refusal usage(std::string message) { return {Refusal::Code::usage, std::move(message)}; }

}  // namespace tenure::detail
