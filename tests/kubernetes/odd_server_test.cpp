// An API server that has too much to do, forgets what watches begin with, or says nonsense: played by a server of the test's own.
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <functional>
#include <mutex>

#include "kubernetes/net/kubernetes_node.hpp"
#include "kubernetes/net/place.hpp"
#include "runtime/boot_clock.hpp"
#include "support/asking.hpp"
#include "support/directory.hpp"
#include "support/web_server.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;

constexpr auto date = "Date: Thu, 19 Nov 2026 23:20:48 GMT\r\n";
const core::Grant ours{"web-1", 0x1111};

std::string lease(const std::string& version, const std::string& holder) {
  return R"({"metadata":{"name":"a","uid":"u","resourceVersion":")" + version +
         R"("},"spec":{"holderIdentity":")" + holder +
         R"(","leaseDurationSeconds":15,"renewTime":"2026-11-19T23:20:48.000000Z"}})";
}
std::string list(const std::string& item) {
  return R"({"metadata":{"resourceVersion":"100"},"items":[)" + item + "]}";
}

std::shared_ptr<runtime::Node> node_at(const WebServer& server) {
  kubernetes::Place place;
  place.server.base = server.base();
  place.name_space = "test";
  place.name = "kubernetes://test";
  return kubernetes::make_node(place, {core::Ttl(60'000), "1"});
}

core::Failure failure_in(const core::Reply& reply) {
  const auto* failure = std::get_if<core::Failure>(&reply);
  EXPECT_NE(failure, nullptr) << "answer number " << reply.index();
  return failure != nullptr ? *failure : core::Failure{};
}

TEST(OddApiServer, OneThatAsksToBeLeftAloneIsLeftAlone) {
  std::atomic<int> asked = 0;
  WebServer server([&](const WebServer::Request&, WebServer::Guest& guest) {
    asked += 1;
    return guest.answer(429, R"({"message":"too many requests"})", "Retry-After: 1\r\n");
  });
  Asking one(node_at(server));
  const auto first = failure_in(one.ask(core::AcquireRequest{"a", ours, core::Ttl(5'000)}));
  EXPECT_EQ(first.code, core::FailureCode::busy);
  EXPECT_EQ(first.applied, core::Applied::no);
  EXPECT_EQ(failure_in(one.ask(core::AcquireRequest{"b", ours, core::Ttl(5'000)})).code,
            core::FailureCode::busy);
  EXPECT_EQ(asked, 1);
  // What holds a lease asks all the same.
  failure_in(one.ask(core::RenewRequest{core::Ttl(5'000), {{"a", ours, 7}}}));
  EXPECT_EQ(asked, 2);
  std::this_thread::sleep_for(1100ms);
  failure_in(one.ask(core::AcquireRequest{"a", ours, core::Ttl(5'000)}));
  EXPECT_EQ(asked, 3);
}

TEST(OddApiServer, AWatchThatCannotGoOnWakesWhoWaitsAndBeginsAnew) {
  std::atomic<int> watches = 0;
  std::mutex mutex;
  std::vector<std::string> versions;
  WebServer server([&](const WebServer::Request& request, WebServer::Guest& guest) {
    if (request.target.find("watch=true") == std::string::npos)
      return guest.answer(200, list(lease("7", "other")), date);
    {
      const std::lock_guard lock(mutex);
      versions.push_back(request.target);
    }
    if (++watches == 1) {
      guest.begin_pieces();
      guest.piece(R"({"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired"}})"
                  "\n");
      return guest.end_pieces();
    }
    guest.begin_pieces();
    guest.piece(R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"110"}}})"
                "\n");
    guest.piece(R"({"type":"MODIFIED","object":)" + lease("120", "") + "}\n");
    guest.wait_for_end();
    return false;
  });
  const auto node = node_at(server);
  Asking one(node);
  Hearing hearing(node, node->wake_ups("web-1"));
  core::AcquireRequest request{"a", ours, core::Ttl(5'000)};
  request.ticket = core::Grant{"web-1", 0xa};
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(std::holds_alternative<core::Held>(one.ask(request)));
    const auto message = hearing.next();
    ASSERT_TRUE(message && std::holds_alternative<runtime::WakeUp>(*message)) << i;
    EXPECT_EQ(std::get<runtime::WakeUp>(*message).ticket, *request.ticket);
  }
  EXPECT_EQ(watches, 2);
  const std::lock_guard lock(mutex);
  for (const auto& it : versions) {
    EXPECT_NE(it.find("resourceVersion=100"), std::string::npos) << it;
    EXPECT_NE(it.find("metadata.name%3Da"), std::string::npos) << it;
  }
}

TEST(OddApiServer, AWatchThatIsRefusedIsNoSubscription) {
  WebServer server([&](const WebServer::Request& request, WebServer::Guest& guest) {
    if (request.target.find("watch=true") == std::string::npos)
      return guest.answer(200, list(lease("7", "other")), date);
    return guest.answer(403, R"({"message":"cannot watch"})");
  });
  const auto node = node_at(server);
  Asking one(node);
  core::Random random(1);
  const auto subscription = node->wake_ups("web-1");
  subscription->open(runtime::boot_now(), random);
  EXPECT_TRUE(subscription->listening()) << "nobody waits for anything";
  core::AcquireRequest request{"a", ours, core::Ttl(5'000)};
  request.ticket = core::Grant{"web-1", 0xa};
  ASSERT_TRUE(std::holds_alternative<core::Held>(one.ask(request)));
  std::vector<runtime::Message> messages;
  const core::Time until = runtime::boot_now() + 5s;
  while (subscription->listening() && runtime::boot_now() < until) {
    subscription->on_ready(runtime::boot_now(), random, messages);
    std::this_thread::sleep_for(5ms);
  }
  EXPECT_FALSE(subscription->listening()) << "who waits has to look by itself";
  EXPECT_TRUE(messages.empty());
  ASSERT_TRUE(subscription->wake());
  EXPECT_GT(*subscription->wake(), runtime::boot_now() - 1s);
}

TEST(OddApiServer, NonsenseIsAFailureAndGrantsNothing) {
  std::string body;
  std::string headers = date;
  WebServer server(
      [&](const WebServer::Request&, WebServer::Guest& guest) { return guest.answer(200, body, headers); });
  Asking one(node_at(server));
  for (const std::string& nonsense : {std::string(), std::string("<html>"), std::string("{}"),
                                      std::string("[]"), std::string(R"({"metadata":{}})"), list("7"),
                                      list(R"({"metadata":{"name":"a"}})"), std::string(100, '[')}) {
    body = nonsense;
    EXPECT_EQ(failure_in(one.ask(core::AcquireRequest{"a", ours, core::Ttl(5'000)})).code,
              core::FailureCode::protocol)
        << nonsense;
  }
  // Without its time there is no token.
  body = list("");
  headers = "Date: yesterday\r\n";
  EXPECT_EQ(failure_in(one.ask(core::AcquireRequest{"a", ours, core::Ttl(5'000)})).code,
            core::FailureCode::protocol);
}

TEST(OddApiServer, WhatIsGivenUpDoesNotTakeOthersWithIt) {
  WebServer server([&](const WebServer::Request& request, WebServer::Guest& guest) {
    if (request.target.find("slow") == std::string::npos) return guest.answer(404, "{}", date);
    guest.wait_for_end();
    return false;
  });
  Asking one(node_at(server));
  const auto slow = one.begin(core::LookRequest{{"slow"}});
  EXPECT_TRUE(std::holds_alternative<core::KeyStates>(one.ask(core::LookRequest{{"quick"}})));
  const auto beside = one.begin(core::LookRequest{{"quick"}});
  one.give_up(slow, core::silence);
  EXPECT_EQ(failure_in(one.end(slow)).code, core::FailureCode::timed_out);
  EXPECT_TRUE(std::holds_alternative<core::KeyStates>(one.end(beside)));
}

TEST(KubernetesPlace, IsThatOfThePodOrOfTheFile) {
  const Directory directory("account");
  const std::string account = directory.path();
  std::ofstream(account + "/token") << "secret\n";
  std::ofstream(account + "/namespace") << "team-a\n";
  kubernetes::Surroundings around;
  around.service_host = "10.0.0.1";
  around.service_port = "6443";
  around.service_account = account;
  const auto pod = kubernetes::find_place("kubernetes://", around).value();
  EXPECT_EQ(pod.server.base, "https://10.0.0.1:6443");
  EXPECT_EQ(pod.server.ca_file, account + "/ca.crt");
  EXPECT_EQ(pod.name_space, "team-a");
  EXPECT_EQ(pod.token_file, account + "/token");
  EXPECT_EQ(kubernetes::find_place("kubernetes://team-b", around).value().name_space, "team-b");
  around.service_host = "fd00::1";
  EXPECT_EQ(kubernetes::find_place("kubernetes://", around).value().server.base, "https://[fd00::1]:6443");
  around.service_account = "/nowhere";
  EXPECT_NE(kubernetes::find_place("kubernetes://", around).error().find("service account"),
            std::string::npos);
  around.service_host.reset();
  around.home = account;
  EXPECT_NE(kubernetes::find_place("kubernetes://", around).error().find("KUBECONFIG"), std::string::npos);
}

}  // namespace
}  // namespace tenure::test
