// A private Consul for tests: one agent in its mode for development, which keeps all in memory.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "support/certificates.hpp"
#include "support/stores/real_server.hpp"

namespace tenure::test {

class ConsulServer {
 public:
  struct Options {
    Certificates* certificates = nullptr;  // speaks TLS with one of its own
    std::string config{};                  // JSON, on top of what it is started with: ACLs
    std::string token{};                   // by which request() speaks
  };

  // Returns when it has a leader and knows its node; throws std::runtime_error with its log when it does not.
  ConsulServer() : ConsulServer(Options{}) {}
  explicit ConsulServer(Options options);

  // consul://127.0.0.1:PORT/PREFIX, or consuls://
  std::string url(const std::string& prefix = {}) const;
  std::uint16_t port() const { return port_; }
  http_client::HttpServer http() const;
  // One that nobody has used before in this program.
  std::string new_prefix();

  // Whatever its status; see ask_server().
  http_client::HttpAnswer request(const std::string& method, const std::string& target,
                                  const std::string& body = {});

  pid_t pid() const { return agent_->pid(); }
  std::string log() const { return agent_->log(); }
  void pause() { agent_->pause(); }
  void resume() { agent_->resume(); }
  void kill() { agent_->kill(); }  // with it goes all that it kept
  void restart();                  // kills it if need be; at the same address, with no data

 private:
  bool launch();  // false: a port was taken meanwhile
  bool answers();

  Options options_;
  Directory directory_{"consul"};
  std::uint16_t port_ = 0;
  int prefixes_ = 0;
  std::unique_ptr<Daemon> agent_{};
};

// One for all tests of a program, which is left as it was found: each test has a prefix of its own.
ConsulServer& shared_consul();

}  // namespace tenure::test
