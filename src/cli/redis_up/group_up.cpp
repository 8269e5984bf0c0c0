#include "cli/redis_up/group_up.hpp"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "cli/args/args.hpp"
#include "cli/message.hpp"
#include "cli/nodes/init.hpp"
#include "cli/nodes/nodes.hpp"
#include "cli/redis_up/local_ports.hpp"
#include "cli/redis_up/members.hpp"
#include "core/base/text.hpp"
#include "redis/node_set.hpp"

namespace tenure::cli {

namespace {

static_assert(LocalGroup::sentinel_count + LocalGroup::server_count == RedisUpArgs::sentinel_port_count);

class GroupUp {
 public:
  explicit GroupUp(GroupWish wish) : group_(wish.root, wish.port), nodes_{{}, std::move(wish.keyspace)} {
    nodes_.addresses.push_back(group_.address());
    nodes_.keyspace.set = redis::node_set(nodes_.addresses, wish.set_name);
  }

  int run() {
    if (const auto why = no_server_program())
      return fail(ExitCode::not_found, *why + ". A Sentinel is the same program");
    if (const auto why = look()) return fail(ExitCode::no_quorum, *why + " Nothing was started");
    wait_for_failover();
    if (const auto why = start()) {
      take_back();
      return fail(ExitCode::no_quorum, *why + "; what was started by this call was ended again");
    }
    // As tenure init: only if all are new. A server without data beside others that have some gets it from the master.
    if (new_servers_ == LocalGroup::server_count) {
      if (const int code = init(nodes_, [](const std::string& line) { say(line); });
          code != number(ExitCode::done)) {
        return code;
      }
    }
    tell_how_to_try();
    std::printf("export TENURE_REDIS=%s\n", redis::to_text(group_.address()).c_str());
    return finish_output();
  }

 private:
  // Before anything is changed.
  std::optional<std::string> look() {
    for (const auto* members : {&group_.sentinels(), &group_.servers()}) {
      for (const auto& member : *members) {
        if (member.running()) continue;
        if (const auto who = taken_by(member.port()))
          return member.port_text() + " " + *who + ", of which six in a row are needed.";
      }
    }
    const auto is_new = [](const ServerProcess& server) { return server.is_new(); };
    new_servers_ = static_cast<int>(std::ranges::count_if(group_.servers(), is_new));
    const ServerProcess& master = group_.master();
    if (master.is_new() && new_servers_ < LocalGroup::server_count) {
      return master.port_text() + ": the data of the master is gone from " + master.directory().string() +
             ", and its replicas would lose theirs. Remove " + group_.directory().string() +
             " to begin anew.";
    }
    return std::nullopt;
  }

  // While the master is dead and the Sentinels are about to replace it, it must not come back as a second one.
  void wait_for_failover() {
    const auto runs = [](const ServerProcess& it) { return it.running().has_value(); };
    if (runs(group_.master()) || std::ranges::none_of(group_.servers(), runs) ||
        std::ranges::count_if(group_.sentinels(), runs) < LocalGroup::quorum) {
      return;
    }
    say(group_.master().port_text() + ": the master has ended; waiting for the Sentinels to promote another");
    const auto why = wait_until_nothing([&]() -> std::optional<std::string> {
      if (runs(group_.master())) return std::nullopt;
      return "nobody was promoted within " + core::to_text(settle_within);
    });
    if (why) say(group_.master().port_text() + ": " + *why + "; it is started again as the master");
  }

  std::optional<std::string> start() {
    const ServerProcess& master = group_.master();
    std::vector<ServerProcess*> in_order;
    for (auto& server : group_.servers()) in_order.push_back(&server);
    std::ranges::partition(in_order, [&](auto* server) { return server == &master; });
    for (ServerProcess* server : in_order) {
      const bool is_master = server == &master;
      const auto launch = [&] { return group_.start_server(*server, master); };
      if (auto why = members_.start(*server, is_master ? "master" : "replica",
                                    is_master ? "; new leases after a quarantine" : "", launch)) {
        return why;
      }
    }
    // Sentinels ask a master that they do not know whom it has, and then only after seconds again.
    if (auto why = wait_until_nothing([&] { return group_.not_replicated(group_.master()); }))
      return not_settled(*why);
    for (ServerProcess& sentinel : group_.sentinels()) {
      const auto launch = [&] { return group_.start_sentinel(sentinel, group_.master()); };
      if (auto why = members_.start(sentinel, "Sentinel", "", launch)) return why;
    }
    if (auto why = wait_until_nothing([&] { return group_.not_ready(); })) return not_settled(*why);
    return std::nullopt;
  }

  // The logs of those that are new go with them.
  std::string not_settled(const std::string& why) const {
    return why + ", also after " + core::to_text(settle_within) +
           ": try again when this machine has less to do, or " +
           (new_servers_ == LocalGroup::server_count ? "on other ports (--port)"
                                                     : "see the logs in " + group_.directory().string());
  }

  void take_back() const {
    // The Sentinels were started last: so they see nobody end.
    members_.take_back();
    std::error_code ignored;
    std::filesystem::remove(group_.directory(), ignored);  // if nothing is in it
  }

  void tell_how_to_try() const {
    const ServerProcess& master = group_.master();
    const auto running = master.running();
    if (!running) return;
    say(master.port_text() + ": is the master; the Sentinels promote another one after kill -9 " +
        std::to_string(running->pid));
  }

  LocalGroup group_;
  Nodes nodes_;  // the same, as others see it
  int new_servers_ = 0;
  Members members_{};
};

}  // namespace

int group_up(GroupWish wish) { return GroupUp(std::move(wish)).run(); }

}  // namespace tenure::cli
