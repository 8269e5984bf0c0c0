#include "redis/node_set.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/lease/node_set.hpp"

namespace tenure::redis {

namespace {

char lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

// Names of hosts are the same in any case.
std::string place(std::string host, std::uint16_t port) {
  std::ranges::transform(host, host.begin(), lower);
  return std::move(host) + ":" + std::to_string(port);
}

std::string in_order(const std::vector<HostPort>& hosts) {
  std::vector<std::string> places;
  for (const HostPort& it : hosts) places.push_back(place(it.host, it.port));
  std::ranges::sort(places);
  std::string text;
  for (const auto& each : places) text += " " + each;
  return text;
}

// The name alone is not enough: most groups are called "mymaster", and two clients that mean different groups by it would be
// a set to each other. Who lists a subset of the Sentinels is another set, and refused: that is safe, and --node-set is the way
// around it.
std::string place(const SentinelGroup& group) {
  return "sentinel" + in_order(group.sentinels) + "#" + group.master;
}

// Where it is, and not by whom it is used: user, password and TLS make no other Redis of it.
std::string place(const Address& address) {
  std::string text = address.path;
  if (address.kind == Address::Kind::tcp) text = place(address.host, address.port);
  if (address.kind == Address::Kind::sentinel) text = place(address.group);
  if (address.kind == Address::Kind::cluster) text = "cluster" + in_order(address.seeds);
  return text + "/" + std::to_string(address.database);
}

bool share_one(const std::vector<HostPort>& some, const std::vector<HostPort>& others) {
  return std::ranges::any_of(some, [&](const HostPort& one) {
    return std::ranges::any_of(others, [&](const HostPort& other) {
      return place(one.host, one.port) == place(other.host, other.port);
    });
  });
}

}  // namespace

bool same_group(const SentinelGroup& one, const SentinelGroup& other) {
  return one.master == other.master && share_one(one.sentinels, other.sentinels);
}

bool same_cluster(const Address& one, const Address& other) { return share_one(one.seeds, other.seeds); }

std::string node_set(std::span<const Address> addresses, std::string_view name) {
  std::vector<std::string> places;
  for (const Address& address : addresses) places.push_back(place(address));
  return core::node_set(std::move(places), name);
}

}  // namespace tenure::redis
