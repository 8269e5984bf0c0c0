// Consul as a store of the public API.
#pragma once

#include <memory>
#include <string>
#include <tl/expected.hpp>

#include "consul/net/place.hpp"
#include "runtime/store/store.hpp"
#include "tenure/options.hpp"

namespace tenure::consul {

// Connects to nothing. The error is a sentence without secrets.
tl::expected<std::shared_ptr<const runtime::Store>, std::string> open_store(const ClientOptions& options);

std::shared_ptr<const runtime::Store> store_of(Place place);

}  // namespace tenure::consul
