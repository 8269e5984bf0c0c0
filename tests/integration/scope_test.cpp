// A lease that goes gives its name back without waiting for the answer: nothing of it is left behind, whatever happens to
// the answer (A3, S8, T12).
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>
#include <vector>

#include "integration/api.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;

std::int64_t keys_of(RedisServer& server) { return server.command({"DBSIZE"}).integer; }

TEST(Scope, TheSameNameCanBeTakenAgainAtOnce) {
  Nodes nodes(1);
  const Client client = open(nodes);
  std::uint64_t last = 0;
  for (int i = 0; i < 300; ++i) {
    const auto lease = client.lock("a").try_acquire();
    ASSERT_TRUE(lease) << lease.error().message;
    EXPECT_GT(lease->token(), last);
    last = lease->token();
  }
}

// Requests that wait differently long go over different connections: this one must not overtake the release.
TEST(Scope, AlsoByOneWhoIsMoreOrLessPatient) {
  Nodes nodes(3);
  const Client client = open(nodes);
  for (int i = 0; i < 50; ++i) {
    for (const auto node_timeout : {100ms, 500ms, 1000ms}) {
      const auto lease = client.lock("a", {.node_timeout = node_timeout}).try_acquire();
      ASSERT_TRUE(lease) << lease.error().message;
    }
  }
}

TEST(Scope, WaitsForNoAnswerAndIsToldWhenItComes) {
  Nodes nodes(1);
  Record<Event> events;
  ClientOptions options = options_for(nodes);
  options.on_event = [&](const Event& event) { events.add(event); };
  const Client client = Client::open(options).value();
  const auto released = [&] {
    const auto all = events.all();
    return std::ranges::count(all, Event::Kind::released, &Event::kind);
  };
  {
    const auto lease = client.lock("a").try_acquire();
    ASSERT_TRUE(lease);
    nodes[0].pause();
  }
  EXPECT_EQ(released(), 0) << "and nobody has waited for it";
  nodes[0].resume();
  EXPECT_TRUE(wait_until([&] { return released() == 1; })) << "though nobody asks for anything else";
  EXPECT_TRUE(nodes.none_has("redlock:a"));
}

TEST(Scope, AReleaseThatIsLostWithItsConnectionIsRepeated) {
  Nodes nodes(1);
  const Client client = open(nodes);
  for (int i = 0; i < 20; ++i) {
    auto lease = client.lock("a").try_acquire();
    ASSERT_TRUE(lease);
    nodes[0].pause();
    {
      const auto goes = std::move(*lease);
    }
    // The release lies in the server's socket: it is heard before the connection is cut, or lost with it.
    nodes[0].resume();
    nodes[0].command({"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"});
    ASSERT_TRUE(wait_until([&] { return nodes.none_has("redlock:a"); }));
  }
}

TEST(Scope, AReleaseThatIsNotAnsweredInTimeIsRepeated) {
  Nodes nodes(1);
  const Client client = open(nodes);
  {
    const auto lease = client.lock("a", {.ttl = 30s, .node_timeout = 300ms}).try_acquire();
    ASSERT_TRUE(lease);
    nodes[0].pause();
  }
  std::this_thread::sleep_for(800ms);
  nodes[0].resume();
  EXPECT_TRUE(wait_until([&] { return nodes.none_has("redlock:a"); }));
}

TEST(Scope, ThousandsGoOutTogether) {
  Nodes nodes(1);
  const Client client = open(nodes);
  constexpr int count = 10'000;
  const auto before = keys_of(nodes[0]);
  std::vector<Lease> leases;
  for (int i = 0; i < count; ++i) {
    auto lease = client.lock("many-" + std::to_string(i)).try_acquire();
    ASSERT_TRUE(lease);
    leases.push_back(std::move(*lease));
  }
  // Nobody answers, and the connection cannot take all of it: each that waited for its own would wait for a second.
  nodes[0].pause();
  leases.clear();
  nodes[0].resume();
  EXPECT_TRUE(wait_until([&] { return keys_of(nodes[0]) <= before; }, 60s));
}

TEST(Scope, AClientThatGoesWaitsUntilItsReleasesAreAnswered) {
  Nodes nodes(3);
  for (const bool closes : {false, true}) {
    auto client = std::make_unique<Client>(open(nodes));
    std::vector<Lease> leases;
    for (int i = 0; i < 50; ++i)
      leases.push_back(client->lock("a" + std::to_string(i)).try_acquire().value());
    leases.clear();
    if (closes) {
      client->close();
    } else {
      client.reset();
    }
    for (int i = 0; i < 50; ++i) EXPECT_TRUE(nodes.none_has("redlock:a" + std::to_string(i)));
  }
}

TEST(Scope, TheLastLeaseMayOutliveItsClient) {
  Nodes nodes(1);
  {
    const auto lease = open(nodes).lock("a").try_acquire();
    ASSERT_TRUE(lease);
  }
  EXPECT_TRUE(nodes.none_has("redlock:a"));
}

TEST(Scope, AnExceptionGivesTheNameBackAsWell) {
  Nodes nodes(1);
  const Client client = open(nodes);
  EXPECT_THROW(
      {
        const auto lease = client.lock("a").try_acquire();
        throw std::runtime_error("oh");
      },
      std::runtime_error);
  EXPECT_TRUE(client.lock("a").try_acquire());
}

TEST(Scope, AChildGivesNothingBack) {
  Nodes nodes(1);
  const Client client = open(nodes);
  auto lease = client.lock("a").try_acquire();
  ASSERT_TRUE(lease);
  const pid_t child = fork();
  if (child == 0) {
    {
      const auto goes = std::move(*lease);
    }
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_TRUE(lease->extend());
  EXPECT_TRUE(lease->held());
}

}  // namespace
}  // namespace tenure::test
