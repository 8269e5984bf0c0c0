#include "cli/redis_up/redis_up.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "cli/message.hpp"
#include "cli/nodes/advice.hpp"
#include "cli/nodes/init.hpp"
#include "cli/redis_up/cluster_up.hpp"
#include "cli/redis_up/group_up.hpp"
#include "cli/redis_up/local_cluster.hpp"
#include "cli/redis_up/local_group.hpp"
#include "cli/redis_up/local_ports.hpp"
#include "cli/redis_up/local_server.hpp"
#include "core/base/text.hpp"
#include "core/lease/record.hpp"
#include "redis/node_set.hpp"

namespace tenure::cli {

namespace {

namespace fs = std::filesystem;

std::optional<fs::path> root_of(const std::optional<std::string>& given) {
  if (given) return fs::path(*given);
  return default_root();
}

constexpr auto no_root = "there is no home directory to keep servers in: say where with --dir";

// Two that start servers in one directory would get in each other's way. Held until the program ends.
runtime::Descriptor lock(const fs::path& root) {
  runtime::Descriptor file(open((root / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (file) flock(file.get(), LOCK_EX);
  return file;
}

// The servers of one call, and what becomes of them.
class Up {
 public:
  Up(const fs::path& root, const RedisUpArgs& args, redis::Keyspace keyspace, const std::string& set_name)
      : nodes_{{}, std::move(keyspace)} {
    for (int i = 0; i < args.count; ++i) {
      servers_.push_back({LocalServer(root, static_cast<std::uint16_t>(args.port + i))});
      nodes_.addresses.push_back(servers_.back().local.address());
    }
    nodes_.keyspace.set = redis::node_set(nodes_.addresses, set_name);
  }

  int run() {
    if (const auto why = no_server_program()) return fail(ExitCode::not_found, *why);
    if (const auto why = look()) return fail(ExitCode::no_quorum, *why);
    if (const auto why = start()) {
      take_back();
      return fail(ExitCode::no_quorum, *why + "; what was started by this call was ended again");
    }
    if (const int code = declare_new(); code != number(ExitCode::done)) return code;
    print_export();
    return finish_output();
  }

 private:
  struct Server {
    LocalServer local;
    bool was_running = false;
    bool was_new = false;
    bool started = false;
  };

  // Before anything is changed.
  std::optional<std::string> look() {
    for (auto& server : servers_) {
      server.was_running = server.local.running().has_value();
      server.was_new = !server.was_running && server.local.is_new();
      if (server.was_running) continue;
      if (const auto who = taken_by(server.local.port())) {
        return server.local.port_text() + " " + *who + ". Nothing was started";
      }
    }
    return std::nullopt;
  }

  std::optional<std::string> start() {
    for (auto& server : servers_) {
      const auto why = server.was_running ? server.local.wait_until_it_answers() : server.local.start();
      if (why) return why;
      server.started = !server.was_running;
      say(server.local.port_text() + ": " + what_happened(server));
    }
    return std::nullopt;
  }

  static std::string what_happened(const Server& server) {
    if (server.was_running) return "already running";
    const std::string where = server.local.directory().string();
    if (server.was_new) return "started, its data is in " + where;
    return "started again with the data in " + where +
           (server.local.resumed() ? "; its leases go on, without a quarantine"
                                   : "; new leases after a quarantine");
  }

  void take_back() {
    for (const auto& server : servers_) {
      if (!server.started) continue;
      if (const auto why = server.local.stop()) say(*why);
    }
  }

  // As tenure init: only if all are new. One without data beside others that have some has rather lost it, and
  // must sit out the quarantine.
  int declare_new() const {
    std::vector<const Server*> empty;
    for (const auto& server : servers_) {
      if (server.was_new) empty.push_back(&server);
    }
    if (empty.empty()) return number(ExitCode::done);
    if (empty.size() == servers_.size()) return init(nodes_, [](const std::string& line) { say(line); });
    for (const Server* server : empty) {
      say(server->local.port_text() +
          ": no data, beside others that have some. If it was lost, it joins them again by itself. If it is "
          "new: tenure "
          "reconfigure" +
          node_options(nodes_));
    }
    return number(ExitCode::done);
  }

  void print_export() const {
    std::string urls;
    for (const auto& server : servers_) urls += (urls.empty() ? "" : ",") + server.local.url();
    std::printf("export TENURE_REDIS=%s\n", urls.c_str());
  }

  Nodes nodes_;  // the same servers, as others see them
  std::vector<Server> servers_;
};

}  // namespace

int redis_up(const RedisUpArgs& args) {
  const auto root = root_of(args.dir);
  if (!root) return fail(ExitCode::usage, no_root);
  // Of the environment only cap and name of the set matter here: the servers are ours, and speak no TLS.
  auto keyspace = choose_keyspace({});
  if (!keyspace) return fail(ExitCode::usage, keyspace.error());
  const auto set_name = choose_set_name({});
  if (!set_name) return fail(ExitCode::usage, set_name.error());
  // Whatever the shell allows others: nobody else reads or writes what is made here, by us or by the servers.
  umask(077);
  std::error_code error;
  fs::create_directories(*root, error);
  if (error) return fail(ExitCode::own_error, "cannot make " + root->string() + ": " + error.message());
  const auto held = lock(*root);
  if (!held) return fail(ExitCode::own_error, "cannot write in " + root->string());
  if (args.sentinel) {
    return group_up({*root, static_cast<std::uint16_t>(args.port), std::move(*keyspace), *set_name});
  }
  if (args.cluster) {
    return cluster_up({*root, static_cast<std::uint16_t>(args.port), std::move(*keyspace), *set_name});
  }
  return Up(*root, args, std::move(*keyspace), *set_name).run();
}

int redis_down(const RedisDownArgs& args) {
  const auto root = root_of(args.dir);
  if (!root) return fail(ExitCode::usage, no_root);
  const auto held = lock(*root);
  ExitCode code = ExitCode::done;
  bool any = false;
  const auto end = [&](const ServerProcess& server, const auto& stop) {
    if (!server.running()) return;
    any = true;
    if (const auto why = stop()) {
      say(*why);
      code = ExitCode::no_quorum;
    } else {
      say(server.port_text() + ": ended, its data stays in " + server.directory().string());
    }
  };
  for (const auto& group : groups_in(*root)) {
    // Sentinels first: they would replace a master that ends.
    for (const auto& sentinel : group.sentinels()) end(sentinel, [&] { return sentinel.terminate(); });
    for (const auto& server : group.servers()) end(server, [&] { return server.terminate(); });
  }
  for (const auto& cluster : clusters_in(*root)) {
    for (const auto& server : cluster.servers()) end(server, [&] { return server.terminate(); });
  }
  for (const auto& server : servers_in(*root)) end(server, [&] { return server.stop(); });
  if (!any) say("nothing runs from " + root->string());
  return number(code);
}

}  // namespace tenure::cli
