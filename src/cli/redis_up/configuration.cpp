#include "cli/redis_up/configuration.hpp"

#include <sstream>

namespace tenure::cli {

namespace {

namespace fs = std::filesystem;

// As a configuration wants a text with spaces or quotes in it.
std::string quoted(const fs::path& path) {
  std::string text = "\"";
  for (const char letter : path.string()) {
    if (letter == '"' || letter == '\\') text += '\\';
    text += letter;
  }
  return text + "\"";
}

std::string place_of(const ServerProcess& server) {
  std::ostringstream text;
  text << "port " << server.port() << "\nbind 127.0.0.1\nprotected-mode yes\n"
       << "dir " << quoted(server.data()) << "\npidfile " << quoted(server.pid_file()) << "\n";
  return text.str();
}

constexpr auto keeps_leases =
    "# A lease must not be thrown away, and the record should outlive a restart.\n"
    "maxmemory-policy noeviction\nappendonly yes\nappendfsync everysec\nsave \"\"\n";

}  // namespace

std::string redis_conf(const ServerProcess& server) {
  return "# Written by tenure redis up, and left alone from then on.\n" + place_of(server) + keeps_leases;
}

std::string watched_redis_conf(const ServerProcess& server) {
  return "# Written by tenure redis up. From then on Sentinels let the server rewrite it after a "
         "failover.\n" +
         place_of(server) + keeps_leases +
         "# A master that is cut off must not grant beside the one that was promoted.\n"
         "min-replicas-to-write 1\n"
         "# And no longer than the Sentinels take to notice.\n"
         "min-replicas-max-lag 3\n"
         "# The two replicas need not wait for more of them.\n"
         "repl-diskless-sync-delay 0\n";
}

std::string cluster_conf(const ServerProcess& server, std::uint16_t bus) {
  std::ostringstream text;
  text << "# Written by tenure redis up, and left alone from then on.\n"
       << place_of(server) << keeps_leases << "cluster-enabled yes\ncluster-port " << bus
       << "\ncluster-config-file nodes.conf\n"
       << "# For trying a failover out: on real machines a longer one spares failovers that nobody needs.\n"
       << "cluster-node-timeout 3000\n"
       << "# While a shard is down, the others serve their names.\n"
       << "cluster-require-full-coverage no\n"
       << "# The one replica need not wait for more of them.\n"
       << "repl-diskless-sync-delay 0\n";
  return text.str();
}

std::string sentinel_conf(const ServerProcess& sentinel, const std::string& name, std::uint16_t master,
                          int quorum) {
  std::ostringstream text;
  text << "# Written by tenure redis up. From then on the Sentinel keeps what it knows here.\n"
       << place_of(sentinel) << "sentinel monitor " << name << " 127.0.0.1 " << master << " " << quorum
       << "\n"
       << "# For trying a failover out: on real machines a longer one spares failovers that nobody needs.\n"
       << "sentinel down-after-milliseconds " << name << " 3000\n"
       << "sentinel failover-timeout " << name << " 10000\n"
       << "sentinel parallel-syncs " << name << " 2\n";
  return text.str();
}

}  // namespace tenure::cli
