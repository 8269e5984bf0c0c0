// Where a Consul is and how it is spoken to, as options and the environment of Consul's own program say it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <tl/expected.hpp>

#include "consul/net/shared.hpp"
#include "tenure/options.hpp"

namespace tenure::consul {

// A variable of the environment; nullopt where there is none, or it is empty.
using Variables = std::function<std::optional<std::string>(const char* name)>;
std::optional<std::string> variable(const char* name);

// CONSUL_HTTP_TOKEN, CONSUL_HTTP_TOKEN_FILE, and for consuls:// CONSUL_CACERT, CONSUL_CLIENT_CERT, CONSUL_CLIENT_KEY and
// CONSUL_TLS_SERVER_NAME where the options say nothing of TLS. The error is a sentence without secrets.
tl::expected<Place, std::string> place_of(const ClientOptions& options,
                                          const Variables& variables = variable);

}  // namespace tenure::consul
