// What one leader and ten who wait cost an API server, beside as many of client-go. TENURE_CALL_SECONDS says for how long it is counted.
#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <memory>
#include <sstream>
#include <thread>
#include <vector>

#include "kubernetes/lease_namespace.hpp"
#include "kubernetes/rival.hpp"
#include "support/wait.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;

constexpr int candidates = 11;

// Calls about Leases that have ended, by verb.
std::map<std::string, double> calls(KubernetesServer& server) {
  std::map<std::string, double> counts;
  std::istringstream text(server.request("GET", "/metrics").body);
  for (std::string line; std::getline(text, line);) {
    if (!line.starts_with("apiserver_request_total{") ||
        line.find("resource=\"leases\"") == std::string::npos)
      continue;
    const auto verb = line.find("verb=\"") + 6;
    counts[line.substr(verb, line.find('"', verb) - verb)] += std::stod(line.substr(line.rfind(' ') + 1));
  }
  return counts;
}

// Calls a minute, once all have settled.
double measure(KubernetesServer& server, const char* what) {
  const char* wanted = std::getenv("TENURE_CALL_SECONDS");
  const std::chrono::duration<double> length(wanted != nullptr ? std::stoi(wanted) : 30);
  std::this_thread::sleep_for(16s);
  const auto before = calls(server);
  std::this_thread::sleep_for(length);
  auto after = calls(server);
  double all = 0;
  std::printf("%-32s", what);
  for (const auto& [verb, count] : after) {
    const auto was = before.find(verb);
    const double each = (count - (was != before.end() ? was->second : 0)) * 60 / length.count();
    if (verb == "WATCH" || each == 0) continue;
    std::printf("  %s %.0f", verb.c_str(), each);
    all += each;
  }
  std::printf("  together %.0f a minute\n", all);
  return all;
}

double calls_of_tenure(KubernetesServer& server, std::chrono::milliseconds lease, const char* what) {
  LeaseNamespace space(server);
  std::vector<Client> clients;
  std::vector<Election> elections;
  for (int i = 0; i < candidates; ++i) {
    clients.push_back(space.client("web-" + std::to_string(i)));
    elections.push_back(clients.back().election("leader", {.lease = lease}).value());
    EXPECT_TRUE(elections.back().start());
  }
  return measure(server, what);
}

TEST(Calls, OneLeaderAndTenWhoWaitCostLessThanWithClientGo) {
  KubernetesServer server;
  calls_of_tenure(server, 15s, "Tenure, lease 15 s");
  const double ours = calls_of_tenure(server, 6s, "Tenure, lease 6 s");
  LeaseNamespace space(server);
  std::vector<std::unique_ptr<ClientGoRival>> rivals;
  for (int i = 0; i < candidates; ++i) {
    rivals.push_back(std::make_unique<ClientGoRival>("leader", space.name(), "go-" + std::to_string(i),
                                                     space.kubeconfig()));
  }
  const double theirs = measure(server, "client-go, lease 6 s, retry 1 s");
  EXPECT_GT(ours, 0);
  EXPECT_LT(ours, theirs);
}

}  // namespace
}  // namespace tenure::test
