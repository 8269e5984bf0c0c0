// The program on a Kubernetes or a Consul: what only one of them has.
#include <gtest/gtest.h>

#include <csignal>

#include "cli/tenure_program.hpp"
#include "support/stores/consul_server.hpp"
#include "support/stores/kubernetes_server.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;

Words on(const std::string& url, Words words) {
  words.insert(std::ranges::find(words, "--"), {"--store", url});
  return words;
}

TEST(OnKubernetes, RightsThatAreMissingAreNamedByDoctorAndByWhoIsRefused) {
  KubernetesServer& server = shared_kubernetes();
  const Words environment{"KUBECONFIG=" +
                          server.kubeconfig(server.new_namespace(), KubernetesServer::token_of_nobody)};
  const Result doctor = tenure(on("kubernetes://", {"doctor"}), environment);
  EXPECT_EQ(doctor.code, 2) << doctor.out;
  EXPECT_TRUE(has(doctor.out, "leases.coordination.k8s.io")) << doctor.out;
  const Result refused = tenure(on("kubernetes://", {"run", "job", "-n", "--", "true"}), environment);
  EXPECT_EQ(refused.code, 69) << refused.err;
  EXPECT_TRUE(has(refused.err, "leases")) << refused.err;
  EXPECT_FALSE(has(doctor.out + refused.err, "secret-token")) << "no secret is shown";
}

TEST(OnKubernetes, ALeaseOfAnotherProgramIsShownAsThat) {
  KubernetesServer& server = shared_kubernetes();
  const std::string space = server.new_namespace();
  const Words environment{"KUBECONFIG=" + server.kubeconfig(space)};
  const auto made = server.request(
      "POST", "/apis/coordination.k8s.io/v1/namespaces/" + space + "/leases",
      R"({"metadata":{"name":"controller"},"spec":{"holderIdentity":"pod-7","leaseDurationSeconds":15}})");
  ASSERT_EQ(made.status, 201) << made.body;
  const Result shown = tenure(on("kubernetes://", {"lock", "show", "controller"}), environment);
  EXPECT_TRUE(has(shown.out, "which Tenure did not write")) << shown.out << shown.err;
  EXPECT_TRUE(has(shown.out, "pod-7")) << shown.out << shown.err;
  const auto candidate = start_tenure(on("kubernetes://", {"elect", "controller"}), environment);
  EXPECT_FALSE(candidate->wait(3s));
  EXPECT_FALSE(has(candidate->out(), "elected")) << candidate->out();
}

TEST(OnKubernetes, InitSaysThatNothingNeedBeMade) {
  const Words environment{"KUBECONFIG=" + shared_kubernetes().kubeconfig()};
  const Result result = tenure(on("kubernetes://", {"init"}), environment);
  EXPECT_EQ(result.code, 64);
  EXPECT_TRUE(has(result.err, "needs no tenure init")) << result.err;
}

TEST(OnKubernetes, WithoutAnyCredentialsTheReasonIsSaid) {
  const Result result = tenure(on("kubernetes://", {"run", "job", "-n", "--", "true"}),
                               {"KUBECONFIG=/nonexistent/config", "KUBERNETES_SERVICE_HOST"});
  EXPECT_EQ(result.code, 64) << result.err;
  EXPECT_TRUE(has(result.err, "/nonexistent/config")) << result.err;
}

TEST(OnConsul, InitIsForANewOneAndDoctorSaysSo) {
  ConsulServer& server = shared_consul();
  const std::string url = server.url(server.new_prefix());
  const Result before = tenure(on(url, {"doctor"}));
  EXPECT_EQ(before.code, 2) << before.out;
  EXPECT_TRUE(has(before.out, "tenure init --store " + url)) << before.out;
  EXPECT_EQ(tenure(on(url, {"init"})).code, 0);
  const Result again = tenure(on(url, {"init"}));
  EXPECT_EQ(again.code, 73) << again.err;
  EXPECT_TRUE(has(again.err, "has a record of Tenure already")) << again.err;
}

TEST(OnConsul, OneThatLostItsDataGivesNoLeasesUntilItsQuarantineIsOver) {
  ConsulServer server;
  const Words options{"--ttl-max", "10s"};
  ASSERT_EQ(tenure(on(server.url(), {"init"}) + options).code, 0);
  const auto holder = start_tenure(on(
      server.url(), Words{"run", "job", "--id", "web-3", "--ttl", "10s", "--ttl-max", "10s", "--"} + stay()));
  const long token = number_printed(*holder);
  server.restart();
  const Result refused =
      tenure(on(server.url(), {"run", "job", "-n", "--ttl", "10s", "--ttl-max", "10s", "--", "true"}));
  EXPECT_EQ(refused.code, 76) << refused.err;
  ASSERT_TRUE(wait_until([&] {
    const auto rows = table(tenure(on(server.url(), {"lock", "ls"}) + options).out);
    return rows.size() == 2 && rows[1][3] == "web-3" && rows[1][4] == std::to_string(token);
  })) << "its holder puts it back";
  EXPECT_TRUE(holder->running());
}

TEST(OnConsul, ATokenIsReadFromTheEnvironmentAndShownNowhere) {
  ConsulServer server(
      {.config = R"({"acl":{"enabled":true,"default_policy":"deny","tokens":{"master":"secret-root"}}})",
       .token = "secret-root"});
  const Words known{"CONSUL_HTTP_TOKEN=secret-root"};
  EXPECT_EQ(tenure(on(server.url(), {"init"}), known).code, 0);
  EXPECT_EQ(tenure(on(server.url(), {"run", "job", "--ttl", "10s", "--", "true"}), known).code, 0);
  const Result refused = tenure(on(server.url(), {"run", "job", "-n", "--ttl", "10s", "--", "true"}),
                                {"CONSUL_HTTP_TOKEN=secret-wrong"});
  EXPECT_EQ(refused.code, 69) << refused.err;
  EXPECT_TRUE(has(refused.err, "ACL")) << refused.err;
  EXPECT_FALSE(has(refused.err, "secret-wrong")) << refused.err;
}

}  // namespace
}  // namespace tenure::test
