// What becomes of leases when a Consul stops, starts again with nothing, or keeps its clients out.
#include <thread>

#include "consul/consul_client.hpp"
#include "runtime/boot_clock.hpp"
#include "support/certificates.hpp"
#include "support/wait.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;

class ConsulOfItsOwn : public testing::Test {
 protected:
  ClientOptions options(const std::string& id, std::chrono::milliseconds cap = 10s) const {
    ClientOptions options = options_of(server.url("own"), id);
    options.ttl_max = cap;
    return options;
  }

  ConsulServer server;
};

TEST_F(ConsulOfItsOwn, ThatIsNewGivesNothingUntilItsQuarantineIsOver) {
  const Client one = Client::open(options("web-1")).value();
  const auto refused = one.lock("job", {.ttl = 10s}).try_acquire();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Refusal::Code::not_open);
  EXPECT_NE(refused.error().message.find("tenure init"), std::string::npos) << refused.error().message;
  const core::Time began = runtime::boot_now();
  auto lease = one.lock("job", {.ttl = 10s}).acquire({.wait_max = 30s});
  ASSERT_TRUE(lease) << lease.error().message;
  EXPECT_GE(runtime::boot_now() - began, 10s);
  EXPECT_LT(runtime::boot_now() - began, 14s);
}

TEST_F(ConsulOfItsOwn, ThatStartsAgainWithNothingLeavesHoldersWhatTheyHave) {
  init_consul(options("init"));
  const Client one = Client::open(options("web-1")).value();
  const Client two = Client::open(options("web-2")).value();
  auto lease = one.lock("job", {.ttl = 10s}).try_acquire().value();
  const auto token = lease.token();
  server.restart();
  const core::Time began = runtime::boot_now();
  const auto refused = two.lock("job", {.ttl = 10s}).try_acquire();
  ASSERT_FALSE(refused) << "it has forgotten the lease, and says that it is free";
  EXPECT_EQ(refused.error().code, Refusal::Code::not_open) << refused.error().message;
  // Past the quarantine.
  while (runtime::boot_now() - began < 13s) {
    ASSERT_TRUE(lease.held()) << to_string(lease.loss().value_or(Loss::closed));
    std::this_thread::sleep_for(20ms);
  }
  EXPECT_EQ(lease.token(), token);
  const auto later = two.lock("job", {.ttl = 10s}).try_acquire();
  ASSERT_FALSE(later);
  EXPECT_EQ(later.error().code, Refusal::Code::held) << later.error().message;
  EXPECT_EQ(later.error().holder.value().token, token);
  const auto free = two.lock("another", {.ttl = 10s}).try_acquire();
  ASSERT_TRUE(free) << free.error().message;
  EXPECT_GT(free->token(), token) << "tokens go on above those of before";
  EXPECT_TRUE(lease.release());
  EXPECT_GT(two.lock("job", {.ttl = 10s}).try_acquire().value().token(), token);
}

// It was told of the holder, and asks nothing while all is lost: nothing tells it that this is another epoch.
TEST_F(ConsulOfItsOwn, ThatStartsAgainWithNothingGivesNothingToWhoWasAdmittedBefore) {
  for (int round = 0; round < 3; ++round) {
    init_consul(options("init"));
    const Client one = Client::open(options("web-1")).value();
    const Client two = Client::open(options("web-2")).value();
    auto lease = one.lock("job", {.ttl = 10s}).try_acquire().value();
    const auto held = two.lock("job", {.ttl = 10s}).try_acquire();
    ASSERT_FALSE(held);
    ASSERT_EQ(held.error().code, Refusal::Code::held) << held.error().message;
    server.restart();
    const Client three = Client::open(options("web-3")).value();
    const auto first = three.lock("other", {.ttl = 10s}).try_acquire();
    ASSERT_FALSE(first);
    for (int tries = 0; tries < 4; ++tries) {
      const auto refused = two.lock("job", {.ttl = 10s}).try_acquire();
      ASSERT_FALSE(refused) << "two have it";
    }
    server.restart();
  }
}

TEST_F(ConsulOfItsOwn, ThatIsStoppedForLongerThanTheLeaseEndsIt) {
  init_consul(options("init"));
  const Client one = Client::open(options("web-1")).value();
  const Client two = Client::open(options("web-2")).value();
  auto lease = one.lock("job", {.ttl = 10s}).try_acquire().value();
  const core::Time stopped = runtime::boot_now();
  server.pause();
  ASSERT_TRUE(wait_until([&] { return lease.lost().stop_requested(); }, 12s));
  EXPECT_LT(runtime::boot_now() - stopped, 10s) << "the work has some time before the deadline";
  EXPECT_EQ(lease.loss(), Loss::not_renewed);
  ASSERT_TRUE(wait_until([&] { return !lease.held(); }, 5s));
  std::this_thread::sleep_for(2s);
  server.resume();
  EXPECT_FALSE(lease.held()) << "answers that come late revive nothing";
  auto next = two.lock("job", {.ttl = 10s}).acquire({.wait_max = 40s});
  ASSERT_TRUE(next) << next.error().message;
  EXPECT_GT(next->token(), lease.token());
}

// As an agent does that leaves: its sessions end at once, in the middle of their time.
TEST_F(ConsulOfItsOwn, WhoseNodeIsDeregisteredLetsNobodyInWhileTheHolderBelieves) {
  init_consul(options("init"));
  const Client one = Client::open(options("web-1")).value();
  const Client two = Client::open(options("web-2")).value();
  auto lease = one.lock("job", {.ttl = 10s}).try_acquire().value();
  const std::string self = server.request("GET", "/v1/agent/self").body;
  const std::string mark = "\"NodeName\": \"";
  ASSERT_NE(self.find(mark), std::string::npos) << self;
  const auto begin = self.find(mark) + mark.size();
  const std::string node = self.substr(begin, self.find('"', begin) - begin);
  ASSERT_EQ(server.request("PUT", "/v1/catalog/deregister", R"({"Node": ")" + node + R"("})").status, 200);
  ASSERT_EQ(
      server.request("PUT", "/v1/catalog/register", R"({"Node": ")" + node + R"(", "Address": "127.0.0.1"})")
          .status,
      200);
  const std::string sessions = server.request("GET", "/v1/session/list").body;
  ASSERT_EQ(sessions.find("\"ID\""), std::string::npos) << "it has ended: " << sessions;
  auto next = two.lock("job", {.ttl = 10s}).acquire({.wait_max = 20s});
  ASSERT_TRUE(next) << next.error().message;
  EXPECT_FALSE(lease.held()) << "two have it";
  EXPECT_GT(next->token(), lease.token());
}

TEST_F(ConsulOfItsOwn, ThatGivesALeaseTooLateGetsItBackThoughItsSessionIsRenewed) {
  init_consul(options("init"));
  const Client one = Client::open(options("web-1")).value();
  const Client two = Client::open(options("web-2")).value();
  auto kept = one.lock("kept", {.ttl = 10s}).try_acquire().value();
  for (int round = 0; round < 3; ++round) {
    server.pause();
    const auto late = one.lock("late", {.ttl = 10s, .node_timeout = 300ms}).acquire({.wait_max = 500ms});
    EXPECT_FALSE(late);
    server.resume();
    auto next = two.lock("late", {.ttl = 10s}).acquire({.wait_max = 9s});
    ASSERT_TRUE(next) << next.error().message;
    EXPECT_TRUE(kept.held());
    EXPECT_TRUE(next->release());
  }
}

TEST_F(ConsulOfItsOwn, RefusesClientsOfOtherTerms) {
  init_consul(options("init", 10s));
  const Client other = Client::open(options("web-1", 20s)).value();
  const auto refused = other.lock("job", {.ttl = 10s}).try_acquire();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Refusal::Code::not_open);
  EXPECT_NE(refused.error().message.find("20s"), std::string::npos) << refused.error().message;
}

TEST_F(ConsulOfItsOwn, ThatIsGoneIsAFailureWithASentence) {
  init_consul(options("init"));
  const Client one = Client::open(options("web-1")).value();
  server.kill();
  const auto refused = one.lock("job", {.ttl = 10s}).try_acquire();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Refusal::Code::no_quorum);
  EXPECT_NE(refused.error().message.find("refused"), std::string::npos) << refused.error().message;
}

// With exactly the rights that the documents name.
TEST(ConsulWithAcls, NeedsSomeRightsAndSaysWhichAreMissing) {
  const std::string master = "11111111-2222-3333-4444-555555555555";
  ConsulServer server(
      {.config = R"({"acl": {"enabled": true, "default_policy": "deny", "tokens": {"master": ")" + master +
                 R"(", "agent": ")" + master + R"("}}})",
       .token = master});
  const auto policy = server.request("PUT", "/v1/acl/policy", R"({"Name": "tenure", "Rules":
      "key_prefix \"own/\" { policy = \"write\" } session_prefix \"\" { policy = \"write\" }"})");
  ASSERT_EQ(policy.status, 200) << policy.body;
  const std::string least = "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee";
  const auto token = server.request("PUT", "/v1/acl/token",
                                    R"({"SecretID": ")" + least + R"(", "Policies": [{"Name": "tenure"}]})");
  ASSERT_EQ(token.status, 200) << token.body;

  const auto opened = [&](const std::string& secret, const std::string& prefix) {
    if (secret.empty()) {
      unsetenv("CONSUL_HTTP_TOKEN");
    } else {
      setenv("CONSUL_HTTP_TOKEN", secret.c_str(), 1);
    }
    return Client::open(options_of(server.url(prefix), "web-1")).value();
  };
  {
    setenv("CONSUL_HTTP_TOKEN", least.c_str(), 1);
    init_consul(options_of(server.url("own"), "init"));
    const Client one = opened(least, "own");
    const Client two = opened(least, "own");
    auto lease = one.lock("job", {.ttl = 10s}).try_acquire();
    ASSERT_TRUE(lease) << lease.error().message;
    std::jthread waiter([&] {
      const auto got = two.lock("job", {.ttl = 10s}).acquire({.wait_max = 10s});
      EXPECT_TRUE(got) << got.error().message;
    });
    std::this_thread::sleep_for(500ms);
    EXPECT_TRUE(lease->extend());
    EXPECT_TRUE(lease->release());
  }
  for (const auto& [secret, prefix] : {std::pair<std::string, std::string>{"", "own"}, {least, "another"}}) {
    const auto refused = opened(secret, prefix).lock("job", {.ttl = 10s}).try_acquire();
    ASSERT_FALSE(refused) << prefix;
    EXPECT_TRUE(refused.error().denied) << refused.error().message;
    EXPECT_NE(refused.error().message.find("key_prefix"), std::string::npos) << refused.error().message;
    EXPECT_EQ(refused.error().message.find(least), std::string::npos);
  }
  const auto wrong = opened("99999999-2222-3333-4444-555555555555", "own").lock("job").try_acquire();
  ASSERT_FALSE(wrong);
  EXPECT_TRUE(wrong.error().denied);
  EXPECT_EQ(wrong.error().message.find("99999999"), std::string::npos) << wrong.error().message;
  unsetenv("CONSUL_HTTP_TOKEN");
}

TEST(ConsulWithTls, ProvesItselfOrIsRefused) {
  Certificates certificates;
  ConsulServer server({.certificates = &certificates});
  ClientOptions options = options_of(server.url("own"), "web-1");
  options.tls.ca_file = certificates.ca_file();
  init_consul(options);
  const Client one = Client::open(options).value();
  auto lease = one.lock("job").try_acquire();
  ASSERT_TRUE(lease) << lease.error().message;
  EXPECT_TRUE(lease->release());

  Certificates strangers;
  options.tls.ca_file = strangers.ca_file();
  const auto refused = Client::open(options).value().lock("job").try_acquire();
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().denied) << refused.error().message;
  options.nodes = {"consul://127.0.0.1"};
  EXPECT_FALSE(Client::open(options)) << "TLS is set up, and not asked for";
}

}  // namespace
}  // namespace tenure::test
