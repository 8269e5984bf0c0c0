// The record of a node: which life of the server its leases belong to, and whether it gives new ones.
// Written "<cap in ms> <set> <epoch> <state> <life> <made, by Redis> <made, by its maker> <longest> <why> <version>", so that
// one comparison with its beginning tells a script whether its caller is admitted. Those who know fewer words read on up to
// what they know.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/time.hpp"
#include "core/message.hpp"

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
  std::int64_t made_ms = 0;  // when the epoch began, by Redis's wall clock
  std::int64_t wall_ms = 0;  // the same, by that of the client which began it
  Ttl longest{};      // no lease from before the epoch lasts longer: the cap, or a larger one of before
  std::string why{};  // why the epoch began
  bool unknown() const { return why == "unknown"; }  // there was no record before this one
  // It was brought here from another set or cap: "<from>><to>".
  bool reconfigured() const { return why.find('>') != std::string::npos; }
};

// Of any version, also from before they were written. Nothing when it is none that Tenure wrote.
std::optional<Record> read_record(std::string_view text);

// What a record of these terms begins with.
std::string opening(const Terms& terms);
// What the record must begin with for a client with these terms that was admitted to this epoch.
std::string admission(const Terms& terms, std::string_view epoch);
// The same where it must also be open.
std::string admission_to_open(const Terms& terms, std::string_view epoch);

// How long a client sits a quarantine out, counted from when it heard of it. No lease lasts longer than the longest
// TTL; clocks differ by a tenth in rate.
inline Duration quarantine_length(Ttl longest) { return Duration(longest) + Duration(longest) / 10; }

}  // namespace tenure::core
