// A client whose nodes are named by the environment, as those of the program are.
#include <algorithm>
#include <iterator>

#include "api/context.hpp"
#include "api/environment.hpp"
#include "api/url_kind.hpp"
#include "redis/text/nodes.hpp"
#include "runtime/net/tls.hpp"
#include "tenure/client.hpp"

namespace tenure {

namespace {

// The options with what the environment says of nodes, cap, set and TLS in place of what they say. A warning is one of the
// file that names the nodes.
struct FromEnvironment {
  ClientOptions options;
  std::optional<std::string> warning{};
};

tl::expected<FromEnvironment, std::string> read_environment(ClientOptions options) {
  FromEnvironment read{std::move(options)};
  auto nodes = detail::nodes_from_environment();
  if (!nodes) return tl::unexpected(std::move(nodes.error()));
  if (*nodes) {
    read.options.nodes = std::move((*nodes)->postgres);
    std::ranges::move((*nodes)->http, std::back_inserter(read.options.nodes));
    for (const auto& address : (*nodes)->addresses) read.options.nodes.push_back(redis::whole_url(address));
    read.warning = std::move((*nodes)->warning);
  }
  const auto ttl_max = detail::ttl_max_from_environment();
  if (!ttl_max) return tl::unexpected(ttl_max.error());
  if (*ttl_max) read.options.ttl_max = std::chrono::duration_cast<std::chrono::milliseconds>(**ttl_max);
  auto set = detail::node_set_from_environment();
  if (!set) return tl::unexpected(std::move(set.error()));
  if (*set) read.options.node_set = std::move(**set);
  // Before anything is said of TLS: an address that cannot be read asks for nothing.
  bool asks_for_tls = false;
  const auto asks = [](const std::string& url) { return url.starts_with(consul::tls_scheme); };
  if (std::ranges::any_of(read.options.nodes, asks)) {
    asks_for_tls = true;
  } else if (std::ranges::all_of(read.options.nodes, detail::is_redis)) {
    const auto addresses = redis::parse_addresses(read.options.nodes);
    if (!addresses) return tl::unexpected(addresses.error());
    asks_for_tls = std::ranges::any_of(*addresses, &redis::Address::tls);
  }
  for (const auto& [name, field] : detail::tls_variables) {
    auto given = detail::variable(name);
    if (!given) continue;
    if (!asks_for_tls) return tl::unexpected(detail::tls_not_asked_for(name));
    read.options.tls.*field = std::move(*given);
  }
  return read;
}

// What is wrong with TLS behind the variables that made it so. Nothing: no variable did.
std::optional<std::string> tls_error(const Tls& tls) {
  // A certificate and its key are of no use without each other.
  const std::vector<std::vector<detail::TlsVariable>> groups{
      {{"TENURE_TLS_CA", &Tls::ca_file}},
      {{"TENURE_TLS_NAME", &Tls::server_name}},
      {{"TENURE_TLS_CERT", &Tls::certificate_file}, {"TENURE_TLS_KEY", &Tls::key_file}},
  };
  for (const auto& group : groups) {
    Tls alone;
    std::string given;
    for (const auto& [name, field] : group) {
      alone.*field = tls.*field;
      if (detail::variable(name)) given.append(given.empty() ? "" : ", ").append(name);
    }
    if (given.empty()) continue;
    if (const auto loaded = runtime::Tls::load(alone); !loaded) return given + ": " + loaded.error();
  }
  return std::nullopt;
}

}  // namespace

tl::expected<Client, Refusal> Client::from_environment(ClientOptions options) {
  auto read = read_environment(std::move(options));
  if (!read) return tl::unexpected(detail::usage(std::move(read.error())));
  const Tls tls = read->options.tls;
  auto client = open(std::move(read->options));
  if (!client && client.error().code == Refusal::Code::usage) {
    if (auto error = tls_error(tls)) return tl::unexpected(detail::usage(std::move(*error)));
  }
  if (client && read->warning) {
    client->context_->client.log(runtime::log_event::password_exposed, *read->warning);
  }
  return client;
}

}  // namespace tenure
