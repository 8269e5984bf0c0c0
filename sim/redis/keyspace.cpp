#include "sim/redis/keyspace.hpp"

namespace tenure::sim {

Keyspace::Entry* Keyspace::find(std::string_view key, NodeTime now) {
  const auto found = entries_.find(key);
  if (found == entries_.end()) return nullptr;
  if (found->second.expired(now)) {
    entries_.erase(found);
    return nullptr;
  }
  return &found->second;
}

const Keyspace::Entry* Keyspace::find(std::string_view key, NodeTime now) const {
  const auto found = entries_.find(key);
  return found == entries_.end() || found->second.expired(now) ? nullptr : &found->second;
}

Keyspace::Entry& Keyspace::put(std::string_view key) {
  const auto place = entries_.lower_bound(key);
  if (place != entries_.end() && place->first == key) return place->second;
  return entries_.emplace_hint(place, key, Entry{})->second;
}

bool Keyspace::erase(std::string_view key, NodeTime now) {
  const auto found = entries_.find(key);
  if (found == entries_.end()) return false;
  const bool lived = !found->second.expired(now);
  entries_.erase(found);
  return lived;
}

const std::string* Keyspace::get(std::string_view key, NodeTime now) const {
  const Entry* entry = find(key, now);
  return entry != nullptr ? entry->as<std::string>() : nullptr;
}

std::optional<std::int64_t> Keyspace::expiry(std::string_view key, NodeTime now) const {
  const Entry* entry = find(key, now);
  return entry != nullptr ? entry->expiry_ms : std::nullopt;
}

std::vector<std::string> Keyspace::keys(NodeTime now) const {
  std::vector<std::string> living;
  for (const auto& [key, entry] : entries_) {
    if (!entry.expired(now)) living.push_back(key);
  }
  return living;
}

}  // namespace tenure::sim
