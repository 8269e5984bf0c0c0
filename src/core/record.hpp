// The record of a node: which life of the server its leases belong to, and whether it gives new ones.
// Written "<cap in ms> <epoch> <state> <life> <made, by Redis> <made, by its maker> <why>", so that one
// comparison with its beginning tells a script whether its caller is admitted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/message.hpp"
#include "core/time.hpp"

namespace tenure::core {

struct Record {
  Ttl cap{};
  std::string epoch{};  // another one at every quarantine
  bool open = false;
  std::int64_t made_ms = 0;  // when the epoch began, by Redis's wall clock
  std::int64_t wall_ms = 0;  // the same, by that of the client which began it
  bool unknown = false;      // there was no record before this one
};

// Nothing when it is none that Tenure wrote.
std::optional<Record> read_record(std::string_view text);

// What the record must begin with for a client with this cap that was admitted to this epoch.
std::string admission(Ttl cap, std::string_view epoch);
// The same where it must also be open.
std::string admission_to_open(Ttl cap, std::string_view epoch);

// How long a client sits a quarantine out, counted from when it heard of it. No lease lasts longer than the
// cap; clocks differ by a tenth in rate.
inline Duration quarantine_length(Ttl cap) { return Duration(cap) + Duration(cap) / 10; }

}  // namespace tenure::core
