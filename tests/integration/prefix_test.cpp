// ClientOptions::prefix covers every key: clients with different prefixes share no lock, no election and no fleet. Nor do
// fleets of different names.
#include <atomic>

#include "integration/api.hpp"
#include "poll/session_json.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;

class ApiPrefix : public testing::Test {
 protected:
  ClientOptions options(const std::string& prefix) {
    ClientOptions options = options_for(nodes, "web-" + prefix);
    options.prefix = prefix;
    nodes[0].command({"SET", prefix + "record", nodes[0].command({"GET", "tenure:record"}).text});
    nodes[0].command({"SET", prefix + "fence", nodes[0].command({"GET", "tenure:fence"}).text});
    return options;
  }
  Client open_under(const std::string& prefix) { return Client::open(options(prefix)).value(); }
  bool there(const std::string& key) { return nodes[0].command({"EXISTS", key}).integer == 1; }

  Nodes nodes{1};
};

TEST_F(ApiPrefix, ClientsWithDifferentPrefixesHoldALockOfTheSameName) {
  const Client one = open_under("a:");
  const Client other = open_under("b:");
  const auto first = one.lock("job").try_acquire();
  ASSERT_TRUE(first) << first.error().message;
  const auto second = other.lock("job").try_acquire();
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_TRUE(there("a:redlock:job") && there("b:redlock:job"));
  EXPECT_FALSE(there("redlock:job"));
  const auto third = one.lock("job").try_acquire();
  ASSERT_FALSE(third);
  EXPECT_TRUE(third.error().message.starts_with("job is held by web-a:")) << third.error().message;
}

TEST_F(ApiPrefix, EventsNameLocksAndElectionsWithoutIt) {
  Record<std::string> names;
  ClientOptions chosen = options("a:");
  chosen.on_event = [&](const Event& event) { names.add(event.name); };
  Client client = Client::open(chosen).value();
  {
    const auto lease = client.lock("job").try_acquire();
  }
  auto election = client.election("app:leader");
  ASSERT_TRUE(election) << election.error().message;
  ASSERT_TRUE(election->start());
  const auto heard = [&](const std::string& name) {
    return wait_until([&] {
      const auto all = names.all();
      return std::ranges::find(all, name) != all.end();
    });
  };
  EXPECT_TRUE(heard("job"));
  EXPECT_TRUE(heard("app:leader"));
  EXPECT_TRUE(there("a:app:leader"));
  for (const auto& name : names.all()) EXPECT_FALSE(name.starts_with("a:")) << name;
}

TEST_F(ApiPrefix, AFleetReadsPollsAndStoresUnderIt) {
  for (const std::string prefix : {"a:", "b:"}) {
    nodes[0].command({"SET", prefix + "session:s1", poll::write_session({.id = "s1", .address = prefix})});
  }
  const Client client = open_under("a:");
  auto fleet = client.fleet("poll", {.ttl = 3s}).value();
  auto source = stored_sessions(*fleet, {.url = nodes[0].url(), .http = false}).value();
  std::atomic<int> wrong = 0;
  CallbackPoll work{.call = [&](const Session& session, const SessionLease& lease, const std::stop_token&) {
    wrong += session.address == "a:" && lease.key == "a:poll:lease:s1" ? 0 : 1;
    return PollOutcome{.ok = true};
  }};
  Poller poller(*fleet, std::move(source), work, {.data = nodes[0].url()});
  ASSERT_TRUE(poller.start());
  EXPECT_TRUE(wait_until([&] { return there("a:state:s1"); }, 20s));
  poller.stop();
  EXPECT_EQ(wrong, 0);
  EXPECT_FALSE(there("state:s1"));
  EXPECT_FALSE(there("b:state:s1"));
}

TEST_F(ApiPrefix, ANamedFleetHasSessionsAndResultsOfItsOwnAndItsNameIsSaidOnce) {
  for (const std::string begin : {"", "billing:"}) {
    nodes[0].command(
        {"SET", begin + "session:s1", poll::write_session({.id = "s1", .address = "x" + begin})});
  }
  const Client client = open(nodes, "web-1");
  auto fleet = client.fleet("billing", {.ttl = 3s}).value();
  auto source = stored_sessions(*fleet, {.url = nodes[0].url(), .http = false}).value();
  std::atomic<int> wrong = 0;
  CallbackPoll work{.call = [&](const Session& session, const SessionLease& lease, const std::stop_token&) {
    wrong += session.address == "xbilling:" && lease.key == "billing:lease:s1" ? 0 : 1;
    return PollOutcome{.ok = true};
  }};
  Poller poller(*fleet, std::move(source), work, {.data = nodes[0].url()});
  ASSERT_TRUE(poller.start());
  EXPECT_TRUE(wait_until([&] { return there("billing:state:s1"); }, 20s));
  poller.stop();
  EXPECT_EQ(wrong, 0);
  EXPECT_FALSE(there("state:s1"));
  for (const char* name : {"session", "state", "redlock", "poll:x"}) {
    const auto refused = client.fleet(name);
    ASSERT_FALSE(refused) << name;
    EXPECT_NE(refused.error().message.find("cannot be used"), std::string::npos) << refused.error().message;
  }
}

TEST_F(ApiPrefix, OneWhoseKeysCouldBeThoseOfTheUsualPrefixIsRefused) {
  for (const char* prefix : {"redlock:", "poll:x:", "session:", "state:", "tenure:queue:", "ten"}) {
    ClientOptions chosen = options_for(nodes);
    chosen.prefix = prefix;
    const auto client = Client::open(chosen);
    ASSERT_FALSE(client) << prefix;
    EXPECT_EQ(client.error().code, Refusal::Code::usage);
    EXPECT_NE(client.error().message.find(std::string("the prefix ") + prefix + " cannot be used"),
              std::string::npos)
        << client.error().message;
  }
}

}  // namespace
}  // namespace tenure::test
