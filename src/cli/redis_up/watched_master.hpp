// Whom a Sentinel watches, as it has written down in its own configuration, at once after each failover.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace tenure::cli {

struct WatchedMaster {
  std::uint16_t port = 0;
  std::uint64_t epoch = 0;  // larger after each failover, on all Sentinels that have heard of it
};

// Nothing where there is no such file, or no master by that name in it.
std::optional<WatchedMaster> watched_master(const std::filesystem::path& configuration,
                                            const std::string& name);

}  // namespace tenure::cli
