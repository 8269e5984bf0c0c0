// Calls over HTTP/2, which the servers that we write for tests do not speak: Kubernetes does.
#include <gtest/gtest.h>

#include <filesystem>
#include <system_error>

#include "http_client/calling.hpp"
#include "support/stores/kubernetes_server.hpp"
#include "support/wait.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;

HttpRequest get(const std::string& target, core::Duration timeout = 10s) {
  return {.method = "GET",
          .target = target,
          .headers = {std::string("Authorization: Bearer ") + KubernetesServer::token},
          .timeout = timeout};
}

std::size_t sockets() {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    if (std::filesystem::read_symlink(entry.path(), gone).string().starts_with("socket:")) ++count;
  }
  return count;
}

TEST(Http2, CallsShareOneConnection) {
  KubernetesServer& server = shared_kubernetes();
  Calling client(server.http());
  ASSERT_TRUE(client.call(get("/version")));
  const auto before = sockets();
  for (int i = 0; i < 50; ++i) client.begin(get("/version"));
  for (int i = 0; i < 50; ++i) {
    const auto news = client.next();
    ASSERT_TRUE(news && news->answer);
    EXPECT_EQ(news->answer->status, 200);
  }
  EXPECT_EQ(sockets(), before);
}

TEST(Http2, AStreamIsToldInPiecesBesideCalls) {
  KubernetesServer& server = shared_kubernetes();
  const std::string space = server.new_namespace();
  Calling client(server.http());
  HttpRequest watch = get("/apis/coordination.k8s.io/v1/namespaces/" + space + "/leases?watch=1", {});
  watch.stream = true;
  const HttpCallId id = client.begin(std::move(watch));
  EXPECT_FALSE(client.next(500ms));
  const auto made = server.request("POST", "/apis/coordination.k8s.io/v1/namespaces/" + space + "/leases",
                                   R"({"metadata":{"name":"a"},"spec":{"holderIdentity":"web-1"}})");
  ASSERT_EQ(made.status, 201) << made.body;
  const auto news = client.next();
  ASSERT_TRUE(news && news->piece && news->answer);
  EXPECT_EQ(news->id, id);
  EXPECT_NE(news->answer->body.find("\"ADDED\""), std::string::npos) << news->answer->body;
  EXPECT_TRUE(news->answer->body.ends_with("\n"));
  EXPECT_TRUE(client.call(get("/version")));
  client.calls().cancel(id);
  EXPECT_TRUE(client.call(get("/version")));
}

// A server that is stopped, or cut off, keeps its connections: none of them may be used again.
TEST(Http2, NoCallIsBegunOnAConnectionOnWhichOneTimedOut) {
  KubernetesServer& server = shared_kubernetes();
  Calling client(server.http());
  ASSERT_TRUE(client.call(get("/version")));
  server.pause();
  const auto silent = client.call(get("/version", 300ms));
  const auto dialled = client.call(get("/version", 300ms));
  server.resume();
  ASSERT_FALSE(silent);
  EXPECT_EQ(silent.error().applied, core::Applied::perhaps);
  ASSERT_FALSE(dialled);
  EXPECT_EQ(dialled.error().applied, core::Applied::no) << "it is dialled anew, and does not shake hands";
  EXPECT_TRUE(client.call(get("/version")));
}

TEST(Http2, AServerThatIsKilledIsToldAtOnceAndCalledAgainWhenItIsBack) {
  KubernetesServer& server = shared_kubernetes();
  Calling client(server.http());
  ASSERT_TRUE(client.call(get("/version")));
  HttpRequest watch = get("/api/v1/namespaces?watch=1&resourceVersion=0", {});
  watch.stream = true;
  const HttpCallId id = client.begin(std::move(watch));
  ASSERT_TRUE(client.next());
  server.kill();
  auto end = client.next();
  while (end && end->piece) end = client.next();
  ASSERT_TRUE(end);
  EXPECT_EQ(end->id, id);
  ASSERT_FALSE(end->answer);
  EXPECT_EQ(end->answer.error().code, core::FailureCode::closed) << end->answer.error().detail;
  EXPECT_EQ(client.call(get("/version")).error().detail, "connection refused");
  server.restart();
  EXPECT_TRUE(client.call(get("/version")));
}

}  // namespace
}  // namespace tenure::test
