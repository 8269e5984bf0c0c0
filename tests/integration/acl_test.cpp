// A user with no more rights than the README asks for can do all that Tenure does, and needs every one of them.
// L11, T31
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <stdexcept>

#include "core/election/election_plan.hpp"
#include "redis/net/caller.hpp"
#include "runtime/engine/election.hpp"
#include "support/certificates.hpp"
#include "support/lease_client.hpp"
#include "support/paths.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;

// What stands behind "ACL SETUSER tenure on >PASSWORD" in the README, over several lines.
std::vector<std::string> rights_of_readme() {
  std::ifstream readme(std::string(paths::source_dir) + "/README.md");
  std::string all((std::istreambuf_iterator<char>(readme)), {});
  const std::string before = "ACL SETUSER tenure on >PASSWORD ";
  const auto from = all.find(before);
  if (from == std::string::npos) throw std::runtime_error("the README does not say what a user needs");
  std::istringstream words(all.substr(from + before.size(), all.find("```", from) - from - before.size()));
  std::vector<std::string> rights;
  for (std::string word; words >> word;) {
    if (word != "\\") rights.push_back(word);
  }
  return rights;
}

class AclTest : public ::testing::Test {
 protected:
  static constexpr core::Ttl cap = 1s;

  AclTest() {
    std::vector<std::string> command{"ACL", "SETUSER", "tenure", "on", ">s3cret"};
    for (const auto& right : rights_of_readme()) command.push_back(right);
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const auto answer = nodes_[i].command(command);
      if (answer.text != "OK") throw std::runtime_error(answer.text);
      nodes_[i].command({"ACL", "LOG", "RESET"});
      nodes_[i].command({"CONFIG", "RESETSTAT"});
    }
  }

  runtime::TlsOptions trusting() const { return {.ca_file = certificates_.ca_file()}; }
  std::vector<redis::Address> addresses() const {
    auto addresses = nodes_.addresses("tenure:s3cret");
    for (auto& address : addresses) address.database = 3;
    return addresses;
  }
  runtime::Client client() const { return client_of(addresses(), cap, {.tls = trusting()}); }
  // What Redis has refused the user; empty when nothing.
  std::string refused(std::size_t node) {
    std::string text;
    for (const auto& entry : nodes_[node].command({"ACL", "LOG"}).items) {
      for (const auto& item : entry.items) text += item.text + " ";
    }
    return text;
  }

  // Everything at least once: init, quarantine and its end, a wait, a call, renewals, a node that has lost its
  // data, a release, an election with somebody who only observes.
  void live() {
    const auto tls = runtime::Tls::load(trusting()).value();
    redis::Keyspace keyspace;
    keyspace.cap = cap;
    keyspace.set = redis::node_set(addresses());
    for (const auto& address : addresses()) {
      auto redis = redis::Caller::connect(address, 5s, tls);
      ASSERT_TRUE(redis) << redis.error().detail;
      ASSERT_TRUE(redis->call({"INFO", "server"}));
      ASSERT_TRUE(redis->call({"GET", keyspace.record()}));
      const auto made = redis->call(redis::init_call({"0123456789abcdef", 1}, keyspace));
      ASSERT_TRUE(made) << made.error().detail;
    }
    auto first = client();
    auto second = client();
    auto lease = first.acquire("redlock:a", wish(1s));
    ASSERT_TRUE(lease) << lease.error().failures.at(0).failure.detail;
    Wanting waiter(second, "redlock:a", wish(1s, for_ever));
    ASSERT_TRUE(wait_until([&] { return waiter.waits(); }));
    std::this_thread::sleep_for(200ms);  // it has its place in the queue by now
    EXPECT_TRUE(is_renewed(*lease));
    EXPECT_EQ(lease->release().outcome, core::ReleaseOutcome::released);
    auto next = waiter.get();
    ASSERT_TRUE(next);
    // One node forgets everything: quarantine there, and the lease is put back.
    nodes_[2].command({"FLUSHALL"});
    EXPECT_TRUE(is_renewed(*next));
    EXPECT_TRUE(is_renewed(*next));
    EXPECT_TRUE(is_renewed(*next));
    // Who waits once more asks whether it is still heard.
    Wanting last(second, "redlock:a", wish(1s, for_ever));
    ASSERT_TRUE(wait_until([&] { return last.waits(); }));
    EXPECT_EQ(next->release().outcome, core::ReleaseOutcome::released);
    EXPECT_TRUE(last.get());
    elect(first, second);
  }
  // An election's name is its key.
  static void elect(const runtime::Client& leads, const runtime::Client& sees) {
    auto plan = core::plan_election("redlock:leader", {.lease = cap}).value();
    const auto leader = leads.election(plan);
    plan.candidate = false;
    const auto observer = sees.election(plan);
    leader->start();
    observer->start();
    EXPECT_TRUE(wait_until([&] { return leader->leads() && observer->leader(); }, 20s));
    leader->stop();
    EXPECT_TRUE(wait_until([&] { return !observer->leader(); }, 20s));
    observer->stop();
  }

  Certificates certificates_;
  Nodes nodes_{3, cap, {.tls = certificates_.server()}};
};

TEST_F(AclTest, TheRightsOfTheReadmeAreEnoughForEverything) {
  live();
  for (std::size_t i = 0; i < nodes_.size(); ++i) EXPECT_EQ(refused(i), "");
}

TEST_F(AclTest, EachCommandOfTheReadmeIsNeeded) {
  live();
  for (const auto& right : rights_of_readme()) {
    if (!right.starts_with("+")) continue;
    std::int64_t calls = 0;
    for (std::size_t i = 0; i < nodes_.size(); ++i) calls += calls_of(nodes_[i], right.substr(1));
    EXPECT_GT(calls, 0) << right;
  }
}

TEST_F(AclTest, OtherKeysAndChannelsStayOutOfReach) {
  const auto tls = runtime::Tls::load(trusting()).value();
  auto redis = redis::Caller::connect(addresses()[0], 5s, tls);
  ASSERT_TRUE(redis) << redis.error().detail;
  for (const redis::Command& command :
       {redis::Command{"GET", "other"}, redis::Command{"SET", "other", "1"},
        redis::Command{"PUBLISH", "other", "x"}, redis::Command{"FLUSHALL"}, redis::Command{"KEYS", "*"},
        redis::Command{"CONFIG", "GET", "*"}, redis::Command{"ACL", "LIST"}}) {
    const auto answer = redis->call(command);
    ASSERT_FALSE(answer) << command[0];
    EXPECT_EQ(answer.error().code, core::FailureCode::no_permission) << answer.error().detail;
  }
}

}  // namespace
}  // namespace tenure::test
