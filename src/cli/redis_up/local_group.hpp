// A master, two replicas and three Sentinels that watch them, on this machine: DIR/sentinel-PORT holds a directory for each.
// After the first start only the Sentinels decide who the master is; here it is merely read from what they have written down.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/redis_up/server_process.hpp"
#include "redis/url.hpp"

namespace tenure::cli {

class LocalGroup {
 public:
  // By this the Sentinels know the master.
  static constexpr auto name = "mymaster";
  static constexpr int sentinel_count = 3;
  static constexpr int server_count = 3;
  // So many Sentinels agree on a failover.
  static constexpr int quorum = 2;

  // On that port and those that follow it: first the Sentinels, then the servers.
  LocalGroup(const std::filesystem::path& root, std::uint16_t port);

  const std::filesystem::path& directory() const { return directory_; }
  // Of the master, whoever that is, as clients name it.
  redis::Address address() const;

  const std::vector<ServerProcess>& sentinels() const { return sentinels_; }
  const std::vector<ServerProcess>& servers() const { return servers_; }
  // The server that the Sentinels made the master, or began with; the first one in a group that never had any.
  const ServerProcess& master() const;

  // Each gives an error as a sentence, and then nothing of it is left that was not there before.
  // As the master or as its replica, whatever it was when it ended.
  std::optional<std::string> start_server(ServerProcess& server, const ServerProcess& master) const;
  std::optional<std::string> start_sentinel(ServerProcess& sentinel, const ServerProcess& master) const;

  // Why the Sentinels could not make a failover now; nothing: they could.
  std::optional<std::string> not_ready() const;
  // Why its master would not take writes, or a failover would lose more than it has to; nothing: all replicas follow it.
  std::optional<std::string> not_replicated(const ServerProcess& master) const;

  std::vector<ServerProcess>& sentinels() { return sentinels_; }
  std::vector<ServerProcess>& servers() { return servers_; }

 private:
  std::filesystem::path directory_;
  std::vector<ServerProcess> sentinels_;
  std::vector<ServerProcess> servers_;
};

// All that have a directory there, by port.
std::vector<LocalGroup> groups_in(const std::filesystem::path& root);

}  // namespace tenure::cli
