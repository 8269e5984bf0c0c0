// The least rights by which a role uses the schema. What needs each is in tests/postgres/rights_test.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tenure::postgres {

enum class Use : std::uint8_t {
  leases,
  fleets,   // or writes sessions: these besides
  fencing,  // only asks tenure.holds() or tenure.fence() before it writes, and can change no lease
};

// What a role may do with one table or sequence.
struct Right {
  std::string_view kind;        // as SQL names it: TABLE or SEQUENCE
  std::string_view name;        // in the schema
  std::string_view privileges;  // "SELECT, UPDATE"
  bool heartbeats = false;      // only heartbeats of fleets need it: locks and elections do without it
};

// All but USAGE of the schema.
std::span<const Right> rights(Use use);

// The same as statements that give them, one a line. The role is as SQL writes it.
std::string grants(Use use, const std::string& role);

}  // namespace tenure::postgres
