// Is a server one that Tenure works with? Pure: asks nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/doctor/server_info.hpp"

namespace tenure::cli {

inline constexpr int version_min = 7;  // of Redis

enum class PartOf : std::uint8_t { nothing, cluster };

// Why a server that says this of itself is not one, or nothing when it is. It must have been asked for server,
// replication and cluster.
std::optional<std::string> unfit(const ServerInfo& info, PartOf part = PartOf::nothing);

}  // namespace tenure::cli
