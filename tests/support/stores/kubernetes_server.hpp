// A private Kubernetes for tests: its API server alone, over an etcd of its own. There are no nodes and no controllers.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "support/certificates.hpp"
#include "support/stores/real_server.hpp"

namespace tenure::test {

class KubernetesServer {
 public:
  // Returns when it is ready; throws std::runtime_error with its log when it is not.
  KubernetesServer();

  std::string api() const { return "https://127.0.0.1:" + std::to_string(port_); }
  std::uint16_t port() const { return port_; }
  std::string ca_file() const { return certificates_.ca_file(); }
  Certificates& certificates() { return certificates_; }
  http_client::HttpServer http() const { return {.base = api(), .ca_file = ca_file()}; }
  // Users that it knows by their token. May do all; is the same user by another token; may do nothing, unless a test gives it rights.
  static constexpr auto token = "secret-token";
  static constexpr auto other_token = "secret-other-token";
  static constexpr auto token_of_nobody = "secret-token-of-nobody";
  static constexpr auto nobody = "nobody-yet";

  // A file by which a client speaks to it; the token is for other_token and the like. It goes with the server.
  std::string kubeconfig(const std::string& name_space = "default", const std::string& with_token = token);
  // The same, by which it is reached at another port of 127.0.0.1.
  std::string kubeconfig_at(std::uint16_t port, const std::string& name_space);
  // One that nobody has used before in this program: made.
  std::string new_namespace();

  // As who may do all, in JSON. Whatever its status; see ask_server().
  http_client::HttpAnswer request(const std::string& method, const std::string& target,
                                  const std::string& body = {});
  // Of a Lease.
  std::string lease_target(const std::string& name_space, const std::string& name) const;

  // Of the API server. What etcd keeps stays.
  pid_t pid() const { return server_->pid(); }
  std::string log() const { return server_->log(); }
  void pause() { server_->pause(); }
  void resume() { server_->resume(); }
  void kill() { server_->kill(); }
  void restart();  // kills it if need be; at the same address
  // Of what it keeps its data in.
  void pause_etcd() { etcd_->pause(); }
  void resume_etcd() { etcd_->resume(); }

 private:
  std::unique_ptr<Daemon> start_etcd();
  std::vector<std::string> arguments() const;
  void wait_until_ready();
  bool answers();
  std::string path(const std::string& name) const { return directory_.path() / name; }

  Directory directory_{"kubernetes"};
  Certificates certificates_{};
  std::uint16_t etcd_port_ = 0;
  std::uint16_t port_ = 0;
  int files_ = 0;
  int namespaces_ = 0;
  std::unique_ptr<Daemon> etcd_{};
  std::unique_ptr<Daemon> server_{};
};

// One for all tests of a program, which is left as it was found: each test has a namespace of its own.
KubernetesServer& shared_kubernetes();

}  // namespace tenure::test
