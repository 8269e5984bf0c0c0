#include "cli/redis_up/local_ports.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <thread>

#include "cli/doctor/server_info.hpp"
#include "core/base/number.hpp"
#include "core/base/text.hpp"
#include "redis/net/caller.hpp"
#include "runtime/boot_clock.hpp"
#include "runtime/net/descriptor.hpp"

namespace tenure::cli {

namespace {

namespace fs = std::filesystem;

constexpr auto end_it = ": end it, or take others with --port";

// 0, or why a server could not listen there.
int listen_error(std::uint16_t port) {
  const runtime::Descriptor probe(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  // As Redis does: connections of a server that has just ended are no obstacle.
  const int on = 1;
  setsockopt(probe.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_port = htons(port);
  where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const bool bound = bind(probe.get(), reinterpret_cast<const sockaddr*>(&where), sizeof where) == 0;
  return bound ? 0 : errno;
}

// A server that answers there, in words.
std::optional<std::string> redis_at(std::uint16_t port) {
  redis::Address address;
  address.host = "127.0.0.1";
  address.port = port;
  auto redis = redis::Caller::connect(address, std::chrono::seconds(1));
  const auto info = redis ? ask_info(*redis, {"server"}) : tl::unexpected(redis.error());
  if (!info) return std::nullopt;
  return info->product() + " that is none of these (process " +
         core::printable(info->field("process_id"), 20) + ")";
}

std::optional<fs::path> from_environment(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): before any thread
  if (value == nullptr || *value != '/') return std::nullopt;
  return value;
}

}  // namespace

std::optional<fs::path> default_root() {
  if (const auto state = from_environment("XDG_STATE_HOME")) return *state / "tenure" / "redis";
  if (const auto home = from_environment("HOME")) return *home / ".local" / "state" / "tenure" / "redis";
  return std::nullopt;
}

std::vector<std::uint16_t> ports_in(const fs::path& root, std::string_view folder) {
  std::vector<std::uint16_t> ports;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(root, error)) {
    const std::string its_name = entry.path().filename().string();
    if (!its_name.starts_with(folder)) continue;
    if (const auto port = core::read_number<std::uint16_t>(its_name.substr(folder.size())))
      ports.push_back(*port);
  }
  std::ranges::sort(ports);
  return ports;
}

std::optional<std::string> taken_by(std::uint16_t port) {
  // A server that was killed a moment ago may not have let go of it yet.
  const core::Time deadline = runtime::boot_now() + std::chrono::seconds(1);
  do {
    const int error = listen_error(port);
    if (error == 0) return std::nullopt;
    if (error != EADDRINUSE) {
      return "cannot be listened on (" + std::generic_category().message(error) +
             "): take others with --port";
    }
    if (auto who = redis_at(port)) return "is taken by a " + *who + end_it;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  } while (runtime::boot_now() < deadline);
  return std::string("is taken by another program") + end_it;
}

}  // namespace tenure::cli
