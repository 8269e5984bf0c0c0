// The least rights by which a role uses the schema, as statements that give them. What needs each is in tests/postgres/rights_test.cpp.
#pragma once

#include <cstdint>
#include <string>

namespace tenure::postgres {

enum class Use : std::uint8_t {
  leases,
  fleets,   // or writes sessions: these besides
  fencing,  // only asks tenure.holds() or tenure.fence() before it writes, and can change no lease
};

// One a line, and one for each table or sequence. The role is as SQL writes it.
std::string grants(Use use, const std::string& role);

}  // namespace tenure::postgres
