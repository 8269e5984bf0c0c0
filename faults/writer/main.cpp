// fenced_writer SOCKET WHO WRITES: writes to the register so many times, with a short rest after each, as a command under a
// lease whose token it has from its environment. It asks nobody whether it still may, and no clock whether it is late: one that
// was stopped goes on where it was.
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <thread>

#include "faults/crowd.hpp"

namespace {

using tenure::faults::write_rest;

long long boot_nanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  return static_cast<long long>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

int connect_to(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return -1;
  path.copy(address.sun_path, path.size());
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  return connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 ? fd : -1;
}

}  // namespace

int main(int argc, char** argv) {
  const char* token = std::getenv("TENURE_TOKEN");
  const char* name = std::getenv("TENURE_NAME");
  if (argc != 4 || token == nullptr || name == nullptr) {
    std::fputs("usage: fenced_writer SOCKET WHO WRITES, under tenure run or elect\n", stderr);
    return 64;
  }
  const int fd = connect_to(argv[1]);
  if (fd < 0) return 69;
  const std::string start =
      std::string(name) + ' ' + argv[2] + ' ' + token + ' ' + std::to_string(getpid()) + ' ';
  for (long left = std::atol(argv[3]); left > 0; --left) {
    const std::string line = start + std::to_string(boot_nanoseconds()) + '\n';
    std::array<char, 2> answer{};
    if (send(fd, line.data(), line.size(), MSG_NOSIGNAL) < 0 ||
        recv(fd, answer.data(), answer.size(), 0) <= 0)
      return 69;
    std::this_thread::sleep_for(write_rest);
  }
  return 0;
}
