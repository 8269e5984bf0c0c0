#include "consul/keys.hpp"

namespace tenure::consul {

namespace {

constexpr std::string_view suffix = "/.lock";
// Locks without the prefix of locks are elections.
constexpr std::string_view elections = ".elect/";
constexpr std::string_view others = ".locks/";
// What Tenure keeps beside locks: the record, and the keys of clients with a prefix of their own.
constexpr std::string_view own = ".tenure";
constexpr std::string_view prefixes = ".in/";

// Paths of addresses are cleaned of these on their way.
bool has_odd_part(std::string_view name) {
  while (true) {
    const auto slash = name.find('/');
    const std::string_view part = name.substr(0, slash);
    if (part.empty() || part == "." || part == "..") return true;
    if (slash == std::string_view::npos) return false;
    name.remove_prefix(slash + 1);
  }
}

}  // namespace

tl::expected<std::string, std::string> Keys::lock(std::string_view prefix, std::string_view name) const {
  std::string key = root + "/";
  // What stands before the name there, in the same part.
  const std::string_view before = prefix == usual_lock_prefix ? std::string_view() : prefix;
  if (has_odd_part(std::string(before) + std::string(name))) {
    return tl::unexpected(
        "the name " + std::string(name) +
        " has a part between slashes that is empty, . or .., which no key of Consul can have");
  }
  if (prefix.empty()) {
    key += elections;
  } else if (prefix != usual_lock_prefix) {
    key.append(others).append(prefix);
  } else if (name.starts_with(elections) || name.starts_with(others) || name.starts_with(prefixes) ||
             name == own || name.starts_with(std::string(own) + "/")) {
    return tl::unexpected("the name " + std::string(name) +
                          " begins as keys do that Tenure needs for itself");
  }
  return key.append(name).append(suffix);
}

std::string Keys::name_in(std::string_view key) const {
  if (!key.starts_with(root + "/") || !key.ends_with(suffix)) return std::string(key);
  key.remove_prefix(root.size() + 1);
  key.remove_suffix(suffix.size());
  for (const std::string_view folder : {elections, others}) {
    if (key.starts_with(folder)) return std::string(key.substr(folder.size()));
  }
  return std::string(usual_lock_prefix) + std::string(key);
}

}  // namespace tenure::consul
