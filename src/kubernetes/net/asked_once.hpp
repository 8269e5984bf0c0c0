// One call to an API server, waited for.
#pragma once

#include "kubernetes/api_call.hpp"
#include "kubernetes/net/place.hpp"

namespace tenure::kubernetes {

tl::expected<ApiAnswer, core::Failure> ask_once(const Place& place, const ApiCall& call,
                                                core::Duration timeout);

}  // namespace tenure::kubernetes
