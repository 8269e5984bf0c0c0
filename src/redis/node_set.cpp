#include "redis/node_set.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tenure::redis {

namespace {

constexpr std::size_t name_max = 64;
constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";

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

// FNV-1a: the same on every machine and in every version, and enough to tell lists apart that nobody made to be alike.
std::string digest(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char letter : text) {
    hash ^= static_cast<unsigned char>(letter);
    hash *= 0x100000001b3;
  }
  std::string digits;
  for (int shift = 60; shift >= 0; shift -= 4) digits += "0123456789abcdef"[(hash >> shift) & 15U];
  return digits;
}

}  // namespace

std::string node_set(std::span<const Address> addresses, std::string_view name) {
  const std::string count = std::to_string(addresses.size());
  if (!name.empty()) return count + "-" + std::string(name);
  if (addresses.size() == 1) return count;
  std::vector<std::string> places;
  for (const Address& address : addresses) places.push_back(place(address));
  std::ranges::sort(places);
  std::string all;
  for (const auto& each : places) all += each + "\n";
  return count + "-" + digest(all);
}

std::optional<std::string> node_set_error(std::string_view name) {
  if (name.size() > name_max) return "the name of a set of nodes has at most 64 characters";
  if (name.find_first_not_of(letters) == std::string_view::npos) return std::nullopt;
  return "the name of a set of nodes has letters, digits, dots, dashes and underscores only";
}

}  // namespace tenure::redis
