// Which store the options of a client name.
#pragma once

#include <memory>
#include <string>
#include <tl/expected.hpp>

#include "core/base/time.hpp"
#include "postgres/server.hpp"
#include "runtime/store/store.hpp"
#include "tenure/options.hpp"

namespace tenure::detail {

using OpenedStore = tl::expected<std::shared_ptr<const runtime::Store>, std::string>;

// By the scheme of their URLs. The error is a sentence without secrets.
OpenedStore open_store(const ClientOptions& options);

// The PostgreSQL of that URL, for work that asks it now and then. The error is a sentence without secrets, also where this program was
// linked without PostgreSQL.
using OpenedServer = tl::expected<std::unique_ptr<postgres::Server>, std::string>;
OpenedServer open_server(const std::string& url, core::Duration timeout);
// Do both URLs name the same database of a PostgreSQL, as whoever they come? False where one of them cannot be read.
bool same_postgresql(const std::string& one, const std::string& other);

}  // namespace tenure::detail

// Defined in the component postgresql, and nowhere in programs that do not link it: so they need no libpq. By its plain name the
// linker is told to look for the first, and finds the other beside it.
extern "C" [[gnu::weak]] void tenure_open_postgresql(const tenure::ClientOptions& options,
                                                     tenure::detail::OpenedStore& opened);
extern "C" [[gnu::weak]] void tenure_open_server(const std::string& url, tenure::core::Duration timeout,
                                                 tenure::detail::OpenedServer& opened);
extern "C" [[gnu::weak]] void tenure_open_consul(const tenure::ClientOptions& options,
                                                 tenure::detail::OpenedStore& opened);
extern "C" [[gnu::weak]] void tenure_open_kubernetes(const tenure::ClientOptions& options,
                                                     tenure::detail::OpenedStore& opened);
