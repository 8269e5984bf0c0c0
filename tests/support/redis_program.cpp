#include "support/redis_program.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <sstream>
#include <stdexcept>

namespace tenure::test {

namespace {

constexpr std::uint16_t everybodys_port = 6379;

}  // namespace

std::string server_program() {
  for (const auto* name : {"redis-server", "valkey-server"}) {
    std::istringstream folders(std::getenv("PATH") == nullptr ? "/usr/bin" : std::getenv("PATH"));
    for (std::string folder; std::getline(folders, folder, ':');) {
      if (access((folder + "/" + name).c_str(), X_OK) == 0) return folder + "/" + name;
    }
  }
  throw std::runtime_error("neither redis-server nor valkey-server is in PATH");
}

std::filesystem::path new_server_directory() {
  std::string name = "/tmp/tenure-redis-XXXXXX";
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make a directory under /tmp");
  return name;
}

std::uint16_t free_port() {
  const int probe = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  const bool bound = bind(probe, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
                     getsockname(probe, reinterpret_cast<sockaddr*>(&address), &size) == 0;
  close(probe);
  if (!bound) throw std::runtime_error("no free port on 127.0.0.1");
  const auto port = ntohs(address.sin_port);
  return port == everybodys_port ? free_port() : port;
}

}  // namespace tenure::test
