// A private redis-server (or valkey-server) for one test: in a directory of its own, gone with the test.
// It keeps nothing over a restart unless the test asks for that by its arguments.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "redis/value.hpp"
#include "support/process.hpp"
#include "support/redis_connection.hpp"

namespace tenure::test {

class RedisServer {
 public:
  struct Options {
    bool tcp = false;                      // listens on a free port of 127.0.0.1, too
    std::vector<std::string> tls{};        // speaks TLS there, by these arguments: Certificates::server()
    bool cluster = false;                  // is a node of a Cluster, whose bus is on a free port, too
    std::vector<std::string> arguments{};  // added to the command line: {"--requirepass", "secret"}
    std::vector<std::string>
        environment{};   // "NAME=value", on top of the test's own: ClockShim::environment()
    std::string user{};  // as whom command() speaks; needs a password
    std::string password{};
  };

  // Returns when the server answers; throws std::runtime_error with its log when it does not.
  RedisServer();
  explicit RedisServer(Options options);
  ~RedisServer();
  RedisServer(const RedisServer&) = delete;
  RedisServer& operator=(const RedisServer&) = delete;

  // For "user:password" as user info: unix://user:password@/path, or redis(s):// when it has a port.
  std::string url(std::string_view user_info = {}) const;
  std::string socket_path() const { return directory_ / "redis.sock"; }
  const std::filesystem::path& directory() const { return directory_; }
  std::uint16_t port() const { return port_; }          // 0: none
  std::uint16_t bus_port() const { return bus_port_; }  // of a node of a Cluster
  pid_t pid() const;
  std::string log() const;

  // Blocks; an error reply is a value like others.
  redis::Value command(const std::vector<std::string>& args);

  void pause();  // returns when it has stopped
  void resume();
  void kill();     // at once, as by a power cut; returns when it is gone
  void restart();  // kills it if need be; same directory, same address

 private:
  void start();
  bool launch();  // false: the port was taken meanwhile
  bool answers();

  Options options_;
  std::filesystem::path directory_;
  std::uint16_t port_ = 0;
  std::uint16_t bus_port_ = 0;
  std::unique_ptr<Process> process_;
  std::unique_ptr<RedisConnection> connection_;
};

}  // namespace tenure::test
