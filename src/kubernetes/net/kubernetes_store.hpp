// Kubernetes as a store of a client: kubernetes://[NAMESPACE].
#pragma once

#include <memory>
#include <string>
#include <tl/expected.hpp>

#include "kubernetes/net/place.hpp"
#include "runtime/store/store.hpp"
#include "tenure/options.hpp"

namespace tenure::kubernetes {

// What a client of one API server was opened with.
struct Opened {
  Place place{};
  std::string root{};  // before every name; mostly nothing
  core::Terms terms{};
};

// That the options name. Asks nobody yet. The error is a sentence without secrets.
tl::expected<std::shared_ptr<const runtime::Store>, std::string> open_store(const ClientOptions& options);

std::shared_ptr<const runtime::Store> store_of(Opened opened);

}  // namespace tenure::kubernetes
