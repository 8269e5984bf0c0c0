// The record of a node as Redis keeps it: "<cap in ms> <set> <epoch> <state> <life> <made, by Redis> <made, by its maker>
// <longest> <why> <version>", so that one comparison with its beginning tells a script whether its caller is admitted.
// Those who know fewer words read on up to what they know.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/lease/record.hpp"

namespace tenure::redis {

// Reads a record of any version, also from before they were written. Returns nullopt for what Tenure did not write.
std::optional<core::Record> read_record(std::string_view text);
// The same with its text, as the core is told of it.
core::FoundRecord found_record(std::string text);

// What a script says in place of the record where the data is older than what its caller has seen there.
inline constexpr std::string_view went_back = "restored";

// What a record of these terms begins with.
std::string opening(const core::Terms& terms);
// What the record must begin with for a client with these terms that was admitted to this epoch.
std::string admission(const core::Terms& terms, std::string_view epoch);
// The same where it must also be open.
std::string admission_to_open(const core::Terms& terms, std::string_view epoch);

}  // namespace tenure::redis
