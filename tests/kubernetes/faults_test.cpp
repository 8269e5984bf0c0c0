// What becomes of leases when the API server is away, refuses, or is asked as somebody else.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

#include "kubernetes/lease_namespace.hpp"
#include "support/directory.hpp"
#include "support/paths.hpp"
#include "support/proxy.hpp"
#include "support/wait.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;

// Candidates that say how many lead.
class Candidates {
 public:
  Candidates(const LeaseNamespace& space, int count, std::chrono::milliseconds lease) {
    for (int i = 0; i < count; ++i) {
      clients_.push_back(space.client("web-" + std::to_string(i)));
      elections_.push_back(clients_.back().election("leader", {.lease = lease}).value());
      EXPECT_TRUE(elections_.back().start());
    }
  }
  long leaders() const {
    return std::ranges::count_if(elections_, [](const Election& it) { return it.is_leader(); });
  }
  std::optional<std::uint64_t> term() const {
    for (const Election& it : elections_) {
      if (it.is_leader()) return it.term();
    }
    return std::nullopt;
  }

 private:
  std::vector<Client> clients_{};
  std::vector<Election> elections_{};
};

TEST(KubernetesFaults, TheLeaderStaysWhileTheServerIsAwayForLessThanALeaseAndNobodyLeadsAfterwards) {
  KubernetesServer server;
  LeaseNamespace space(server);
  const Candidates candidates(space, 10, 15s);
  ASSERT_TRUE(wait_until([&] { return candidates.leaders() == 1; }));
  const auto term = candidates.term();
  std::this_thread::sleep_for(2s);

  // What it takes to start is what it is away.
  const auto killed = std::chrono::steady_clock::now();
  server.restart();
  const std::chrono::duration<double> away = std::chrono::steady_clock::now() - killed;
  std::printf("away for %.1f s\n", away.count());
  // A leader that cannot renew for its grace, a third of the lease, gives up by itself.
  const auto stays = [&] { return candidates.term() == term; };
  if (away < 7s) {
    EXPECT_FALSE(wait_until([&] { return !stays(); }, 8s)) << "another term for so short a time";
  }

  server.kill();
  ASSERT_TRUE(wait_until([&] { return candidates.leaders() == 0; }, 16s))
      << "it must know that it leads no longer";
  std::this_thread::sleep_for(5s);
  EXPECT_EQ(candidates.leaders(), 0);
  server.restart();
  bool two = false;
  ASSERT_TRUE(wait_until(
      [&] {
        two = two || candidates.leaders() > 1;
        return candidates.leaders() == 1;
      },
      40s));
  EXPECT_FALSE(two);
  EXPECT_GT(candidates.term().value(), term.value());
}

TEST(KubernetesFaults, AServerThatIsPausedGivesNothingToTwo) {
  KubernetesServer server;
  LeaseNamespace space(server);
  const Candidates candidates(space, 3, 4s);
  ASSERT_TRUE(wait_until([&] { return candidates.leaders() == 1; }));
  for (int round = 0; round < 3; ++round) {
    server.pause();
    EXPECT_TRUE(wait_until([&] { return candidates.leaders() == 0; }, 5s));
    std::this_thread::sleep_for(2s);
    server.resume();
    bool two = false;
    EXPECT_TRUE(wait_until(
        [&] {
          two = two || candidates.leaders() > 1;
          return candidates.leaders() == 1;
        },
        20s));
    EXPECT_FALSE(two);
  }
}

// It answers, and says that it cannot reach its data.
TEST(KubernetesFaults, AServerWhoseDataIsPausedGivesNothingToTwo) {
  KubernetesServer server;
  LeaseNamespace space(server);
  const Candidates candidates(space, 3, 4s);
  ASSERT_TRUE(wait_until([&] { return candidates.leaders() == 1; }));
  for (int round = 0; round < 2; ++round) {
    server.pause_etcd();
    EXPECT_TRUE(wait_until([&] { return candidates.leaders() == 0; }, 5s));
    std::this_thread::sleep_for(4s);
    EXPECT_EQ(candidates.leaders(), 0);
    server.resume_etcd();
    bool two = false;
    EXPECT_TRUE(wait_until(
        [&] {
          two = two || candidates.leaders() > 1;
          return candidates.leaders() == 1;
        },
        30s));
    EXPECT_FALSE(two);
  }
}

TEST(KubernetesFaults, ALeaderThatIsCutOffStopsBeforeAnotherLeads) {
  LeaseNamespace space;
  KubernetesServer& server = space.server();
  Proxy proxy({std::to_string(server.port())}, {});
  const std::string far = server.kubeconfig_at(proxy.address({0, 0}).port, space.name());
  const Client one = LeaseNamespace::open(far, "web-1").value();
  auto first = one.election("leader", {.lease = 4s}).value();
  ASSERT_TRUE(first.start());
  ASSERT_TRUE(wait_until([&] { return first.is_leader(); }));
  const Client other = space.client("web-2");
  auto second = other.election("leader", {.lease = 4s}).value();
  ASSERT_TRUE(second.start());
  std::this_thread::sleep_for(1s);
  proxy.isolate(0, true);
  const auto cut = std::chrono::steady_clock::now();
  bool two = false;
  ASSERT_TRUE(wait_until(
      [&] {
        two = two || (first.is_leader() && second.is_leader());
        return second.is_leader();
      },
      10s));
  EXPECT_FALSE(two);
  EXPECT_FALSE(first.is_leader());
  std::printf("cut off, and followed after %.1f s\n",
              std::chrono::duration<double>(std::chrono::steady_clock::now() - cut).count());
  proxy.isolate(0, false);
  std::this_thread::sleep_for(2s);
  EXPECT_TRUE(second.is_leader());
  EXPECT_FALSE(first.is_leader());
}

TEST(KubernetesFaults, ATokenThatIsExchangedIsReadAgain) {
  LeaseNamespace space;
  KubernetesServer& server = space.server();
  const Directory directory("token");
  const std::string file = directory.path() / "token";
  const auto write = [&](const std::string& token) {
    // As kubelet does: another file under the same name.
    std::ofstream(file + ".new") << token << "\n";
    std::filesystem::rename(file + ".new", file);
  };
  write(KubernetesServer::token);
  const std::string kubeconfig = directory.path() / "kubeconfig";
  std::ifstream from(space.kubeconfig());
  std::string text{std::istreambuf_iterator<char>(from), {}};
  const std::string by_value = std::string("token: ") + KubernetesServer::token;
  ASSERT_NE(text.find(by_value), std::string::npos);
  std::ofstream(kubeconfig) << text.replace(text.find(by_value), by_value.size(), "tokenFile: token");

  const Client client = LeaseNamespace::open(kubeconfig, "web-1").value();
  auto lease = client.lock("job", {.ttl = 6s}).acquire();
  ASSERT_TRUE(lease) << lease.error().message;
  write("secret-of-nobody");
  const auto refused = client.lock("other", {.ttl = 6s}).try_acquire();
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("credentials"), std::string::npos) << refused.error().message;
  EXPECT_EQ(refused.error().message.find("secret"), std::string::npos) << refused.error().message;
  write(KubernetesServer::other_token);
  EXPECT_TRUE(client.lock("other", {.ttl = 6s}).try_acquire());
  std::this_thread::sleep_for(7s);
  EXPECT_TRUE(lease->held()) << "it was renewed with the other one";
  EXPECT_EQ(server.request("GET", server.lease_target(space.name(), "redlock.job")).status, 200);
}

// Every document of a file, made in that namespace.
void apply(KubernetesServer& server, const std::string& name_space, const std::string& file,
           const std::string& user) {
  std::ifstream from(std::string(paths::source_dir) + "/" + file);
  std::string text{std::istreambuf_iterator<char>(from), {}};
  ASSERT_NE(text, "");
  for (std::size_t begin = 0; begin < text.size();) {
    const auto end = std::min(text.find("\n---\n", begin), text.size());
    std::string document = text.substr(begin, end - begin);
    begin = end + 5;
    const bool binding = document.find("kind: RoleBinding") != std::string::npos;
    if (!binding && document.find("kind: Role\n") == std::string::npos) continue;
    // The test's user in the place of the service account.
    if (binding) {
      const auto subjects = document.find("subjects:");
      ASSERT_NE(subjects, std::string::npos);
      const auto over = document.find("\nroleRef:");
      ASSERT_NE(over, std::string::npos);
      document.replace(
          subjects, over - subjects,
          "subjects:\n- kind: User\n  name: " + user + "\n  apiGroup: rbac.authorization.k8s.io");
    }
    http_client::HttpRequest request{.method = "POST",
                                     .target = "/apis/rbac.authorization.k8s.io/v1/namespaces/" + name_space +
                                               (binding ? "/rolebindings" : "/roles"),
                                     .body = document};
    request.headers = {std::string("Authorization: Bearer ") + KubernetesServer::token,
                       "Content-Type: application/yaml"};
    const auto answer = ask_server(server.http(), std::move(request));
    ASSERT_EQ(answer.status, 201) << answer.body;
  }
}

TEST(KubernetesFaults, TheRightsInDeployAreEnoughAndWithoutThemTheServersSentenceIsToldOn) {
  LeaseNamespace space;
  KubernetesServer& server = space.server();
  const std::string kubeconfig = server.kubeconfig(space.name(), KubernetesServer::token_of_nobody);
  const Client client = LeaseNamespace::open(kubeconfig, "web-1").value();
  const auto refused = client.lock("job", {.ttl = 5s}).try_acquire();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Refusal::Code::no_quorum) << refused.error().message;
  EXPECT_NE(refused.error().message.find("cannot list resource"), std::string::npos)
      << refused.error().message;

  apply(server, space.name(), "deploy/kubernetes/leases-role.yaml", KubernetesServer::nobody);
  std::optional<Lease> lease;
  ASSERT_TRUE(wait_until([&] {
    auto taken = client.lock("job", {.ttl = 3s}).try_acquire();
    if (taken) lease = std::move(*taken);
    return lease.has_value();
  }));
  std::this_thread::sleep_for(4s);
  EXPECT_TRUE(lease->held());
  // Watching, too: nobody looks for as long.
  const Client other = LeaseNamespace::open(kubeconfig, "web-2").value();
  std::jthread release([&] {
    std::this_thread::sleep_for(1s);
    EXPECT_TRUE(lease->release());
  });
  const auto began = std::chrono::steady_clock::now();
  EXPECT_TRUE(other.lock("job", {.ttl = 30s}).acquire({.wait_max = 20s, .retry_delay = 15s}));
  EXPECT_LT(std::chrono::steady_clock::now() - began, 4s);
  EXPECT_TRUE(other.election("leader", {.lease = 5s}).value().start());
}

}  // namespace
}  // namespace tenure::test
