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

class RefusedWatch : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(OddApiServer, RefusedWatch, testing::Values(401, 403, 410, 429));

// As a real API server does, with a line of JSON.
TEST_P(RefusedWatch, IsNoSubscription) {
  WebServer server([&](const WebServer::Request& request, WebServer::Guest& guest) {
    if (request.target.find("watch=true") == std::string::npos)
      return guest.answer(200, list(lease("7", "other")), date);
    return guest.answer(GetParam(), "{\"kind\":\"Status\",\"message\":\"cannot watch\"}\n");
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
  EXPECT_EQ(messages.size(), GetParam() == 410 ? 1U : 0U);
  ASSERT_TRUE(subscription->wake());
  EXPECT_GT(*subscription->wake(), runtime::boot_now() - 1s);
}

// A proxy that allows no long answers, for example.
TEST(OddApiServer, WatchesThatEndAtOnceAreNotBegunAllTheTime) {
  std::atomic<int> watches = 0;
  WebServer server([&](const WebServer::Request& request, WebServer::Guest& guest) {
    if (request.target.find("watch=true") == std::string::npos)
      return guest.answer(200, list(lease("7", "other")), date);
    watches += 1;
    return guest.answer(200, "");
  });
  const auto node = node_at(server);
  Asking one(node);
  core::AcquireRequest request{"a", ours, core::Ttl(5'000)};
  request.ticket = core::Grant{"web-1", 0xa};
  ASSERT_TRUE(std::holds_alternative<core::Held>(one.ask(request)));
  Hearing hearing(node, node->wake_ups("web-1"));
  EXPECT_FALSE(hearing.next(2s));
  EXPECT_GT(watches, 1) << "it is tried again";
  EXPECT_LT(watches, 10);
}

TEST(OddApiServer, WhereNothingCanBeWatchedThoseWhoWaitLookTogether) {
  std::atomic<int> looks = 0;
  std::atomic<int> watches = 0;
  WebServer server([&](const WebServer::Request& request, WebServer::Guest& guest) {
    if (request.target.find("watch=true") != std::string::npos) {
      watches += 1;
      return guest.answer(429, "{}\n", "Retry-After: 4\r\n");
    }
    looks += 1;
    return guest.answer(200, list(lease("7", "other")), date);
  });
  const auto node = node_at(server);
  Asking one(node);
  core::AcquireRequest request{"a", ours, core::Ttl(5'000)};
  request.ticket = core::Grant{"web-1", 0xa};
  ASSERT_TRUE(std::holds_alternative<core::Held>(one.ask(request)));
  Hearing hearing(node, node->wake_ups("web-1"));
  EXPECT_FALSE(hearing.next(100ms));
  EXPECT_EQ(watches, 1);
  int held = 0;
  const core::Time until = runtime::boot_now() + 3s;
  while (runtime::boot_now() < until) {
    for (std::uint64_t i = 0; i < 10; ++i) {
      core::AcquireRequest another{"a", {"web-1", 0x100 + i}, core::Ttl(5'000)};
      another.ticket = core::Grant{"web-1", 0xa0 + i};
      const auto reply = one.ask(another);
      const auto* told = std::get_if<core::Held>(&reply);
      if (told == nullptr) continue;  // the server has asked to be left alone
      held += 1;
      EXPECT_EQ(told->holder.owner, "other");
      EXPECT_GT(told->left, core::Ttl(11'000));
    }
    EXPECT_FALSE(hearing.next(100ms));
  }
  EXPECT_GE(held, 10) << "of what was read a moment ago";
  EXPECT_EQ(watches, 1) << "the server has asked to be left alone";
  EXPECT_LE(looks, 4);
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

TEST(OddApiServer, WhoLeavesIsNotWatchedForAnyMoreAlsoWhereNobodyAnswers) {
  WebServer server([&](const WebServer::Request& request, WebServer::Guest& guest) {
    const bool lists = request.target.find("watch=true") == std::string::npos &&
                       request.target.find("fieldSelector") != std::string::npos;
    if (lists) return guest.answer(200, list(lease("7", "other")), date);
    guest.wait_for_end();
    return false;
  });
  const auto node = node_at(server);
  Asking one(node);
  core::Random random(1);
  const auto subscription = node->wake_ups("web-1");
  subscription->open(runtime::boot_now(), random);
  EXPECT_LT(subscription->awaited().fd, 0);
  core::AcquireRequest request{"a", ours, core::Ttl(5'000)};
  request.ticket = core::Grant{"web-1", 0xa};
  ASSERT_TRUE(std::holds_alternative<core::Held>(one.ask(request)));
  EXPECT_GE(subscription->awaited().fd, 0) << "it watches";
  const auto leave = one.begin(core::ReleaseRequest{"a", ours, request.ticket});
  one.give_up(leave, core::silence);
  EXPECT_EQ(failure_in(one.end(leave)).code, core::FailureCode::timed_out);
  EXPECT_LT(subscription->awaited().fd, 0);
}

TEST(OddApiServer, WhoGivesUpGivingBackWaitsNoLonger) {
  std::atomic<int> watches = 0;
  std::atomic<bool> slow = false;
  WebServer server([&](const WebServer::Request& request, WebServer::Guest& guest) {
    if (request.target.find("watch=true") != std::string::npos) watches += 1;
    if (!slow) return guest.answer(200, list(lease("7", "other")), date);
    guest.wait_for_end();
    return false;
  });
  const auto node = node_at(server);
  for (const bool dropped : {false, true}) {
    Asking one(node);
    core::AcquireRequest request{"a", ours, core::Ttl(5'000)};
    request.ticket = core::Grant{"web-1", 0xa};
    slow = false;
    ASSERT_TRUE(std::holds_alternative<core::Held>(one.ask(request)));
    slow = true;
    core::ReleaseRequest release{"a", ours};
    release.ticket = request.ticket;
    const auto id = one.begin(release);
    if (dropped) {
      one.drop(core::silence);
    } else {
      one.give_up(id, core::silence);
    }
    failure_in(one.end(id));
  }
  Hearing hearing(node, node->wake_ups("web-1"));
  EXPECT_FALSE(hearing.next(200ms));
  EXPECT_EQ(watches, 0) << "nobody waits for anything";
}

TEST(OddApiServer, WhatIsHeldGoesAheadOfAHerdThatWants) {
  WebServer server([&](const WebServer::Request& request, WebServer::Guest& guest) {
    if (request.target.find("leases/held") != std::string::npos) return guest.answer(404, "{}", date);
    guest.wait_for_end();
    return false;
  });
  Asking one(node_at(server));
  for (int i = 0; i < 100; ++i)
    one.begin(core::AcquireRequest{"wanted-" + std::to_string(i), ours, core::Ttl(5'000)});
  const auto renewed = one.ask(core::RenewRequest{core::Ttl(5'000), {{"held", ours, 7}}});
  ASSERT_TRUE(std::holds_alternative<core::KeyAnswers>(renewed));
  const auto released = one.ask(core::ReleaseRequest{"held", ours});
  EXPECT_TRUE(std::holds_alternative<core::KeyAnswers>(released));
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
