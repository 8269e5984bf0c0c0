#include "redis/text/nodes.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "core/base/text.hpp"
#include "core/nodes.hpp"
#include "redis/node_set.hpp"

namespace tenure::redis {

namespace {

// Another user or database makes no other server of it.
bool same_server(const Address& one, const Address& other) {
  return one.kind == other.kind && one.host == other.host && one.port == other.port && one.path == other.path;
}

// Why this one cannot stand beside those before it, or nothing.
std::optional<std::string> misplaced(const Address& address, std::span<const Address> others) {
  const std::string name = to_text(address);
  const auto same = std::ranges::find_if(others, [&](const auto& it) { return same_server(it, address); });
  if (same == others.end()) return std::nullopt;
  const std::string other = to_text(*same);
  return (other == name ? name + " is given twice" : other + " and " + name + " are one Redis") +
         "; every node must be a Redis of its own";
}

bool has_secret(const Address& address) { return !address.password.empty() || !address.user.empty(); }

// For a shell, which puts it in: a secret is not shown, and stars in its place would be of no use.
std::string with_secret_from_environment(const Address& address) {
  std::string url = to_text(address);
  if (const auto stars = url.find("***@"); has_secret(address) && stars != std::string::npos) {
    url.replace(stars, 3, "$REDIS_PASSWORD");
  }
  return url;
}

// What is common to all of them, where it is not the usual.
std::string common_options(const Nodes& nodes) {
  std::string options;
  const Keyspace usual;
  if (nodes.keyspace.prefix != usual.prefix) options += " --prefix " + nodes.keyspace.prefix;
  if (const std::string chosen = nodes.chosen_set(); !chosen.empty()) options += " --node-set " + chosen;
  if (nodes.keyspace.cap != usual.cap) options += " --ttl-max " + core::to_text(nodes.keyspace.cap);
  const runtime::TlsOptions& tls = nodes.tls_options;
  for (const auto& [flag, value] : {std::pair("--tls-ca", &tls.ca_file),
                                    {"--tls-cert", &tls.certificate_file},
                                    {"--tls-key", &tls.key_file},
                                    {"--tls-name", &tls.server_name}}) {
    if (!value->empty()) options += std::string(" ") + flag + " " + core::printable(*value, 200);
  }
  return options;
}

}  // namespace

std::string Nodes::chosen_set() const {
  if (keyspace.set == node_set(addresses)) return "";
  return keyspace.set.substr(keyspace.set.find('-') + 1);
}

std::size_t Nodes::quorum() const { return core::quorum_of(addresses.size()); }

std::optional<std::string> error_in(const std::vector<Address>& addresses) {
  if (addresses.empty()) return "no node is given";
  if (addresses.size() > core::nodes_max) {
    return std::to_string(addresses.size()) + " nodes are too many; the most is " +
           std::to_string(core::nodes_max);
  }
  for (std::size_t i = 1; i < addresses.size(); ++i) {
    if (auto error = misplaced(addresses[i], std::span(addresses).first(i))) return error;
  }
  return std::nullopt;
}

tl::expected<std::vector<Address>, std::string> parse_addresses(const std::vector<std::string>& urls) {
  std::vector<Address> addresses;
  for (const auto& url : urls) {
    auto address = parse_url(url);
    if (!address) return tl::unexpected(std::move(address.error()));
    addresses.push_back(std::move(*address));
  }
  return addresses;
}

tl::expected<std::string, std::string> lock_key(const std::string& prefix, const std::string& name,
                                                const Keyspace& keyspace) {
  std::string key = keyspace.key(prefix + name);
  if (!keyspace.owns(key)) return key;
  return tl::unexpected("the name " + name + " cannot be used: its key would be " + key +
                        ", which Tenure needs for itself");
}

std::optional<std::string> warning_of_even(const Nodes& nodes) {
  const std::size_t count = nodes.addresses.size();
  if (count % 2 != 0) return std::nullopt;
  return std::to_string(count) + " nodes: an even number tolerates no more failures than " +
         std::to_string(count - 1) + "; take one more or one less";
}

std::string how_to_init(const Nodes& nodes) {
  if (std::ranges::none_of(nodes.addresses, has_secret)) return ": tenure init" + node_options(nodes);
  std::string urls;
  for (const auto& address : nodes.addresses) {
    urls += (urls.empty() ? "" : ",") + with_secret_from_environment(address);
  }
  return ", with its password in REDIS_PASSWORD: TENURE_REDIS=\"" + urls + "\" tenure init" +
         common_options(nodes);
}

std::string node_options(const Nodes& nodes) {
  std::string options;
  for (const auto& address : nodes.addresses) options += " --redis " + to_text(address);
  return options + common_options(nodes);
}

}  // namespace tenure::redis
