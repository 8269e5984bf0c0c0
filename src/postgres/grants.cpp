#include "postgres/grants.hpp"

#include <array>

namespace tenure::postgres {

namespace {

constexpr std::array<Right, 7> for_leases{{
    {"TABLE", "record", "SELECT, INSERT, UPDATE"},
    {"TABLE", "lease", "SELECT, INSERT, UPDATE, DELETE"},
    {"TABLE", "waiter", "SELECT, INSERT, UPDATE, DELETE"},
    {"TABLE", "beat", "SELECT, INSERT, UPDATE, DELETE", true},
    {"TABLE", "fleet", "SELECT", true},
    {"SEQUENCE", "fence", "SELECT, UPDATE"},
    {"SEQUENCE", "place", "USAGE"},
}};

constexpr std::array<Right, 3> for_fleets{{
    {"TABLE", "session", "SELECT, INSERT, UPDATE, DELETE"},
    {"TABLE", "fleet", "SELECT, INSERT, UPDATE"},
    {"TABLE", "state", "SELECT, INSERT, UPDATE"},
}};

constexpr std::array<Right, 1> for_fencing{{
    {"TABLE", "lease", "SELECT (name, token, kept, ends), UPDATE (told)"},
}};

}  // namespace

std::span<const Right> rights(Use use) {
  switch (use) {
    case Use::leases:
      return for_leases;
    case Use::fleets:
      return for_fleets;
    case Use::fencing:
      return for_fencing;
  }
  return {};
}

std::string grants(Use use, const std::string& role) {
  const std::string to = " TO " + role + ";\n";
  // Who takes part in fleets has it already, for leases.
  std::string text = use == Use::fleets ? "" : "GRANT USAGE ON SCHEMA tenure" + to;
  for (const Right& it : rights(use)) {
    text.append("GRANT ").append(it.privileges).append(" ON ").append(it.kind);
    text.append(" tenure.").append(it.name).append(to);
  }
  return text;
}

}  // namespace tenure::postgres
