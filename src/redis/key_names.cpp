#include "redis/key_names.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/base/names.hpp"
#include "redis/session_call.hpp"

namespace tenure::redis {

namespace {

// What keys begin with behind a prefix, and before a name or an id. The names of elections and fleets are free, and not
// among them.
constexpr std::array<std::string_view, 4> roots{"redlock:", "poll:", "session:", "state:"};
// And Tenure's own under the usual prefix.
constexpr std::array<std::string_view, 4> usual_own{"tenure:record", "tenure:fence",
                                                    "tenure:queue:", "tenure:wake:"};

// Could a key that begins with one also begin with the other?
bool meet(std::string_view one, std::string_view other) {
  return one.starts_with(other) || other.starts_with(one);
}

}  // namespace

std::optional<std::string> prefix_error(const std::string& prefix) {
  if (auto error = core::name_error("the prefix", prefix)) return error;
  if (prefix == Keyspace::usual_prefix) return std::nullopt;
  for (const auto& some : {roots, usual_own}) {
    const auto met = std::ranges::find_if(some, [&](std::string_view root) { return meet(prefix, root); });
    if (met == some.end()) continue;
    return "the prefix " + prefix + " cannot be used: under the usual prefix " +
           std::string(Keyspace::usual_prefix) + " there are keys that begin with " + std::string(*met) +
           ", and some could be the same; choose one that begins otherwise, such as my-app:";
  }
  return std::nullopt;
}

std::optional<std::string> cluster_prefix_error(const std::string& prefix) {
  if (prefix.find('{') == std::string::npos) return std::nullopt;
  return "the prefix " + prefix +
         " cannot be used in a Redis Cluster: its { would decide in which slot a key is, and no slot but "
         "that one "
         "could have a record; choose one without braces, such as my-app:";
}

std::optional<std::string> fleet_error(const std::string& name, const Keyspace& keyspace) {
  if (auto error = core::name_error("the fleet's name", name)) return error;
  if (name == SessionKeys::usual_fleet) return std::nullopt;
  const std::string base = name + ":";
  const auto met = std::ranges::find_if(roots, [&](std::string_view root) { return base.starts_with(root); });
  const bool owned = keyspace.owns(keyspace.key(base));
  if (met == roots.end() && !owned) return std::nullopt;
  return "the fleet's name " + name + " cannot be used: its keys would begin with " + base + ", and others " +
         (owned ? "that Tenure needs for itself" : "that are not this fleet's") +
         " do as well; choose another name";
}

}  // namespace tenure::redis
