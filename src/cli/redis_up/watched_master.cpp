#include "cli/redis_up/watched_master.hpp"

#include <fstream>
#include <sstream>

namespace tenure::cli {

std::optional<WatchedMaster> watched_master(const std::filesystem::path& configuration,
                                            const std::string& name) {
  WatchedMaster found;
  std::ifstream stream(configuration);
  for (std::string line; std::getline(stream, line);) {
    std::istringstream words(line);
    std::string sentinel;
    std::string what;
    std::string of;
    if (!(words >> sentinel >> what >> of) || sentinel != "sentinel" || of != name) continue;
    std::string host;
    if (what == "monitor") words >> host >> found.port;
    if (what == "config-epoch") words >> found.epoch;
  }
  if (found.port == 0) return std::nullopt;
  return found;
}

}  // namespace tenure::cli
