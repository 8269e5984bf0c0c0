// Where the data of a fleet is, said once: its client knows.
#include <atomic>

#include "integration/api.hpp"
#include "poll/session_json.hpp"
#include "support/certificates.hpp"
#include "support/fake_fleet.hpp"
#include "support/polling.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;

constexpr auto patience = 20s;

void add_session(RedisServer& server) {
  server.command({"SET", "session:s1", poll::write_session({.id = "s1", .address = "x", .interval = 4s})});
}
bool stores(RedisServer& server) { return server.command({"EXISTS", "state:s1"}).integer == 1; }

// Reads sessions, polls them and stores results, and is told of no Redis but by its fleet.
class Instance {
 public:
  Instance(const Client& client, const FleetOptions& options, PollerOptions poller = {})
      : fleet(client.fleet("poll", options).value()),
        poller_(*fleet, stored_sessions(*fleet, {.http = false}).value(), work(), std::move(poller)) {
    const auto started = poller_.start();
    EXPECT_TRUE(started) << started.error().message;
  }
  bool polls() {
    return wait_until([this] { return polled_ > 0; }, patience);
  }
  void stop() { poller_.stop(); }

  std::unique_ptr<Fleet> fleet;

 private:
  CallbackPoll work() {
    return {.call = [this](const Session&, const SessionLease&, const std::stop_token&) {
      polled_ += 1;
      return PollOutcome{.ok = true};
    }};
  }

  std::atomic<int> polled_ = 0;
  Poller poller_;
};

const FleetOptions short_lives{.ttl = 3s};

TEST(FleetData, IsOnTheOneNodeOfTheClientBesideTheLeases) {
  Nodes nodes(1);
  add_session(nodes[0]);
  Instance here(open(nodes), short_lives);
  const FleetData data = here.fleet->data();
  EXPECT_EQ(data.url, urls_of(nodes)[0]);
  EXPECT_EQ(data.tls, Tls{});
  EXPECT_TRUE(data.leases);
  EXPECT_TRUE(wait_until([&] { return stores(nodes[0]); }, patience));
}

TEST(FleetData, IsOnTheFirstOfSeveralNodesAndTheLeasesAreOnAll) {
  Nodes nodes(3);
  add_session(nodes[0]);
  Instance here(open(nodes), short_lives);
  EXPECT_EQ(here.fleet->data().url, urls_of(nodes)[0]);
  EXPECT_FALSE(here.fleet->data().leases);
  EXPECT_TRUE(wait_until([&] { return stores(nodes[0]); }, patience));
  EXPECT_FALSE(stores(nodes[1]));
}

TEST(FleetData, IsWhereTheFleetWasToldToKeepIt) {
  Nodes nodes(1);
  RedisServer apart;
  add_session(apart);
  FleetOptions options = short_lives;
  options.data = apart.url();
  Instance here(open(nodes), options);
  EXPECT_EQ(here.fleet->data().url, apart.url());
  EXPECT_FALSE(here.fleet->data().leases);
  EXPECT_TRUE(wait_until([&] { return stores(apart); }, patience));
  EXPECT_FALSE(stores(nodes[0]));
}

TEST(FleetData, IsBesideTheLeasesAlsoWhereAnotherUserGoesThere) {
  Nodes nodes(1);
  const Client client = open(nodes);
  const auto with_leases = [&](const std::string& url) {
    FleetOptions options = short_lives;
    options.data = url;
    return client.fleet("poll", options).value()->data().leases;
  };
  EXPECT_TRUE(with_leases(nodes[0].url()));
  EXPECT_TRUE(with_leases(nodes[0].url("worker:secret")));
  EXPECT_FALSE(with_leases(nodes[0].url() + "?db=1")) << "the leases are in another database";
}

TEST(FleetData, IsReachedWithThePasswordAndTheTlsOfTheClient) {
  Certificates certificates;
  Nodes nodes(1, cap_default,
              {.tls = certificates.server(), .arguments = {"--requirepass", "secret"}, .password = "secret"});
  add_session(nodes[0]);
  ClientOptions options;
  options.nodes = {nodes[0].url(":secret")};
  options.tls.ca_file = certificates.ca_file();
  Instance here(Client::open(options).value(), short_lives);
  EXPECT_EQ(here.fleet->data().tls, options.tls);
  EXPECT_TRUE(wait_until([&] { return stores(nodes[0]); }, patience));
}

// One client, one fleet at a time: what the last one was told of its data is nothing to the next.
TEST(FleetData, EachFleetOfAClientHasItsOwn) {
  Nodes nodes(1);
  RedisServer apart({.arguments = {"--requirepass", "secret"}, .password = "secret"});
  RedisServer elsewhere;
  const Client client = open(nodes, "web-1");
  const auto start = [&](const std::string& url) {
    FleetOptions options = short_lives;
    options.data = url;
    auto fleet = client.fleet("poll", options).value();
    const auto joined = fleet->start();
    return joined ? "joined"
                  : std::string(to_string(joined.error().code)) + (joined.error().denied ? ", denied" : "");
  };
  EXPECT_EQ(start(apart.url(":wrong")), "no_quorum, denied");
  EXPECT_EQ(start(apart.url(":secret")), "joined") << "the password is another";
  EXPECT_EQ(start(elsewhere.url()), "joined") << "the Redis is another";
  EXPECT_EQ(start(""), "joined") << "it is that of the client";
  EXPECT_EQ(start(apart.url(":wrong")), "no_quorum, denied");
}

TEST(FleetData, TlsWithoutTheUrlThatItIsForIsRefused) {
  Nodes nodes(1);
  const Client client = open(nodes);
  const Tls tls{.ca_file = "ca.crt"};
  const auto refused = client.fleet("poll", {.data_tls = tls});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Refusal::Code::usage);
  EXPECT_EQ(refused.error().message, "data_tls is set, and data names no Redis that it is for");

  const auto fleet = client.fleet("poll", short_lives).value();
  const auto source = stored_sessions(*fleet, {.tls = tls});
  ASSERT_FALSE(source);
  EXPECT_EQ(source.error().code, Refusal::Code::usage);
  EXPECT_EQ(source.error().message, "tls is set, and url names no Redis that it is for");

  Poller poller(*fleet, stored_sessions(*fleet).value(), HttpPoll{}, {.tls = tls});
  const auto started = poller.start();
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code, Refusal::Code::usage);
  EXPECT_EQ(started.error().message, "where results go: tls is set, and data names no Redis that it is for");
}

TEST(FleetData, AnotherRedisMayBeNamedForSessionsAndForResults) {
  Nodes nodes(1);
  RedisServer source;
  RedisServer results;
  add_session(source);
  const Client client = open(nodes);
  const auto fleet = client.fleet("poll", short_lives).value();
  CallbackPoll work{.call = [](const Session&, const SessionLease&, const std::stop_token&) {
    return PollOutcome{.ok = true};
  }};
  Poller poller(*fleet, stored_sessions(*fleet, {.url = source.url(), .http = false}).value(), work,
                {.data = results.url()});
  ASSERT_TRUE(poller.start());
  EXPECT_TRUE(wait_until([&] { return stores(results); }, patience))
      << "the leases are not there, and nobody had to say so";
  EXPECT_FALSE(stores(nodes[0]));
}

TEST(FleetData, ResultsAreNotStoredWhereNobodyWantsThem) {
  Nodes nodes(1);
  add_session(nodes[0]);
  Instance here(open(nodes), short_lives, {.store = false});
  EXPECT_TRUE(here.polls());
  here.stop();
  EXPECT_FALSE(stores(nodes[0]));
}

TEST(FleetData, AFleetThatDoesNotSayHasNone) {
  FakeFleet fleet;
  EXPECT_EQ(fleet.data().url, "");
  EXPECT_TRUE(stored_sessions(fleet)) << "it looks on this machine, as ever";
}

}  // namespace
}  // namespace tenure::test
