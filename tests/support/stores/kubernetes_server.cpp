#include "support/stores/kubernetes_server.hpp"

#include <fstream>
#include <stdexcept>
#include <utility>

#include "support/redis_program.hpp"

namespace tenure::test {

namespace {

constexpr int port_attempts = 10;
constexpr auto patience = std::chrono::seconds(60);

std::string loopback(std::uint16_t port) { return "http://127.0.0.1:" + std::to_string(port); }

}  // namespace

KubernetesServer::KubernetesServer() {
  std::ofstream(path("tokens.csv")) << token << ",tester,1,\"system:masters\"\n"
                                    << other_token << ",tester,1,\"system:masters\"\n"
                                    << token_of_nobody << "," << nobody << ",2\n";
  etcd_ = start_etcd();
  // Service accounts want a key to sign with; that of a certificate is as good.
  const Identity signer = certificates_.issue();
  std::filesystem::copy_file(signer.certificate_file, path("accounts.pem"));
  std::filesystem::copy_file(signer.key_file, path("accounts.key"));
  const Identity identity =
      certificates_.issue({.alternative_names = "DNS:localhost,DNS:kubernetes.default.svc,IP:127.0.0.1"});
  std::filesystem::copy_file(identity.certificate_file, path("server.pem"));
  std::filesystem::copy_file(identity.key_file, path("server.key"));
  for (int attempt = 0; attempt < port_attempts; ++attempt) {
    port_ = free_port();
    server_ = std::make_unique<Daemon>(arguments());
    wait_until_ready();
    if (server_->running()) return;
    if (server_->log().find("address already in use") == std::string::npos) break;
  }
  throw std::runtime_error("the API server of Kubernetes does not start:\n" + server_->log());
}

std::unique_ptr<Daemon> KubernetesServer::start_etcd() {
  for (int attempt = 0; attempt < port_attempts; ++attempt) {
    etcd_port_ = free_port();
    const std::string peers = loopback(free_port());
    const std::string clients = loopback(etcd_port_);
    // What a test writes need not survive the machine.
    auto etcd = std::make_unique<Daemon>(std::vector<std::string>{
        "etcd", "--data-dir", path("etcd"), "--listen-client-urls", clients, "--advertise-client-urls",
        clients, "--listen-peer-urls", peers, "--initial-advertise-peer-urls", peers, "--initial-cluster",
        "default=" + peers});
    const auto answers = [&] {
      try {
        return ask_server({.base = clients}, {.method = "GET", .target = "/health"}).status == 200;
      } catch (const std::runtime_error&) {
        return false;
      }
    };
    if (wait_until([&] { return !etcd->running() || answers(); }, patience) && etcd->running()) return etcd;
    if (etcd->log().find("address already in use") == std::string::npos)
      throw std::runtime_error("etcd does not start:\n" + etcd->log());
  }
  throw std::runtime_error("no port stays free for etcd");
}

std::vector<std::string> KubernetesServer::arguments() const {
  return {real_program("kube-apiserver"),
          "--etcd-servers=" + loopback(etcd_port_),
          "--secure-port=" + std::to_string(port_),
          "--bind-address=127.0.0.1",
          "--advertise-address=127.0.0.1",
          "--endpoint-reconciler-type=none",
          "--cert-dir=" + path("certs"),
          "--tls-cert-file=" + path("server.pem"),
          "--tls-private-key-file=" + path("server.key"),
          "--client-ca-file=" + ca_file(),
          "--token-auth-file=" + path("tokens.csv"),
          "--service-account-key-file=" + path("accounts.pem"),
          "--service-account-signing-key-file=" + path("accounts.key"),
          "--service-account-issuer=https://kubernetes.default.svc",
          "--authorization-mode=RBAC",
          "--service-cluster-ip-range=10.0.0.0/24",
          "--disable-admission-plugins=ServiceAccount"};
}

void KubernetesServer::wait_until_ready() {
  const bool decided = wait_until([this] { return !server_->running() || answers(); }, patience);
  if (!decided)
    throw std::runtime_error("the API server of Kubernetes is not ready in time:\n" + server_->log());
}

bool KubernetesServer::answers() try {
  return request("GET", "/readyz").status == 200 &&
         request("GET", "/api/v1/namespaces/default").status == 200;
} catch (const std::runtime_error&) {
  return false;
}

http_client::HttpAnswer KubernetesServer::request(const std::string& method, const std::string& target,
                                                  const std::string& body) {
  http_client::HttpRequest request{.method = method, .target = target, .body = body};
  request.headers = {std::string("Authorization: Bearer ") + token, "Content-Type: application/json"};
  return ask_server(http(), std::move(request));
}

std::string KubernetesServer::lease_target(const std::string& name_space, const std::string& name) const {
  return "/apis/coordination.k8s.io/v1/namespaces/" + name_space + "/leases/" + name;
}

std::string KubernetesServer::kubeconfig(const std::string& name_space, const std::string& with_token) {
  const std::string file = path("kubeconfig-" + std::to_string(++files_));
  std::ofstream(file)
      << "apiVersion: v1\nkind: Config\ncurrent-context: test\n"
      << "clusters:\n- name: test\n  cluster:\n    server: " << api()
      << "\n    certificate-authority: " << ca_file() << "\n"
      << "contexts:\n- name: test\n  context:\n    cluster: test\n    user: tester\n    namespace: "
      << name_space << "\n"
      << "users:\n- name: tester\n  user:\n    token: " << with_token << "\n";
  return file;
}

std::string KubernetesServer::kubeconfig_at(std::uint16_t port, const std::string& name_space) {
  const std::uint16_t direct = std::exchange(port_, port);
  std::string file = kubeconfig(name_space);
  port_ = direct;
  return file;
}

std::string KubernetesServer::new_namespace() {
  std::string name = "test-" + std::to_string(++namespaces_);
  const auto made =
      request("POST", "/api/v1/namespaces",
              R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":")" + name + R"("}})");
  if (made.status != 201) throw std::runtime_error("no namespace " + name + ": " + made.body);
  return name;
}

void KubernetesServer::restart() {
  server_->kill();
  server_->start();
  wait_until_ready();
  if (!server_->running())
    throw std::runtime_error("the API server does not start again:\n" + server_->log());
}

KubernetesServer& shared_kubernetes() {
  static KubernetesServer server;
  return server;
}

}  // namespace tenure::test
