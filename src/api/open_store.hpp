// Which store the options of a client name.
#pragma once

#include <memory>
#include <string>
#include <tl/expected.hpp>

#include "runtime/store/store.hpp"
#include "tenure/options.hpp"

namespace tenure::detail {

// By the scheme of their URLs. The error is a sentence without secrets.
tl::expected<std::shared_ptr<const runtime::Store>, std::string> open_store(const ClientOptions& options);

}  // namespace tenure::detail
