// Locks and elections on a real API server, as a program has them.
#include <gtest/gtest.h>

#include <cstdio>
#include <future>
#include <mutex>

#include "kubernetes/lease_namespace.hpp"
#include "support/wait.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;

TEST(KubernetesLock, IsALeaseThatOthersCanRead) {
  LeaseNamespace space;
  const Client client = space.client("web-1");
  auto lease = client.lock("job", {.ttl = 5s}).acquire();
  ASSERT_TRUE(lease) << lease.error().message;
  const auto shown = space.lease("redlock.job");
  EXPECT_EQ(shown.at("spec").at("holderIdentity"), "web-1");
  EXPECT_EQ(shown.at("spec").at("leaseDurationSeconds"), 5);
  EXPECT_EQ(shown.at("metadata").at("annotations").at("tenure/token").as_string(),
            std::to_string(lease->token()));
  EXPECT_EQ(client.lock("job").holder().value().value().owner, "web-1");
  ASSERT_TRUE(lease->release());
  EXPECT_EQ(space.holder("redlock.job"), "");
  EXPECT_EQ(client.lock("job").holder().value(), std::nullopt);
}

TEST(KubernetesLock, WhoWaitsIsWokenByTheReleaseAndGetsALargerToken) {
  LeaseNamespace space;
  const Client one = space.client("web-1");
  const Client other = space.client("web-2");
  auto held = one.lock("job", {.ttl = 30s}).acquire();
  ASSERT_TRUE(held) << held.error().message;
  EXPECT_EQ(other.lock("job").try_acquire().error().code, Refusal::Code::held);
  auto waiting = std::async(std::launch::async, [&] {
    return other.lock("job", {.ttl = 30s}).acquire({.wait_max = 20s, .retry_delay = 10s});
  });
  // Until it stands there and watches.
  std::this_thread::sleep_for(1s);
  const auto released = std::chrono::steady_clock::now();
  ASSERT_TRUE(held->release());
  const auto taken = waiting.get();
  const auto took = std::chrono::steady_clock::now() - released;
  ASSERT_TRUE(taken) << taken.error().message;
  EXPECT_GT(taken->token(), held->token());
  EXPECT_LT(took, 3s) << "nobody would have looked for ten seconds";
  std::printf("handed over in %.0f ms\n", std::chrono::duration<double, std::milli>(took).count());
}

TEST(KubernetesLock, TwelveThatWaitForDifferentNamesAreAllWoken) {
  LeaseNamespace space;
  const Client one = space.client("web-1");
  const Client other = space.client("web-2");
  std::vector<Lease> held;
  std::vector<std::future<bool>> waiting;
  for (int i = 0; i < 12; ++i) {
    const std::string name = "job-" + std::to_string(i);
    held.push_back(one.lock(name, {.ttl = 30s}).acquire().value());
    waiting.push_back(std::async(std::launch::async, [&other, name] {
      return other.lock(name, {.ttl = 30s}).acquire({.wait_max = 20s, .retry_delay = 10s}).has_value();
    }));
  }
  std::this_thread::sleep_for(1500ms);
  const auto released = std::chrono::steady_clock::now();
  for (Lease& lease : held) ASSERT_TRUE(lease.release());
  for (auto& it : waiting) EXPECT_TRUE(it.get());
  EXPECT_LT(std::chrono::steady_clock::now() - released, 8s);
}

TEST(KubernetesLock, ALeaseDeletedByHandIsLostAndNotMadeAgain) {
  LeaseNamespace space;
  const Client client = space.client("web-1");
  auto lease = client.lock("job", {.ttl = 3s}).acquire();
  ASSERT_TRUE(lease) << lease.error().message;
  ASSERT_EQ(space.remove("redlock.job"), 200);
  ASSERT_TRUE(wait_until([&] { return lease->lost().stop_requested(); }, 3s));
  EXPECT_EQ(lease->loss(), Loss::missing);
  EXPECT_TRUE(space.lease("redlock.job").is_null());
  const auto again = client.lock("job", {.ttl = 3s}).acquire();
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_GT(again->token(), lease->token());
}

TEST(KubernetesLock, TokensOfNamesThatAreDeletedAllTheTimeGrow) {
  LeaseNamespace space;
  const Client client = space.client("web-1");
  std::uint64_t last = 0;
  for (int i = 0; i < 20; ++i) {
    auto lease = client.lock("job", {.ttl = 5s}).acquire();
    ASSERT_TRUE(lease) << lease.error().message;
    EXPECT_GT(lease->token(), last) << i;
    last = lease->token();
    ASSERT_TRUE(lease->release());
    ASSERT_EQ(space.remove("redlock.job"), 200);
  }
}

TEST(KubernetesLock, WhatItCannotHaveIsRefusedWithTheReason) {
  LeaseNamespace space;
  const Client client = space.client("web-1");
  const auto refused = [](const auto& it) { return it ? std::string("granted") : it.error().message; };
  EXPECT_NE(refused(client.lock("job", {.ttl = 500ms}).try_acquire()).find("whole seconds"),
            std::string::npos);
  EXPECT_NE(refused(client.lock(std::string(300, 'a')).try_acquire()).find("too long"), std::string::npos);
  EXPECT_NE(refused(client.election("job", {.lease = 900ms})).find("whole seconds"), std::string::npos);
  ClientOptions several;
  several.nodes = {"kubernetes://a", "kubernetes://b"};
  EXPECT_NE(refused(Client::open(several)).find("only node"), std::string::npos);
  several.nodes = {"kubernetes://a/b"};
  EXPECT_NE(refused(Client::open(several)).find("namespace"), std::string::npos);
  // There is no such namespace: the first write says so.
  several.nodes = {"kubernetes://nowhere"};
  const auto nowhere = Client::open(several).value().lock("job").try_acquire();
  EXPECT_NE(refused(nowhere).find("nowhere"), std::string::npos) << refused(nowhere);
}

TEST(KubernetesElection, IsTheLeaseOfItsNameAndHandsOver) {
  LeaseNamespace space;
  const Client one = space.client("web-1");
  const Client other = space.client("web-2");
  auto first = one.election("leader", {.lease = 5s}).value();
  auto second = other.election("leader", {.lease = 5s}).value();
  ASSERT_TRUE(first.start());
  ASSERT_TRUE(wait_until([&] { return first.is_leader(); }));
  std::promise<std::string> seen;
  second.on_leader_changed([&, told = false](const auto&, const auto& now) mutable {
    if (now && !std::exchange(told, true)) seen.set_value(now->id);
  });
  ASSERT_TRUE(second.start());
  EXPECT_EQ(space.holder("leader"), "web-1");
  EXPECT_EQ(seen.get_future().get(), "web-1");
  std::this_thread::sleep_for(6s);
  EXPECT_TRUE(first.is_leader()) << "it is renewed";
  ASSERT_TRUE(first.stop());
  ASSERT_TRUE(wait_until([&] { return second.is_leader(); }, 4s));
  EXPECT_EQ(space.holder("leader"), "web-2");
  EXPECT_EQ(space.lease("leader").at("spec").at("leaseTransitions"), 1);
}

TEST(KubernetesElection, AnObserverSeesWhoLeadsAndThatNobodyDoes) {
  LeaseNamespace space;
  const Client one = space.client("web-1");
  const Client looker = space.client("web-2");
  std::mutex mutex;
  std::vector<std::string> seen;
  auto observer = looker.election("leader", {.lease = 5s, .observe = true}).value();
  observer.on_leader_changed([&](const auto&, const auto& now) {
    const std::lock_guard lock(mutex);
    seen.push_back(now ? now->id : "-");
  });
  const auto last = [&] {
    const std::lock_guard lock(mutex);
    return seen.empty() ? "" : seen.back();
  };
  ASSERT_TRUE(observer.start());
  EXPECT_TRUE(wait_until([&] { return last() == "-"; }));
  auto election = one.election("leader", {.lease = 5s}).value();
  ASSERT_TRUE(election.start());
  EXPECT_TRUE(wait_until([&] { return last() == "web-1"; }));
  ASSERT_TRUE(election.stop());
  EXPECT_TRUE(wait_until([&] { return last() == "-"; }));
  EXPECT_EQ(space.holder("leader"), "") << "who observes never leads";
}

}  // namespace
}  // namespace tenure::test
