// A namespace of the shared Kubernetes for one test, and clients that find it by KUBECONFIG.
#pragma once

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <tl/expected.hpp>

#include "poll/json_text.hpp"
#include "support/stores/kubernetes_server.hpp"
#include "tenure/tenure.hpp"

namespace tenure::test {

class LeaseNamespace {
 public:
  explicit LeaseNamespace(KubernetesServer& server = shared_kubernetes())
      : server_(server), name_(server.new_namespace()), kubeconfig_(server.kubeconfig(name_)) {}

  const std::string& name() const { return name_; }
  const std::string& kubeconfig() const { return kubeconfig_; }
  KubernetesServer& server() { return server_; }

  // With what it says to the API server by that file.
  static tl::expected<Client, Refusal> open(const std::string& kubeconfig, const std::string& id) {
    setenv("KUBECONFIG", kubeconfig.c_str(), 1);
    ClientOptions options;
    options.nodes = {"kubernetes://"};
    options.id = id;
    return Client::open(std::move(options));
  }
  Client client(const std::string& id) const {
    const auto client = open(kubeconfig_, id);
    if (!client) throw std::runtime_error(client.error().message);
    return *client;
  }

  // As the API server shows it; null: there is none.
  poll::json::value lease(const std::string& object) {
    const auto answer = server_.request("GET", server_.lease_target(name_, object));
    return answer.status == 200 ? poll::read_json(answer.body).value() : poll::json::value();
  }
  std::string holder(const std::string& object) {
    const auto shown = lease(object);
    return shown.is_null() ? "" : std::string(shown.at("spec").at("holderIdentity").as_string());
  }
  int remove(const std::string& object) {
    return server_.request("DELETE", server_.lease_target(name_, object)).status;
  }

 private:
  KubernetesServer& server_;
  std::string name_;
  std::string kubeconfig_;
};

}  // namespace tenure::test
