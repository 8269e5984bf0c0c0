#include "redis/text/nodes.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "core/nodes.hpp"
#include "redis/node_set.hpp"

namespace tenure::redis {

namespace {

// Another user or database makes no other server of it.
bool same_server(const Address& one, const Address& other) {
  if (one.kind == Address::Kind::sentinel && other.kind == one.kind)
    return same_group(one.group, other.group);
  if (one.kind == Address::Kind::cluster && other.kind == one.kind) return same_cluster(one, other);
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

}  // namespace

std::vector<std::string> Nodes::names() const {
  std::vector<std::string> names;
  for (const auto& address : addresses) names.push_back(to_text(address));
  return names;
}

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
  const auto cluster = std::ranges::find(addresses, Address::Kind::cluster, &Address::kind);
  if (cluster != addresses.end() && addresses.size() > 1) {
    return to_text(*cluster) +
           " is a Redis Cluster, which is no node of a quorum: name one Cluster, or independent servers";
  }
  for (std::size_t i = 1; i < addresses.size(); ++i) {
    if (auto error = misplaced(addresses[i], std::span(addresses).first(i))) return error;
  }
  return std::nullopt;
}

bool same_database(const Address& one, const Address& other) {
  return same_server(one, other) && one.database == other.database;
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

tl::expected<runtime::Tls, std::string> load_tls(const std::vector<Address>& addresses,
                                                 const runtime::TlsOptions& options) {
  if (std::ranges::any_of(addresses, &Address::tls)) return runtime::Tls::load(options);
  if (options == runtime::TlsOptions{}) return runtime::Tls();
  return tl::unexpected(std::string("TLS is set up, and no address asks for it: those begin with rediss://"));
}

tl::expected<std::string, std::string> lock_key(const std::string& prefix, const std::string& name,
                                                const Keyspace& keyspace) {
  std::string key = keyspace.key(prefix + name);
  if (!keyspace.owns(key)) return key;
  return tl::unexpected("the name " + name + " cannot be used: its key would be " + key +
                        ", which Tenure needs for itself");
}

std::optional<std::string> warning_of_even(std::size_t count) {
  if (count % 2 != 0) return std::nullopt;
  return std::to_string(count) + " nodes: an even number tolerates no more failures than " +
         std::to_string(count - 1) + "; take one more or one less";
}

}  // namespace tenure::redis
