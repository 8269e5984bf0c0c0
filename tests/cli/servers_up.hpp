// Servers that tenure redis up has started, in a directory and on ports of the test's own; gone with it.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <system_error>

#include "cli/tenure_program.hpp"

namespace tenure::test {

namespace fs = std::filesystem;

inline bool is_free(int port) {
  const int probe = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_port = htons(static_cast<std::uint16_t>(port));
  where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const bool bound = bind(probe, reinterpret_cast<sockaddr*>(&where), sizeof where) == 0;
  close(probe);
  return bound;
}

// Below those that the kernel gives to connections, and far from 6379. Tests that run at the same time have other
// pids, and so look at other ports: between this look and the start of a server they could take them.
inline int first_of_free_ports(int count) {
  constexpr int each = 20;
  for (int begin = getpid() % 500 * each;; begin = (begin + each) % 10'000) {
    for (int first = 20'000 + begin; first + count <= 20'000 + begin + each; first += count) {
      bool all = true;
      for (int i = 0; i < count; ++i) all = all && is_free(first + i);
      if (all) return first;
    }
  }
}

inline pid_t pid_in(const fs::path& file) {
  pid_t pid = 0;
  std::ifstream(file) >> pid;
  return pid;
}

class RedisUpTest : public testing::Test {
 protected:
  RedisUpTest() : port(first_of_free_ports(4)) {
    std::string name = "/tmp/tenure-up-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make a directory under /tmp");
    home = name;
    root = home / "set of three";  // with spaces: they stand in the configuration
  }
  ~RedisUpTest() override {
    down();
    // Whatever down has left, by the pid files of this test's own directory.
    for (int i = 0; i < 4; ++i) {
      if (const pid_t pid = pid_of(i); pid > 0 && is_server(pid, i)) kill(pid, SIGKILL);
    }
    std::error_code ignored;
    fs::remove_all(home, ignored);
  }

  Result up(const Words& more = {}, const Words& environment = {}) {
    return tenure(Words{"redis", "up", "--port", std::to_string(port), "--dir", root.string()} + more,
                  environment);
  }
  // A master waits up to ten seconds for replicas that lag, as one does that has just come back.
  Result down() {
    const auto ending = start_tenure({"redis", "down", "--dir", root.string()});
    return {ending->exit_code(std::chrono::seconds(30)), ending->out(), ending->err()};
  }

  fs::path directory(int i) const { return root / std::to_string(port + i); }
  pid_t pid_of(int i) const { return pid_in(directory(i) / "redis.pid"); }
  bool is_server(pid_t pid, int i) const {
    std::error_code error;
    return fs::equivalent("/proc/" + std::to_string(pid) + "/cwd", directory(i) / "data", error);
  }
  bool runs(int i) const { return pid_of(i) > 0 && is_server(pid_of(i), i); }
  std::string url(int i) const { return "redis://127.0.0.1:" + std::to_string(port + i); }
  std::string export_line() const {
    return "export TENURE_REDIS=" + url(0) + "," + url(1) + "," + url(2) + "\n";
  }
  Words environment() const { return {"TENURE_REDIS=" + url(0) + "," + url(1) + "," + url(2)}; }
  std::string port_says(int i, const std::string& what) const {
    return "tenure: port " + std::to_string(port + i) + ": " + what;
  }

  int port;
  fs::path home;  // of this test alone
  fs::path root;
};

}  // namespace tenure::test
