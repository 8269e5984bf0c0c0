// Redis as a store of the public API.
#pragma once

#include <memory>
#include <string>
#include <tl/expected.hpp>

#include "redis/text/nodes.hpp"
#include "runtime/store/store.hpp"
#include "tenure/options.hpp"

namespace tenure::redis {

// The nodes that the options name, with their prefix, cap, set and TLS. Connects to none of them. The error is a sentence
// without secrets.
tl::expected<std::shared_ptr<const runtime::Store>, std::string> open_store(const ClientOptions& options);

// The same of nodes that are known, with their TLS loaded.
std::shared_ptr<const runtime::Store> store_of(Nodes nodes);

}  // namespace tenure::redis
