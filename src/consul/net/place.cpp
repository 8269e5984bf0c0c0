#include "consul/net/place.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "core/base/names.hpp"
#include "core/lease/node_set.hpp"

namespace tenure::consul {

namespace {

tl::expected<std::string, std::string> token_from(const Variables& variables) {
  std::string token;
  std::string where = "CONSUL_HTTP_TOKEN";
  if (const auto file = variables("CONSUL_HTTP_TOKEN_FILE")) {
    where = "the file " + *file + ", of CONSUL_HTTP_TOKEN_FILE,";
    std::ifstream in(*file);
    std::ostringstream text;
    if (!in || !(text << in.rdbuf())) return tl::unexpected(where + " cannot be read");
    token = text.str();
    while (token.ends_with('\n') || token.ends_with('\r')) token.pop_back();
  }
  // As Consul's own program has it.
  if (auto given = variables("CONSUL_HTTP_TOKEN"); given && token.empty()) token = std::move(*given);
  const auto is_odd = [](char sign) { return static_cast<unsigned char>(sign) <= ' ' || sign == '\x7f'; };
  if (std::ranges::any_of(token, is_odd)) return tl::unexpected(where + " holds what is no ACL token");
  return token;
}

tl::expected<http_client::HttpServer, std::string> server_of(const Address& address, const Tls& tls,
                                                             const Variables& variables) {
  http_client::HttpServer server{.base = address.base()};
  if (!address.tls) {
    if (tls == Tls{}) return server;
    return tl::unexpected(std::string("TLS is set up, and the address asks for none: consuls:// does"));
  }
  const auto chosen = [&](const std::string& given, const char* name) {
    return tls == Tls{} ? variables(name).value_or("") : given;
  };
  server.ca_file = chosen(tls.ca_file, "CONSUL_CACERT");
  server.certificate = chosen(tls.certificate_file, "CONSUL_CLIENT_CERT");
  server.key = chosen(tls.key_file, "CONSUL_CLIENT_KEY");
  server.server_name = chosen(tls.server_name, "CONSUL_TLS_SERVER_NAME");
  if (server.certificate.empty() != server.key.empty()) {
    return tl::unexpected(std::string("a client certificate and its key are of no use without each other"));
  }
  return server;
}

// Where the keys of that prefix are: apart from all names under no prefix or another one, also under one that it begins with.
std::string folder_of(std::string_view prefix) {
  std::string folder;
  while (!prefix.empty()) {
    const auto slash = std::min(prefix.find('/'), prefix.size());
    folder.append("/.in/").append(prefix.substr(0, slash));
    prefix.remove_prefix(std::min(slash + 1, prefix.size()));
  }
  return folder;
}

bool has_odd_part(std::string_view prefix) {
  const std::string within = "/" + std::string(prefix) + "/";
  for (const char* part : {"//", "/./", "/../"}) {
    if (within.find(part) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

std::optional<std::string> variable(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): as all that reads the environment
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

tl::expected<Place, std::string> place_of(const ClientOptions& options, const Variables& variables) {
  if (auto error = core::name_error("the prefix", options.prefix)) return tl::unexpected(std::move(*error));
  if (has_odd_part(options.prefix)) {
    return tl::unexpected(
        "the prefix " + options.prefix +
        " has a part between slashes that is empty, . or .., which no key of Consul can have");
  }
  if (auto error = core::node_set_error(options.node_set)) return tl::unexpected(std::move(*error));
  if (options.nodes.size() != 1) {
    return tl::unexpected(std::string(
        "several nodes are given, and a Consul is one node: its own servers are a quorum already"));
  }
  auto address = parse_url(options.nodes.front());
  if (!address) return tl::unexpected(std::move(address.error()));
  auto server = server_of(*address, options.tls, variables);
  if (!server) return tl::unexpected(std::move(server.error()));
  auto token = token_from(variables);
  if (!token) return tl::unexpected(std::move(token.error()));

  Place place{};
  place.server = std::move(*server);
  if (!token->empty()) place.header = "X-Consul-Token: " + *token;
  place.keys.root = address->prefix;
  if (options.prefix != ClientOptions{}.prefix) place.keys.root += folder_of(options.prefix);
  place.terms = {options.ttl_max, core::node_set({address->place}, options.node_set)};
  place.address = std::move(*address);
  return place;
}

}  // namespace tenure::consul
