#include "support/stores/consul_server.hpp"

#include <fstream>
#include <stdexcept>
#include <utility>

#include "support/redis_program.hpp"

namespace tenure::test {

namespace {

constexpr int port_attempts = 10;

}  // namespace

ConsulServer::ConsulServer(Options options) : options_(std::move(options)) {
  for (int attempt = 0; attempt < port_attempts; ++attempt) {
    port_ = free_port();
    if (launch()) return;
  }
  throw std::runtime_error("no port stays free for Consul");
}

bool ConsulServer::launch() {
  std::vector<std::string> argv{real_program("consul"),
                                "agent",
                                "-dev",
                                "-dns-port=-1",
                                "-grpc-port=-1",
                                "-serf-wan-port=-1",
                                "-bind=127.0.0.1",
                                "-client=127.0.0.1",
                                "-server-port=" + std::to_string(free_port()),
                                "-serf-lan-port=" + std::to_string(free_port()),
                                "-data-dir=" + directory_.path().string()};
  if (options_.certificates != nullptr) {
    const Identity identity = options_.certificates->issue();
    std::ofstream(directory_.path() / "tls.json")
        << R"({"ca_file":")" << options_.certificates->ca_file() << R"(","cert_file":")"
        << identity.certificate_file << R"(","key_file":")" << identity.key_file << R"("})";
    argv.insert(argv.end(), {"-http-port=-1", "-https-port=" + std::to_string(port_),
                             "-config-file=" + (directory_.path() / "tls.json").string()});
  } else {
    argv.push_back("-http-port=" + std::to_string(port_));
  }
  if (!options_.config.empty()) {
    std::ofstream(directory_.path() / "more.json") << options_.config;
    argv.push_back("-config-file=" + (directory_.path() / "more.json").string());
  }
  agent_ = std::make_unique<Daemon>(std::move(argv));
  if (wait_until([this] { return !agent_->running() || answers(); }, std::chrono::seconds(30)) &&
      agent_->running()) {
    return true;
  }
  const std::string said = agent_->log();
  agent_.reset();
  if (said.find("address already in use") != std::string::npos) return false;
  throw std::runtime_error("Consul does not start:\n" + said);
}

// Sessions need its node, which it registers a moment after it leads.
bool ConsulServer::answers() try {
  const auto nodes = request("GET", "/v1/catalog/nodes?consistent");
  return nodes.status == 200 && nodes.body.find("\"Node\"") != std::string::npos;
} catch (const std::runtime_error&) {
  return false;
}

std::string ConsulServer::url(const std::string& prefix) const {
  return std::string(options_.certificates != nullptr ? "consuls" : "consul") +
         "://127.0.0.1:" + std::to_string(port_) + (prefix.empty() ? "" : "/" + prefix);
}

http_client::HttpServer ConsulServer::http() const {
  const bool tls = options_.certificates != nullptr;
  return {.base = (tls ? "https" : "http") + std::string("://127.0.0.1:") + std::to_string(port_),
          .ca_file = tls ? options_.certificates->ca_file() : ""};
}

std::string ConsulServer::new_prefix() { return "test-" + std::to_string(++prefixes_); }

http_client::HttpAnswer ConsulServer::request(const std::string& method, const std::string& target,
                                              const std::string& body) {
  http_client::HttpRequest request{.method = method, .target = target, .body = body};
  if (!options_.token.empty()) request.headers.push_back("X-Consul-Token: " + options_.token);
  return ask_server(http(), std::move(request));
}

void ConsulServer::restart() {
  if (agent_) agent_->kill();
  if (!launch()) throw std::runtime_error("a port of Consul was taken meanwhile");
}

ConsulServer& shared_consul() {
  static ConsulServer server;
  return server;
}

}  // namespace tenure::test
