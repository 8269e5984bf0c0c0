// The servers that tests of stores stand on.
#include <gtest/gtest.h>

#include "support/stores/consul_server.hpp"
#include "support/stores/kubernetes_server.hpp"

namespace tenure::test {
namespace {

TEST(ConsulServer, KeepsKeysUntilItIsStartedAnew) {
  ConsulServer server;
  EXPECT_EQ(server.request("PUT", "/v1/kv/a", "b").body, "true\n");
  EXPECT_EQ(server.request("GET", "/v1/kv/a?raw").body, "b");
  const auto session = server.request("PUT", "/v1/session/create", R"({"TTL":"10s"})");
  EXPECT_EQ(session.status, 200) << session.body;
  const auto port = server.port();
  server.restart();
  EXPECT_EQ(server.port(), port);
  EXPECT_EQ(server.request("GET", "/v1/kv/a?raw").status, 404);
}

TEST(ConsulServer, SpeaksTlsAndAsksForRights) {
  Certificates certificates;
  ConsulServer server(
      {.certificates = &certificates,
       .config = R"({"acl":{"enabled":true,"default_policy":"deny","tokens":{"master":"secret-root"}}})",
       .token = "secret-root"});
  EXPECT_TRUE(server.url("p").starts_with("consuls://127.0.0.1:"));
  EXPECT_EQ(server.request("PUT", "/v1/kv/a", "b").body, "true\n");
  EXPECT_EQ(ask_server(server.http(), {.method = "PUT", .target = "/v1/kv/a"}).status, 403);
}

TEST(KubernetesServer, KeepsObjectsWhenItIsStartedAnew) {
  KubernetesServer& server = shared_kubernetes();
  const std::string space = server.new_namespace();
  const auto made = server.request("POST", "/apis/coordination.k8s.io/v1/namespaces/" + space + "/leases",
                                   R"({"metadata":{"name":"a"}})");
  EXPECT_EQ(made.status, 201) << made.body;
  server.restart();
  EXPECT_EQ(server.request("GET", server.lease_target(space, "a")).status, 200);
  EXPECT_EQ(server.request("DELETE", server.lease_target(space, "a")).status, 200);
  EXPECT_EQ(server.request("GET", server.lease_target(space, "a")).status, 404);
  http_client::HttpRequest poor{.method = "GET", .target = server.lease_target(space, "a")};
  poor.headers = {std::string("Authorization: Bearer ") + KubernetesServer::token_of_nobody};
  EXPECT_EQ(ask_server(server.http(), poor).status, 403);
}

}  // namespace
}  // namespace tenure::test
