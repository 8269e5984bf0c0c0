// Where the API server of a kubernetes:// URL is, and as whom it is asked: as the pod that we run in, or as a kubeconfig file says.
#pragma once

#include <optional>
#include <string>
#include <tl/expected.hpp>

#include "http_client/http_calls.hpp"

namespace tenure::kubernetes {

struct Place {
  http_client::HttpServer server{};
  std::string name_space{};
  std::string token{};
  std::string token_file{};
  std::string name{};  // for people
};

// What a process finds around it.
struct Surroundings {
  std::optional<std::string> kubeconfig{};  // KUBECONFIG: paths with ':' between them
  std::optional<std::string> home{};
  std::optional<std::string> service_host{};  // KUBERNETES_SERVICE_HOST
  std::string service_port = "443";           // KUBERNETES_SERVICE_PORT
  std::string service_account = "/var/run/secrets/kubernetes.io/serviceaccount";
};
Surroundings surroundings();

// kubernetes://[NAMESPACE]. A kubeconfig that is named by KUBECONFIG counts first, then the pod, then ~/.kube/config. The error is a
// sentence without secrets.
tl::expected<Place, std::string> find_place(const std::string& url, const Surroundings& around);

}  // namespace tenure::kubernetes
