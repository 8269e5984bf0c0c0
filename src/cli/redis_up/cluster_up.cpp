#include "cli/redis_up/cluster_up.hpp"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "cli/args/args.hpp"
#include "cli/message.hpp"
#include "cli/nodes/init.hpp"
#include "cli/redis_up/local_cluster.hpp"
#include "cli/redis_up/local_ports.hpp"
#include "cli/redis_up/members.hpp"
#include "core/base/text.hpp"
#include "redis/node_set.hpp"

namespace tenure::cli {

namespace {

static_assert(2 * LocalCluster::server_count == RedisUpArgs::cluster_port_count);

class ClusterUp {
 public:
  explicit ClusterUp(ClusterWish wish)
      : cluster_(wish.root, wish.port), nodes_{{}, std::move(wish.keyspace)} {
    nodes_.addresses.push_back(cluster_.address());
    nodes_.keyspace.set = redis::node_set(nodes_.addresses, wish.set_name);
  }

  int run() {
    if (const auto why = no_server_program()) return fail(ExitCode::not_found, *why);
    if (const auto why = look()) return fail(ExitCode::no_quorum, *why + " Nothing was started");
    if (const auto why = start()) {
      take_back();
      return fail(ExitCode::no_quorum, *why + "; what was started by this call was ended again");
    }
    // As tenure init.
    if (all_new_) {
      if (const int code = init(nodes_, [](const std::string& line) { say(line); });
          code != number(ExitCode::done)) {
        return code;
      }
    }
    tell_how_to_try();
    std::printf("export TENURE_REDIS=%s\n", redis::to_text(cluster_.address()).c_str());
    return finish_output();
  }

 private:
  // Before anything is changed.
  std::optional<std::string> look() {
    const auto& servers = cluster_.servers();
    const auto is_new = [](const ServerProcess& server) { return server.is_new(); };
    all_new_ = std::ranges::all_of(servers, is_new);
    if (const auto lost = std::ranges::find_if(servers, is_new); !all_new_ && lost != servers.end()) {
      return lost->port_text() + ": its data is gone from " + lost->directory().string() +
             ", and with it how it knows the others. Remove " + cluster_.directory().string() +
             " to begin anew.";
    }
    for (const auto& server : servers) {
      if (server.running()) continue;
      for (const std::uint16_t port : {server.port(), cluster_.bus_of(server)}) {
        if (const auto who = taken_by(port))
          return "port " + std::to_string(port) + " " + *who + ", of which twelve in a row are needed.";
      }
    }
    return std::nullopt;
  }

  std::optional<std::string> start() {
    for (ServerProcess& server : cluster_.servers()) {
      const auto launch = [&] { return cluster_.start(server); };
      if (auto why = members_.start(server, "server", "; new leases after a quarantine", launch)) return why;
    }
    if (all_new_) {
      if (auto why = cluster_.introduce()) return why;
      if (auto why = wait_until_nothing([&] { return cluster_.not_acquainted(); })) return not_settled(*why);
      if (auto why = cluster_.share_out()) return why;
    }
    if (auto why = wait_until_nothing([&] { return cluster_.not_ready(); })) return not_settled(*why);
    return std::nullopt;
  }

  // The logs of those that are new go with them.
  std::string not_settled(const std::string& why) const {
    return why + ", also after " + core::to_text(settle_within) +
           ": try again when this machine has less to do, or " +
           (all_new_ ? "on other ports (--port)" : "see the logs in " + cluster_.directory().string());
  }

  void take_back() const {
    members_.take_back();
    std::error_code ignored;
    std::filesystem::remove(cluster_.directory(), ignored);  // if nothing is in it
  }

  void tell_how_to_try() const {
    const ServerProcess* master = cluster_.any_master();
    const auto running = master == nullptr ? std::nullopt : master->running();
    if (!running) return;
    say(master->port_text() + ": is one of three masters; its replica takes its place after kill -9 " +
        std::to_string(running->pid));
  }

  LocalCluster cluster_;
  Nodes nodes_;
  bool all_new_ = false;
  Members members_{};
};

}  // namespace

int cluster_up(ClusterWish wish) { return ClusterUp(std::move(wish)).run(); }

}  // namespace tenure::cli
