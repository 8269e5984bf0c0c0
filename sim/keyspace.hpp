// The data of one simulated Redis node: strings and lists that may expire by the node's own clock.
// It never asks for the time: whoever looks says what the node's clock shows.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
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
  struct Entry {
    std::string text;
    std::size_t list_length = 0;              // not 0: a list, of whose elements only the number is kept
    std::optional<std::int64_t> expiry_ms{};  // unix time

    bool is_string() const { return list_length == 0; }
    // A key still lives in the very millisecond of its expiry.
    bool expired(NodeTime now) const { return expiry_ms && now.ms() > *expiry_ms; }
  };

  // An expired key is deleted when somebody comes across it.
  Entry* find(std::string_view key, NodeTime now);
  const Entry* find(std::string_view key, NodeTime now) const;
  // The entry of that key, made empty if there is none.
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
