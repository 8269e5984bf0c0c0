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

// The name alone is not enough: most groups are called "mymaster", and two clients that mean different groups by it would be
// a set to each other. Who lists a subset of the Sentinels is another set, and refused: that is safe, and --node-set is the way
// around it.
std::string place(const SentinelGroup& group) {
  std::vector<std::string> sentinels;
  for (const HostPort& it : group.sentinels) sentinels.push_back(place(it.host, it.port));
  std::ranges::sort(sentinels);
  std::string text = "sentinel";
  for (const auto& sentinel : sentinels) text += " " + sentinel;
  return text + "#" + group.master;
}

// Where it is, and not by whom it is used: user, password and TLS make no other Redis of it.
std::string place(const Address& address) {
  std::string text = address.path;
  if (address.kind == Address::Kind::tcp) text = place(address.host, address.port);
  if (address.kind == Address::Kind::sentinel) text = place(address.group);
  return text + "/" + std::to_string(address.database);
}

bool watches(const SentinelGroup& group, const HostPort& sentinel) {
  return std::ranges::any_of(group.sentinels, [&](const HostPort& it) {
    return place(it.host, it.port) == place(sentinel.host, sentinel.port);
  });
}

}  // namespace

bool same_group(const SentinelGroup& one, const SentinelGroup& other) {
  return one.master == other.master &&
         std::ranges::any_of(one.sentinels, [&](const HostPort& it) { return watches(other, it); });
}

std::string node_set(std::span<const Address> addresses, std::string_view name) {
  std::vector<std::string> places;
  for (const Address& address : addresses) places.push_back(place(address));
  return core::node_set(std::move(places), name);
}

}  // namespace tenure::redis
