// The record of a node: which life of the store its leases belong to, and whether it gives new ones.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/time.hpp"

namespace tenure::core {

// What all clients of a node must agree on: the longest TTL that anybody uses, and which nodes decide together.
struct Terms {
  Ttl cap{};
  std::string set{"1"};  // how many nodes, and which: "1", "3-<name>"

  bool operator==(const Terms&) const = default;
};

// How many nodes a set has, as its text says; 0 for the text of none.
std::size_t nodes_in(std::string_view set);

// The set of a node that is between two sets: nobody's.
inline constexpr std::string_view no_set = "none";

struct Record {
  Terms terms{};
  std::string epoch{};  // another one at every quarantine
  bool open = false;
  std::int64_t made_ms = 0;  // when the epoch began, by the node's wall clock
  std::int64_t wall_ms = 0;  // the same, by that of the client which began it
  Ttl longest{};      // no lease from before the epoch lasts longer: the cap, or a larger one of before
  std::string why{};  // why the epoch began
  bool unknown() const { return why == "unknown"; }  // there was no record before this one
  // It was brought here from another set or cap: "<from>><to>".
  bool reconfigured() const { return why.find('>') != std::string::npos; }

  bool operator==(const Record&) const = default;
};

// What a node shows in the place of its record.
struct FoundRecord {
  // Null: there is none, or it is none that Tenure wrote. Apart, because every reply has room for one, and few have one.
  std::shared_ptr<const Record> read{};
  std::string text{};  // as the store shows it: for people, and to compare; empty: there is none

  FoundRecord() = default;
  FoundRecord(std::optional<Record> record, std::string shown)
      : read(record ? std::make_shared<const Record>(std::move(*record)) : nullptr), text(std::move(shown)) {}

  bool absent() const { return text.empty(); }
  bool operator==(const FoundRecord& other) const { return text == other.text; }
};

// How long a client sits a quarantine out, counted from when it heard of it. No lease lasts longer than the longest
// TTL; clocks differ by a tenth in rate.
inline Duration quarantine_length(Ttl longest) { return Duration(longest) + Duration(longest) / 10; }

}  // namespace tenure::core
