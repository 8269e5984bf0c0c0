#include "core/lease/node_set.hpp"

#include <algorithm>
#include <cstdint>

#include "core/base/text.hpp"

namespace tenure::core {

namespace {

constexpr std::size_t name_max = 64;
constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";

// FNV-1a: the same on every machine and in every version, and enough to tell lists apart that nobody made to be alike.
std::string digest(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char letter : text) {
    hash ^= static_cast<unsigned char>(letter);
    hash *= 0x100000001b3;
  }
  return hex16(hash);
}

}  // namespace

std::string node_set(std::vector<std::string> places, std::string_view name) {
  std::string count = std::to_string(places.size());
  if (!name.empty()) return count + "-" + std::string(name);
  if (places.size() == 1) return count;
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

}  // namespace tenure::core
