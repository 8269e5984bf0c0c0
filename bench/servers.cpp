#include "servers.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <stdexcept>
#include <utility>
#include <vector>

#include "cores.hpp"

namespace tenure::bench {

namespace {

using test::Process;

constexpr int port_attempts = 20;
constexpr std::chrono::seconds start_max{30};
constexpr std::chrono::seconds stop_max{10};

// Ends a server by a signal that lets it clean up after itself.
void stop(std::unique_ptr<Process>& process, int signal) {
  if (!process) return;
  process->send(signal);
  process->wait(stop_max);
  process.reset();
}

// Two different ones, free now; somebody may take them before the server does.
std::array<std::string, 2> free_ports() {
  std::array<std::string, 2> ports;
  std::array<int, 2> probes{};
  for (std::size_t i = 0; i < ports.size(); ++i) {
    probes[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (bind(probes[i], reinterpret_cast<sockaddr*>(&address), size) == 0 &&
        getsockname(probes[i], reinterpret_cast<sockaddr*>(&address), &size) == 0) {
      ports[i] = std::to_string(ntohs(address.sin_port));
    }
  }
  for (const int probe : probes) close(probe);
  return ports;
}

}  // namespace

std::shared_ptr<test::PostgresServer> start_postgres(std::vector<std::string> settings) {
  // Room for the connections of 64 callers beside those of others.
  settings.insert(settings.begin(), {"shared_buffers=128MB", "max_connections=300"});
  const AmongServers here;
  return std::make_shared<test::PostgresServer>(
      test::PostgresServer::Options{.settings = std::move(settings)});
}

EtcdServer::EtcdServer() : directory_("etcd") {
  for (int attempt = 0; attempt < port_attempts; ++attempt) {
    if (launch()) return;
  }
  throw std::runtime_error("no two ports stay free for etcd");
}

EtcdServer::~EtcdServer() { stop(process_, SIGTERM); }

bool EtcdServer::launch() {
  const auto [client, peer] = free_ports();
  url_ = "http://127.0.0.1:" + client;
  const std::string peer_url = "http://127.0.0.1:" + peer;
  const AmongServers here;
  process_ = std::make_unique<Process>(
      std::vector<std::string>{"etcd", "--name", "bench", "--data-dir", directory_.path() / "data",
                               "--listen-client-urls", url_, "--advertise-client-urls", url_,
                               "--listen-peer-urls", peer_url, "--initial-advertise-peer-urls", peer_url,
                               "--initial-cluster", "bench=" + peer_url},
      Process::Options{.directory = directory_.path(), .own_group = true});
  const auto ready = [this] {
    return !process_->running() ||
           process_->err().find("ready to serve client requests") != std::string::npos;
  };
  if (test::wait_until(ready, start_max) && process_->running()) return true;
  const std::string said = process_->err();
  stop(process_, SIGTERM);
  if (said.find("address already in use") != std::string::npos) return false;
  throw std::runtime_error("etcd does not start:\n" + said);
}

}  // namespace tenure::bench
