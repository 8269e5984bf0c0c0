// The data of one simulated Redis node: strings, lists and hashes that may expire by the node's own clock.
// A copy of it is what a node that restarts with old data comes back with.
// It never asks for the time: whoever looks says what the node's clock shows.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tenure::sim {

// What a node's clock shows: unix time in microseconds, which Redis's TIME gives. Keys expire in
// milliseconds.
struct NodeTime {
  std::int64_t us = 0;

  constexpr NodeTime(std::int64_t unix_us) : us(unix_us) {}
  constexpr std::int64_t ms() const { return us / 1000; }
};

class Keyspace {
 public:
  using List = std::deque<std::string>;
  using Hash = std::map<std::string, std::string, std::less<>>;

  struct Entry {
    std::variant<std::string, List, Hash> value{};  // a list or a hash without elements is no entry
    std::optional<std::int64_t> expiry_ms{};        // unix time

    // Null: of another type.
    template <class Type>
    Type* as() {
      return std::get_if<Type>(&value);
    }
    template <class Type>
    const Type* as() const {
      return std::get_if<Type>(&value);
    }
    // A key still lives in the very millisecond of its expiry.
    bool expired(NodeTime now) const { return expiry_ms && now.ms() > *expiry_ms; }
  };

  // An expired key is deleted when somebody comes across it.
  Entry* find(std::string_view key, NodeTime now);
  const Entry* find(std::string_view key, NodeTime now) const;
  // The entry of that key, made an empty string if there is none.
  Entry& put(std::string_view key);
  bool erase(std::string_view key, NodeTime now);
  void clear() { entries_.clear(); }

  // For those who judge the world: the string there, if it is one.
  const std::string* get(std::string_view key, NodeTime now) const;
  std::optional<std::int64_t> expiry(std::string_view key, NodeTime now) const;
  // Living keys, sorted.
  std::vector<std::string> keys(NodeTime now) const;

 private:
  std::map<std::string, Entry, std::less<>> entries_;
};

}  // namespace tenure::sim
