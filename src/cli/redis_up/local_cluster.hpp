// A Redis Cluster of three masters and a replica of each, on this machine: DIR/cluster-PORT holds a directory for each server.
// From its first start on the Cluster itself decides who is a master of what.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/redis_up/server_process.hpp"
#include "redis/script_call.hpp"
#include "redis/url.hpp"

namespace tenure::cli {

class LocalCluster {
 public:
  static constexpr int master_count = 3;
  static constexpr int server_count = 6;

  // On that port and those that follow it; behind them are the ports on which the servers hear each other.
  LocalCluster(const std::filesystem::path& root, std::uint16_t port);

  const std::filesystem::path& directory() const { return directory_; }
  redis::Address address() const;
  std::uint16_t bus_of(const ServerProcess& server) const {
    return static_cast<std::uint16_t>(server.port() + server_count);
  }

  const std::vector<ServerProcess>& servers() const { return servers_; }
  std::vector<ServerProcess>& servers() { return servers_; }
  // The first server that is one now.
  const ServerProcess* any_master() const;

  // Each gives an error as a sentence, and then nothing of it is left that was not there before.
  std::optional<std::string> start(ServerProcess& server) const;
  // Of new servers: the first three get all slots, and all hear of each other.
  std::optional<std::string> introduce() const;
  // Of those that know each other: each of the last three follows one of the first.
  std::optional<std::string> share_out() const;

  // Why not all servers know of all others; nothing: they do.
  std::optional<std::string> not_acquainted() const;
  // Why it would not take all writes, or a failover could not succeed, now; nothing: it could.
  std::optional<std::string> not_ready() const;

 private:
  std::optional<std::string> tell(const ServerProcess& server, const redis::Command& command) const;

  std::filesystem::path directory_;
  std::vector<ServerProcess> servers_;
};

// All that have a directory there, by port.
std::vector<LocalCluster> clusters_in(const std::filesystem::path& root);

}  // namespace tenure::cli
