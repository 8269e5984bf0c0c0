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

// Where it is, and not by whom it is used: user, password and TLS make no other Redis of it.
std::string place(const Address& address) {
  std::string text = address.path;
  if (address.kind == Address::Kind::tcp) {
    text = address.host;
    std::ranges::transform(text, text.begin(), lower);  // names of hosts are the same in any case
    text += ":" + std::to_string(address.port);
  }
  return text + "/" + std::to_string(address.database);
}

}  // namespace

std::string node_set(std::span<const Address> addresses, std::string_view name) {
  std::vector<std::string> places;
  for (const Address& address : addresses) places.push_back(place(address));
  return core::node_set(std::move(places), name);
}

}  // namespace tenure::redis
