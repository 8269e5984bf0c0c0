// What a client says of itself, of its nodes and of what happens; and what it refuses.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "integration/api.hpp"
#include "support/no_threads.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;
using Code = Refusal::Code;

struct Wrong {
  std::string name;
  ClientOptions options;
  std::string says;

  friend void PrintTo(const Wrong& wrong, std::ostream* out) { *out << wrong.name; }
};

class WrongOptionsTest : public ::testing::TestWithParam<Wrong> {};

INSTANTIATE_TEST_SUITE_P(
    Api, WrongOptionsTest,
    ::testing::Values(Wrong{"NoNode", {.nodes = {}}, "no node"},
                      Wrong{"NoUrl", {.nodes = {"localhost:6379"}}, "no scheme"},
                      Wrong{"TheSameTwice",
                            {.nodes = {"redis://a", "redis://b", "redis://a"}},
                            "redis://a:6379/0 is given twice"},
                      Wrong{"Secret", {.nodes = {"redis://u:hunter2@host:notaport"}}, "port"},
                      Wrong{"CapTooShort", {.ttl_max = 1ms}, "1ms"},
                      Wrong{"CapTooLong", {.ttl_max = std::chrono::hours(25)}, "24h"},
                      Wrong{"EmptyPrefix", {.prefix = ""}, "prefix"},
                      Wrong{"IdWithNewline", {.id = "a\nb"}, "id"}),
    [](const auto& tested) { return tested.param.name; });

TEST_P(WrongOptionsTest, AreRefusedWithTheReason) {
  const auto client = Client::open(GetParam().options);
  ASSERT_FALSE(client);
  EXPECT_EQ(client.error().code, Code::usage);
  EXPECT_NE(client.error().message.find(GetParam().says), std::string::npos) << client.error().message;
  EXPECT_EQ(client.error().message.find("hunter2"), std::string::npos) << client.error().message;
}

TEST(ApiClient, WrongLocksAreRefusedAndTouchNothing) {  // T22
  Nodes nodes(1);
  const Client client = open(nodes);
  const auto before = nodes[0].command({"DBSIZE"}).integer;
  for (const LockOptions& wrong :
       {LockOptions{.ttl = 0ms}, LockOptions{.ttl = -1ms}, LockOptions{.ttl = 1ms}, LockOptions{.ttl = 61s},
        LockOptions{.ttl = 10s, .grace = 10s}, LockOptions{.ttl = 10s, .hold_max = 9s}}) {
    const auto refused = client.lock("a", wrong).try_acquire();
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Code::usage) << refused.error().message;
  }
  for (const char* name : {"", "a\nb"}) {
    EXPECT_EQ(client.lock(name).try_acquire().error().code, Code::usage);
  }
  EXPECT_EQ(nodes[0].command({"DBSIZE"}).integer, before);
}

TEST(ApiClient, ALockMayNotStandOnWhatTenureNeedsItself) {
  Nodes nodes(1);
  ClientOptions options = options_for(nodes);
  options.lock_prefix = "tenure:";
  const Client client = Client::open(options).value();
  EXPECT_EQ(client.lock("fence").try_acquire().error().code, Code::usage);
  EXPECT_TRUE(client.lock("other").try_acquire());
}

TEST(ApiClient, NodesThatFailedAreNamedEach) {  // L2, L8
  Nodes nodes(3);
  const Client client = open(nodes);
  nodes[0].kill();
  EXPECT_TRUE(client.lock("a").try_acquire()) << "one of three may be down";
  nodes[2].kill();
  const auto refused = client.lock("b").try_acquire();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::no_quorum);
  std::vector<std::string> failed;
  for (const auto& node : refused.error().failed) failed.push_back(node.address);
  EXPECT_NE(std::ranges::find(failed, urls_of(nodes)[0]), failed.end());
  EXPECT_NE(std::ranges::find(failed, urls_of(nodes)[2]), failed.end());
}

TEST(ApiClient, AQuarantineSaysHowLongItLasts) {
  RedisServer fresh;
  ClientOptions options;
  options.nodes = {fresh.url()};
  const Client client = Client::open(options).value();
  const auto refused = client.lock("a").try_acquire();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::not_open);
  EXPECT_EQ(refused.error().not_open.value().why, NotOpen::Why::no_record);
  EXPECT_TRUE(refused.error().message.starts_with(
      fresh.url() + " has no record of Tenure: new, or its data was lost. New grants within "))
      << refused.error().message;
  EXPECT_TRUE(refused.error().message.ends_with(
      ", once a client waits for them. If it is new, tenure init opens it at once"))
      << refused.error().message;
  ASSERT_TRUE(refused.error().opens_in);
  EXPECT_GT(*refused.error().opens_in, 55s);
  EXPECT_LE(*refused.error().opens_in, 67s);
}

TEST(ApiClient, AnotherCapIsToldWithoutTheOptionsOfTheProgram) {
  Nodes nodes(1);
  ClientOptions options = options_for(nodes);
  options.ttl_max = nodes.cap() * 2;
  const auto refused = Client::open(options).value().lock("a").try_acquire();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::not_open);
  EXPECT_EQ(refused.error().not_open.value().why, NotOpen::Why::other_ttl_max);
  EXPECT_EQ(refused.error().not_open.value().ttl_max, nodes.cap());
  EXPECT_EQ(
      refused.error().message,
      urls_of(nodes)[0] + ": the cap of this Redis is 1m, ours is 2m; all clients must use the same ttl_max");
}

TEST(ApiClient, AnotherSetIsToldWithoutTheOptionsOfTheProgram) {
  Nodes nodes(3);
  ClientOptions options = options_for(nodes);
  options.node_set = "mine";
  const auto same_count = Client::open(options).value().lock("a").try_acquire();
  ASSERT_FALSE(same_count);
  EXPECT_EQ(same_count.error().not_open.value().why, NotOpen::Why::other_set);
  EXPECT_TRUE(
      same_count.error().message.ends_with(" than you name (3-mine): name the same nodes as the others do, "
                                           "by the same addresses, or have everybody "
                                           "use the same node_set"))
      << same_count.error().message;
  options = options_for(nodes);
  options.nodes.resize(1);
  const auto fewer = Client::open(options).value().lock("a").try_acquire();
  ASSERT_FALSE(fewer);
  EXPECT_EQ(fewer.error().not_open.value().why, NotOpen::Why::other_count);
  EXPECT_TRUE(fewer.error().message.ends_with(", and you name 1 node: name the nodes of that set"))
      << fewer.error().message;
  Nodes single(1);
  options = options_for(single);
  options.node_set = "mine";
  const auto renamed = Client::open(options).value().lock("a").try_acquire();
  ASSERT_FALSE(renamed);
  EXPECT_EQ(renamed.error().not_open.value().why, NotOpen::Why::other_name);
  EXPECT_TRUE(renamed.error().message.ends_with(
      ", and you say 1-mine: use the same node_set as the others do, or none"))
      << renamed.error().message;
}

TEST(ApiClient, HealthAsksEveryNode) {  // L3
  Nodes nodes(3);
  const Client client = open(nodes);
  Health health = client.health();
  EXPECT_EQ(health.up, 3U);
  EXPECT_TRUE(health.quorum);
  for (const auto& node : health.nodes) EXPECT_GT(node.round_trip.value(), 0us);
  nodes[1].kill();
  health = client.health();
  EXPECT_EQ(health.up, 2U);
  EXPECT_TRUE(health.quorum);
  EXPECT_FALSE(health.nodes[1].round_trip);
  EXPECT_FALSE(health.nodes[1].detail.empty());
  nodes[2].pause();
  health = client.health(1s);
  nodes[2].resume();
  EXPECT_EQ(health.up, 1U);
  EXPECT_FALSE(health.quorum);
}

TEST(ApiClient, EventsAreToldInOrderByTheNameOfTheLock) {
  Nodes nodes(1);
  Record<Event> told;
  ClientOptions options = options_for(nodes);
  options.on_event = [&](const Event& event) { told.add(event); };
  std::uint64_t token = 0;
  {
    const Client client = Client::open(options).value();
    auto lease = client.lock("a", short_lease()).try_acquire();
    ASSERT_TRUE(lease);
    token = lease->token();
    ASSERT_TRUE(wait_until([&] { return told.all().size() >= 2; }));
    nodes[0].command({"DEL", "redlock:a"});
    ASSERT_TRUE(wait_until([&] { return lease->lost().stop_requested(); }));
    auto other = client.lock("b").try_acquire();
    other->release();
  }
  std::vector<Event> events = told.all();
  std::erase_if(events, [](const Event& event) { return event.kind == Event::Kind::uncertain; });
  ASSERT_GE(events.size(), 5U);
  EXPECT_EQ(events[0].kind, Event::Kind::acquired);
  EXPECT_EQ(events[0].name, "a");
  EXPECT_EQ(events[0].token, token);
  EXPECT_EQ(events[1].kind, Event::Kind::renewed);
  const auto lost = std::ranges::find(events, Event::Kind::lost, &Event::kind);
  ASSERT_NE(lost, events.end());
  EXPECT_EQ(lost->name, "a");
  EXPECT_EQ(lost->token, token);
  EXPECT_NE(lost->detail.find("gone from the store"), std::string::npos) << lost->detail;
  EXPECT_EQ(events.back().kind, Event::Kind::released);
  EXPECT_TRUE(std::ranges::any_of(
      events, [](const Event& event) { return event.kind == Event::Kind::released && event.name == "b"; }));
}

TEST(ApiClient, CloseGivesEverythingBackAndTellsWhoHolds) {  // L3, L12
  Nodes nodes(3);
  Client client = open(nodes);
  auto lease = client.lock("a").try_acquire();
  auto second = client.lock("b").try_acquire();
  ASSERT_TRUE(lease && second);
  client.close();
  EXPECT_FALSE(lease->held());
  EXPECT_TRUE(wait_until([&] { return lease->lost().stop_requested(); }));
  EXPECT_EQ(lease->loss(), Loss::closed);
  EXPECT_TRUE(wait_until([&] { return nodes.none_has("redlock:a") && nodes.none_has("redlock:b"); }));
  EXPECT_EQ(client.lock("c").try_acquire().error().code, Code::closed);
  EXPECT_EQ(lease->extend().error().code, Code::lost);
  EXPECT_TRUE(lease->release());
  client.close();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    EXPECT_TRUE(wait_until([&] {
      const std::string list = nodes[i].command({"CLIENT", "LIST"}).text;
      return std::ranges::count(list, '\n') == 1;
    })) << "only the test itself is connected";
  }
}

TEST(ApiClient, CloseDoesNotRewriteWhyALeaseWasLost) {
  Nodes nodes(1);
  Client client = open(nodes);
  auto lease = client.lock("a").try_acquire();
  nodes[0].command({"SET", "redlock:a", "somebody"});
  ASSERT_FALSE(lease->extend());
  ASSERT_EQ(lease->loss(), Loss::taken);
  client.close();
  EXPECT_EQ(lease->loss(), Loss::taken);
}

TEST(ApiClient, AForkedChildMayLetItsCopiesGo) {
  Nodes nodes(1);
  std::optional<Client> client = open(nodes);
  auto lease = std::optional(client->lock("a").try_acquire().value());
  auto fleet = client->fleet("poll").value();
  fleet->share({"s"});
  ASSERT_TRUE(fleet->start());
  ASSERT_TRUE(wait_until([&] { return fleet->is_owned("s"); }));
  // One that has stopped still has a thread.
  auto stopped = open(nodes).fleet("others").value();
  ASSERT_TRUE(stopped->start());
  ASSERT_TRUE(stopped->stop());
  // A thread inside the client at the moment of the fork: its mutex and its conditions are in use.
  std::jthread busy([copy = *client](const std::stop_token& stop) {
    while (!stop.stop_requested()) (void)copy.lock("b").try_acquire();
  });
  for (int i = 0; i < 20; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      lease.reset();
      fleet.reset();
      stopped.reset();
      client.reset();
      _exit(0);
    }
    int status = -1;
    ASSERT_TRUE(wait_until([&] { return waitpid(child, &status, WNOHANG) == child; }));
    EXPECT_EQ(status, 0);
  }
  EXPECT_TRUE(lease->held()) << "it is the parent's";
  EXPECT_TRUE(fleet->is_owned("s"));
}

// Not with the sanitizer of undefined behaviour, whose own checks need descriptors and cry wolf without.
#ifndef __SANITIZE_ADDRESS__
TEST(ApiClient, WithoutDescriptorsItIsRefusedAndNotAborted) {
  Nodes nodes(1);
  const ClientOptions options = options_for(nodes);
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  const rlimit none{3, before.rlim_max};
  setrlimit(RLIMIT_NOFILE, &none);
  const auto client = Client::open(options);
  setrlimit(RLIMIT_NOFILE, &before);
  ASSERT_FALSE(client);
  EXPECT_EQ(client.error().code, Code::system);
  EXPECT_TRUE(Client::open(options));
}
#endif

TEST(ApiClient, WithoutThreadsAllNodesAreDownAndNothingIsThrown) {
  Nodes nodes(2);
  const Client client = open(nodes);
  Health health;
  {
    const NoThreads none;
    EXPECT_NO_THROW(health = client.health());
  }
  EXPECT_EQ(health.up, 0U);
  EXPECT_FALSE(health.quorum);
  ASSERT_EQ(health.nodes.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(health.nodes[i].address, urls_of(nodes)[i]);
    EXPECT_FALSE(health.nodes[i].round_trip);
    EXPECT_TRUE(health.nodes[i].detail.starts_with("this machine refuses: ")) << health.nodes[i].detail;
  }
  EXPECT_TRUE(client.health().quorum);
}

TEST(ApiClient, DurationsThatNobodyCanWaitAreForEver) {  // T22
  Nodes nodes(1);
  const Client client = open(nodes);
  constexpr auto for_ever = std::chrono::milliseconds::max();
  auto lease =
      client.lock("a", {.hold_max = for_ever}).acquire({.wait_max = for_ever, .retry_delay = for_ever});
  ASSERT_TRUE(lease) << lease.error().message;
  EXPECT_TRUE(lease->held());
  EXPECT_EQ(client.lock("b", {.ttl = for_ever}).try_acquire().error().code, Code::usage);
  EXPECT_EQ(client.lock("b", {.grace = for_ever}).try_acquire().error().code, Code::usage);
  EXPECT_TRUE(client.health(for_ever).quorum);
}

TEST(ApiClient, CloseWhileManyAcquireAndReleaseLeavesNothing) {
  Nodes nodes(1);
  for (int round = 0; round < 5; ++round) {
    Client client = open(nodes);
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&client, i] {
        while (true) {
          auto lease = client.lock("l" + std::to_string(i / 2)).acquire();
          if (!lease) {
            EXPECT_EQ(lease.error().code, Code::closed);
            return;
          }
          if (i % 2 == 0) (void)lease->extend();
        }
      });
    }
    std::this_thread::sleep_for(20ms);
    client.close();
    threads.clear();
    EXPECT_TRUE(wait_until([&] { return nodes[0].command({"KEYS", "redlock:*"}).items.empty(); }));
    EXPECT_TRUE(wait_until([&] { return nodes[0].command({"KEYS", "tenure:queue*"}).items.empty(); }));
  }
}

TEST(ApiClient, IdsAreUnlikeEachOtherUnlessChosen) {
  Nodes nodes(1);
  EXPECT_NE(open(nodes).id(), open(nodes).id());
  EXPECT_EQ(open(nodes, "web-3").id(), "web-3");
}

}  // namespace
}  // namespace tenure::test
