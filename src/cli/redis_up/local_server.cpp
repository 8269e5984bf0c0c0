#include "cli/redis_up/local_server.hpp"

#include <sys/un.h>

#include <algorithm>
#include <system_error>

#include "cli/doctor/server_info.hpp"
#include "cli/redis_up/configuration.hpp"
#include "cli/redis_up/seal_note.hpp"
#include "core/base/number.hpp"
#include "redis/net/caller.hpp"
#include "runtime/boot_clock.hpp"
#include "runtime/wall_clock.hpp"

namespace tenure::cli {

namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;

}  // namespace

std::vector<LocalServer> servers_in(const fs::path& root) {
  std::vector<LocalServer> servers;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(root, error)) {
    const auto port = core::read_number<std::uint16_t>(entry.path().filename().string());
    if (port && fs::exists(entry.path() / "redis.conf", error)) servers.emplace_back(root, *port);
  }
  std::ranges::sort(servers, {}, &LocalServer::port);
  return servers;
}

std::optional<std::string> LocalServer::start() {
  const auto sealed = take_note(note(), directory());
  if (sealed && resume(*sealed)) return std::nullopt;
  return launch({redis_conf(*this), {}, address()});
}

// Starts it where no client can reach it, breaks the seal of its record, and lets the clients in. False: it does not
// run. Where the seal does not fit, the record stays as it is, and the first client begins a quarantine.
bool LocalServer::resume(const SealedRecord& sealed) {
  redis::Address inside;
  inside.kind = redis::Address::Kind::unix_socket;
  inside.path = directory() / "up.sock";
  if (inside.path.size() >= sizeof(sockaddr_un::sun_path)) return false;
  if (launch({redis_conf(*this),
              {"--port", "0", "--unixsocket", inside.path, "--unixsocketperm", "600"},
              inside})) {
    return false;
  }
  auto redis = redis::Caller::connect(inside, seconds(1));
  resumed_ = redis && break_seal(*redis, redis::Keyspace{}, sealed);
  const bool open = redis && redis->call({"CONFIG", "SET", "port", std::to_string(port())});
  std::error_code ignored;
  fs::remove(inside.path, ignored);
  if (open && !wait_until_it_answers()) return true;
  resumed_ = false;
  // One that does not end keeps its data; start() says so, because its port is not ours then.
  terminate();
  return false;
}

std::optional<std::string> LocalServer::stop() const {
  const auto server = running();
  if (!server) return std::nullopt;
  if (const auto sealed = end_sealed(*server)) {
    if (!launched_it_new() && !sealed->text.empty()) leave_note(note(), directory(), *sealed);
  } else if (auto why = terminate(*server)) {
    return why;
  }
  remove_what_launch_made();
  return std::nullopt;
}

// Lets it write everything to the disk and end, with its record sealed. Nothing, if it runs on; an empty record, if it has
// ended and nobody can vouch for it.
std::optional<SealedRecord> LocalServer::end_sealed(const Running& server) const {
  const redis::Keyspace keyspace;
  auto redis = redis::Caller::connect(address(), seconds(1));
  const auto info = redis ? ask_info(*redis, {"server"}) : tl::unexpected(redis.error());
  if (!info || info->field("process_id") != std::to_string(server.pid)) return std::nullopt;
  const core::Time paused = runtime::boot_now();
  const std::int64_t wall = runtime::wall_now_ms();
  auto sealed = seal_record(*redis, keyspace);
  if (!sealed) return std::nullopt;
  // Only a server that cannot end answers this.
  const auto answer = redis->call({"SHUTDOWN", "SAVE"}, runtime::boot_now() + stop_within);
  const bool refused = answer || answer.error().code == core::FailureCode::server ||
                       answer.error().code == core::FailureCode::unsupported;
  if (ends(server, refused ? core::Duration::zero() : stop_within)) {
    // If clients could write again before it ended, nobody knows what is missing.
    const core::Duration by_wall = std::chrono::milliseconds(runtime::wall_now_ms() - wall);
    const bool still = std::max<core::Duration>(runtime::boot_now() - paused, by_wall) < write_pause * 4 / 5;
    return still ? sealed : std::optional<SealedRecord>(SealedRecord{});
  }
  if (auto again = redis::Caller::connect(address(), seconds(1))) take_seal_back(*again, keyspace, *sealed);
  return std::nullopt;
}

}  // namespace tenure::cli
