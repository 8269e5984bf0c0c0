#include "servers.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pwd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cctype>
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <system_error>
#include <vector>

#include "cores.hpp"

namespace tenure::bench {

namespace {

using test::Process;

constexpr int port_attempts = 20;
constexpr std::chrono::seconds start_max{30};
constexpr std::chrono::seconds stop_max{10};

// The newest of the system's: /usr/lib/postgresql/VERSION/bin. What is in PATH may be a wrapper of it.
std::string postgres_programs() {
  std::string found;
  int newest = 0;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator("/usr/lib/postgresql", none)) {
    const int version = std::atoi(entry.path().filename().c_str());
    if (version > newest && std::filesystem::exists(entry.path() / "bin/initdb")) {
      newest = version;
      found = entry.path() / "bin/";
    }
  }
  if (found.empty()) throw std::runtime_error("there is no initdb under /usr/lib/postgresql");
  return found;
}

// How a program is run that refuses to run as root. The death of this program, which would end it, is forgotten by the
// kernel when the user changes; setpriv asks for it again.
std::vector<std::string> as_postgres(std::vector<std::string> argv) {
  if (getuid() != 0) return argv;
  std::vector<std::string> all{"setpriv",        "--reuid=postgres", "--regid=postgres",
                               "--clear-groups", "--pdeathsig=QUIT", "--"};
  all.insert(all.end(), argv.begin(), argv.end());
  return all;
}

void give_to_postgres(const std::filesystem::path& directory) {
  if (getuid() != 0) return;
  const passwd* user = getpwnam("postgres");
  if (user == nullptr)
    throw std::runtime_error("there is no user postgres, and as root PostgreSQL does not run");
  if (chown(directory.c_str(), user->pw_uid, user->pw_gid) != 0) {
    throw std::runtime_error("cannot give " + directory.string() + " to postgres");
  }
}

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

PostgresServer::PostgresServer() : directory_("postgres") {
  const std::string programs = postgres_programs();
  const std::string data = directory_.path() / "data";
  give_to_postgres(directory_.path());
  const Process::Options options{.directory = directory_.path(), .own_group = true};
  const Process made(as_postgres({programs + "initdb", "--pgdata", data, "--username", "tenure", "--auth",
                                  "trust", "--encoding", "UTF8", "--locale", "C", "--no-sync"}),
                     options);
  if (made.exit_code(start_max) != 0) throw std::runtime_error("initdb: " + made.out() + made.err());
  const AmongServers here;
  process_ = std::make_unique<Process>(
      as_postgres({programs + "postgres", "-D", data, "-c", "listen_addresses=", "-c",
                   "unix_socket_directories=" + directory_.path().string(), "-c", "max_connections=200"}),
      options);
  const auto ready = [this] {
    return !process_->running() || process_->err().find("ready to accept connections") != std::string::npos;
  };
  if (test::wait_until(ready, start_max) && process_->running()) return;
  const std::string said = process_->err();
  stop(process_, SIGQUIT);
  throw std::runtime_error("PostgreSQL does not start:\n" + said);
}

// A fast shutdown: connections are cut, and its processes, which are in groups of their own, end with it.
PostgresServer::~PostgresServer() { stop(process_, SIGINT); }

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
