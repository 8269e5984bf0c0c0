// How the master is found, beside Sentinels that refuse, hang, know nothing, or say what is not so.
#include <gtest/gtest.h>

#include <future>

#include "redis/net/caller.hpp"
#include "redis/net/master_search.hpp"
#include "redis/net/speech.hpp"
#include "redis/session_call.hpp"
#include "runtime/boot_clock.hpp"
#include "support/fake_server.hpp"
#include "support/forwarder.hpp"
#include "support/lease_client.hpp"
#include "support/redis_program.hpp"
#include "tenure/session.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;
using core::FailureCode;

std::string bulk(const std::string& text) {
  return "$" + std::to_string(text.size()) + "\r\n" + text + "\r\n";
}

// What a Sentinel says who takes that for the master.
Said naming(std::uint16_t port) { return "*2\r\n" + bulk("127.0.0.1") + bulk(std::to_string(port)); }
const Said nobody = "*-1\r\n";
const Said silence = "";

class SentinelSearch : public ::testing::Test {
 protected:
  static redis::Address by(std::initializer_list<std::uint16_t> ports) {
    std::string url = "redis-sentinel://";
    for (const auto port : ports)
      url += (url.ends_with('/') ? "" : ",") + ("127.0.0.1:" + std::to_string(port));
    return redis::parse_url(url + "/0#mymaster").value();
  }
  // Where the connection leads, by the port of the server; 0: nowhere.
  static std::uint16_t led_to(const redis::Address& address) {
    auto redis = redis::Caller::connect(address, 5s);
    if (!redis) {
      ADD_FAILURE() << redis.error().detail;
      return 0;
    }
    const auto answer = redis->call({"CONFIG", "GET", "port"});
    return answer ? static_cast<std::uint16_t>(std::stoi(answer->items.at(1).text)) : std::uint16_t{0};
  }
  static core::Failure failure_of(const redis::Address& address) {
    const auto redis = redis::Caller::connect(address, 5s);
    EXPECT_FALSE(redis);
    return redis ? core::Failure{} : redis.error();
  }

  // Longer than a connection is used again without a question.
  static void let_it_be_idle() {
    const core::Time since = runtime::boot_now();
    ASSERT_TRUE(wait_until([&] { return runtime::boot_now() > since + 1s; }));
  }

  RedisServer master_{{.tcp = true, .arguments = {"--repl-diskless-sync-delay", "0"}}};
  FakeServer right_{naming(master_.port())};
};

TEST_F(SentinelSearch, ASentinelThatRefusesHangsOrKnowsNothingHidesNoOther) {
  FakeServer hung{silence};
  FakeServer ignorant{nobody};
  FakeServer no_sentinel{"-ERR unknown command 'SENTINEL'\r\n"};
  FakeServer garbage{"HTTP/1.1 400 Bad Request\r\n\r\n"};
  FakeServer gone{Said::and_hang_up("")};
  const std::uint16_t dead = free_port();
  EXPECT_EQ(led_to(by({hung.port(), right_.port()})), master_.port());
  EXPECT_EQ(led_to(by({ignorant.port(), right_.port()})), master_.port());
  EXPECT_EQ(led_to(by({dead, right_.port()})), master_.port());
  EXPECT_EQ(led_to(by({no_sentinel.port(), right_.port()})), master_.port());
  EXPECT_EQ(led_to(by({hung.port(), dead, ignorant.port(), garbage.port(), gone.port(), right_.port()})),
            master_.port());
}

// Somebody who does not wait, and who asks for the first time, gets the lease at once all the same.
TEST_F(SentinelSearch, AHungSentinelCostsNoFirstAttempt) {
  FakeServer hung{silence};
  init(master_);
  auto client = client_of({by({hung.port(), right_.port()})}, cap_default);
  auto lease = client.acquire("redlock:a", wish(10s));
  ASSERT_TRUE(lease);
  EXPECT_EQ(lease->release().outcome, core::ReleaseOutcome::released);
}

TEST_F(SentinelSearch, ALieHidesNoOtherSentinel) {
  RedisServer replica{{.tcp = true}};
  replica.command({"REPLICAOF", "127.0.0.1", std::to_string(master_.port())});
  FakeServer names_replica{naming(replica.port())};
  FakeServer names_nobody{naming(free_port())};
  FakeServer mute{silence};
  FakeServer names_mute{naming(mute.port())};
  FakeServer names_no_address{"*2\r\n" + bulk("127.0.0.1; rm -rf") + bulk("x")};
  EXPECT_EQ(led_to(by({names_replica.port(), right_.port()})), master_.port());
  EXPECT_EQ(led_to(by({names_nobody.port(), right_.port()})), master_.port());
  EXPECT_EQ(led_to(by({names_mute.port(), right_.port()})), master_.port());
  EXPECT_EQ(led_to(by({names_no_address.port(), right_.port()})), master_.port());
}

// An old master in a partition, with a Sentinel that is cut off with it. Both believe what they say.
TEST_F(SentinelSearch, AMasterThatAMajorityNamesIsPreferred) {  // X7
  RedisServer old_master{{.tcp = true}};
  FakeServer cut_off{naming(old_master.port())};
  FakeServer also_right{naming(master_.port())};
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(led_to(by({cut_off.port(), right_.port(), also_right.port()})), master_.port());
    ASSERT_EQ(led_to(by({right_.port(), also_right.port(), cut_off.port()})), master_.port());
  }
}

TEST_F(SentinelSearch, AMasterThatAMajorityNamesIsWaitedFor) {  // X7
  RedisServer old_master{{.tcp = true}};
  FakeServer cut_off{naming(old_master.port())};
  Forwarder slow{master_.socket_path(), Forwarder::Listens::tcp};
  FakeServer names_slow{naming(slow.port())};
  FakeServer also_names_slow{naming(slow.port())};
  slow.hold();
  auto led = std::async(std::launch::async, [&] {
    return led_to(by({cut_off.port(), names_slow.port(), also_names_slow.port()}));
  });
  EXPECT_EQ(led.wait_for(800ms), std::future_status::timeout);
  slow.mend();
  EXPECT_EQ(led.get(), master_.port());
}

TEST_F(SentinelSearch, WhereTheOneThatAMajorityNamesIsOutOfReachNoOtherIsTaken) {  // X7
  RedisServer old_master{{.tcp = true}};
  const std::uint16_t dead = free_port();
  FakeServer cut_off{naming(old_master.port())};
  FakeServer names_dead{naming(dead)};
  FakeServer also_names_dead{naming(dead)};
  for (int i = 0; i < 20; ++i) {
    const auto failure = failure_of(by({cut_off.port(), names_dead.port(), also_names_dead.port()}));
    ASSERT_EQ(failure.code, FailureCode::unreachable);
    ASSERT_NE(failure.detail.find("127.0.0.1:" + std::to_string(dead) +
                                  ", which Sentinels name the master: connection refused"),
              std::string::npos)
        << failure.detail;
  }
}

TEST_F(SentinelSearch, SlowSentinelsThatMayYetBeAMajorityAreWaitedFor) {  // X7
  RedisServer old_master{{.tcp = true}};
  FakeServer cut_off{naming(old_master.port())};
  FakeServer also_right{naming(master_.port())};
  Forwarder slow{std::to_string(right_.port()), Forwarder::Listens::tcp};
  Forwarder also_slow{std::to_string(also_right.port()), Forwarder::Listens::tcp};
  // A machine that has much else to do may let them answer later than anybody waits: that says nothing, and is tried again.
  for (int attempt = 0; attempt < 10; ++attempt) {
    slow.hold_replies();
    also_slow.hold_replies();
    const auto asked = [&] { return calls_of(old_master, "role"); };
    const auto before = asked();
    const std::size_t sentinels_before = slow.recorded().size() + also_slow.recorded().size();
    const core::Time began = runtime::boot_now();
    auto led = std::async(std::launch::async,
                          [&] { return led_to(by({cut_off.port(), slow.port(), also_slow.port()})); });
    const bool all_asked = wait_until([&] {
      return asked() > before && slow.recorded().size() + also_slow.recorded().size() == sentinels_before + 2;
    });
    slow.mend();
    also_slow.mend();
    const core::Duration held_back = runtime::boot_now() - began;
    const auto where = led.get();
    ASSERT_TRUE(all_asked);
    if (where != master_.port() && held_back > redis::MasterSearch::in_time_max / 2) continue;
    ASSERT_EQ(where, master_.port());
    return;
  }
  GTEST_SKIP() << "this machine is too slow to tell";
}

// As long as its requests have patience, which is little where TTLs are short.
TEST_F(SentinelSearch, WhoReachesAMinorityOnlyGetsItsLease) {
  FakeServer hung{silence};
  FakeServer also_hung{silence};
  init(master_);
  auto client = client_of({by({hung.port(), also_hung.port(), right_.port()})}, cap_default);
  EXPECT_TRUE(client.acquire("redlock:a", wish(2s, for_ever)));
}

TEST_F(SentinelSearch, WhereNoMajorityAnswersOneSentinelIsEnough) {
  FakeServer hung{silence};
  FakeServer also_hung{silence};
  EXPECT_EQ(led_to(by({hung.port(), also_hung.port(), right_.port()})), master_.port());
}

TEST_F(SentinelSearch, AServerThatIsNoMasterIsRefusedBeforeAnythingIsAsked) {
  RedisServer replica{{.tcp = true}};
  replica.command({"REPLICAOF", "127.0.0.1", std::to_string(master_.port())});
  FakeServer names_replica{naming(replica.port())};
  const auto failure = failure_of(by({names_replica.port()}));
  EXPECT_EQ(failure.code, FailureCode::read_only);
  EXPECT_EQ(failure.applied, core::Applied::no);
  EXPECT_EQ(failure.detail, "no master: 127.0.0.1:" + std::to_string(replica.port()) +
                                ", which Sentinels name the master: it says that it is a replica");
  auto client = client_of({by({names_replica.port()})}, cap_default);
  const auto refused = client.acquire("redlock:a", wish(10s));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().failures.at(0).failure.detail, failure.detail);
  EXPECT_EQ(calls_of(replica, "evalsha") + calls_of(replica, "eval"), 0);
}

TEST_F(SentinelSearch, WhatIsWrongIsSaidInOneSentence) {
  FakeServer ignorant{nobody};
  FakeServer also_ignorant{nobody};
  const std::string one = "127.0.0.1:" + std::to_string(ignorant.port());
  const std::string other = "127.0.0.1:" + std::to_string(also_ignorant.port());
  EXPECT_EQ(failure_of(by({ignorant.port(), also_ignorant.port()})).detail,
            "no master: Sentinel " + one + ", " + other + ": it knows no master by the name mymaster");
  const std::uint16_t dead = free_port();
  const auto mixed = failure_of(by({ignorant.port(), dead}));
  EXPECT_EQ(mixed.detail, "no master: Sentinel " + one +
                              ": it knows no master by the name mymaster; Sentinel 127.0.0.1:" +
                              std::to_string(dead) + ": connection refused");
  EXPECT_EQ(mixed.code, FailureCode::server);
  EXPECT_EQ(failure_of(by({dead})).code, FailureCode::unreachable);
  FakeServer closed{"-NOAUTH Authentication required.\r\n"};
  const auto no_password = failure_of(by({closed.port()}));
  EXPECT_EQ(no_password.code, FailureCode::auth);
  EXPECT_NE(no_password.detail.find("the server wants a password"), std::string::npos) << no_password.detail;
  EXPECT_NE(no_password.detail.find("sentinel_password"), std::string::npos) << no_password.detail;
  // One that keeps us out is no reason to give up where another may be back.
  EXPECT_EQ(failure_of(by({closed.port(), dead})).code, FailureCode::unreachable);
  EXPECT_EQ(failure_of(by({closed.port(), ignorant.port()})).code, FailureCode::server);
  FakeServer hung{silence};
  const auto late = redis::Caller::connect(by({hung.port(), ignorant.port()}), 200ms);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, FailureCode::timed_out);
  EXPECT_NE(late.error().detail.find("127.0.0.1:" + std::to_string(hung.port()) + ": no answer in time"),
            std::string::npos)
      << late.error().detail;
}

// A connection that stands is left when the server says that it is a replica: the Sentinels are asked again.
TEST_F(SentinelSearch, ADemotedMasterIsLeftByConnectionsThatStand) {
  RedisServer next{{.tcp = true, .arguments = {"--repl-diskless-sync-delay", "0"}}};
  next.command({"REPLICAOF", "127.0.0.1", std::to_string(master_.port())});
  // The first replica gives its master another replication id, so that this would be a new life.
  ASSERT_TRUE(wait_until([&] { return master_.command({"WAIT", "1", "100"}).integer == 1; }));
  init(master_);
  FakeServer names_next{naming(next.port())};
  // They do not agree: the one that is a master counts.
  const auto address = by({right_.port(), names_next.port()});
  auto client = client_of({address}, cap_default);
  auto lease = client.acquire("redlock:a", wish(4s));
  ASSERT_TRUE(lease);
  ASSERT_TRUE(wait_until([&] { return next.command({"EXISTS", "redlock:a"}).integer == 1; }));
  // Without a word to anybody, and so that no connection is cut.
  next.command({"REPLICAOF", "NO", "ONE"});
  master_.command({"REPLICAOF", "127.0.0.1", std::to_string(next.port())});
  ASSERT_TRUE(is_renewed(*lease));
  EXPECT_TRUE(wait_until([&] { return record_state(next) == "quarantined"; }));
  EXPECT_TRUE(lease->held());
}

// Its server may have been frozen meanwhile, and replaced.
TEST_F(SentinelSearch, SentinelsThatAreSlowAreWaitedForAlsoByWhoHasAConnection) {  // X7
  RedisServer next{{.tcp = true}};
  init(master_);
  init(next);
  FakeServer names_next{naming(next.port())};
  const auto scripts_of = [](RedisServer& server) {
    return calls_of(server, "evalsha") + calls_of(server, "eval");
  };
  auto patient = wish(20s, for_ever);
  patient.timing.node_timeout = 3s;
  bool in_time = false;
  for (int round = 0; round < 10 && !in_time; ++round) {
    Forwarder sentinel{std::to_string(right_.port()), Forwarder::Listens::tcp};
    auto client = client_of({by({sentinel.port()})}, cap_default);
    auto lease = client.acquire("redlock:a", patient);
    ASSERT_TRUE(lease);
    ASSERT_EQ(lease->release().outcome, core::ReleaseOutcome::released);
    const core::Time idle_since = runtime::boot_now();
    sentinel.point_at(std::to_string(names_next.port()));
    sentinel.hold();
    ASSERT_TRUE(wait_until([&] { return runtime::boot_now() > idle_since + 1100ms; }));
    const auto before = scripts_of(master_);
    const auto before_next = scripts_of(next);
    const core::Time asked = runtime::boot_now();
    std::stop_source stop;
    auto acquired =
        std::async(std::launch::async, [&] { client.acquire("redlock:b", patient, stop.get_token()); });
    EXPECT_EQ(acquired.wait_for(200ms), std::future_status::timeout);
    sentinel.mend();
    in_time = runtime::boot_now() - asked < redis::MasterSearch::in_time_max * 4 / 5;
    EXPECT_TRUE(wait_until([&] { return !in_time || scripts_of(next) > before_next; }));
    stop.request_stop();
    acquired.wait();
    if (in_time) {
      EXPECT_EQ(scripts_of(master_), before) << "asked of a server that is not the master any more";
    }
  }
  EXPECT_TRUE(in_time);
}

// Cut off from its replicas, one of which may have taken its place, it still calls itself a master.
TEST_F(SentinelSearch, TheSentinelsAreAskedAgainWhereTooFewReplicasFollowTheMaster) {  // X7
  init(master_);
  auto client = client_of({by({right_.port()})}, cap_default);
  ASSERT_TRUE(client.acquire("redlock:a", wish(4s)));
  const auto asked = [&] { return right_.heard().size(); };
  const auto before = asked();
  master_.command({"CONFIG", "SET", "min-replicas-to-write", "1"});
  const auto refused = client.acquire("redlock:b", wish(4s));
  ASSERT_FALSE(refused);
  const std::string& why = refused.error().failures.front().failure.detail;
  EXPECT_NE(why.find("too few replicas follow"), std::string::npos) << why;
  EXPECT_TRUE(wait_until([&] {
    EXPECT_FALSE(client.acquire("redlock:c", wish(4s)));
    return asked() > before;
  }));
  master_.command({"CONFIG", "SET", "min-replicas-to-write", "0"});
  EXPECT_TRUE(client.acquire("redlock:d", wish(4s, for_ever)));
}

TEST_F(SentinelSearch, AMasterThatNobodyFollowsIsLeftByCallersToo) {
  auto named = redis::Caller::connect(by({right_.port()}), 5s);
  ASSERT_TRUE(named);
  master_.command({"CONFIG", "SET", "min-replicas-to-write", "1"});
  const auto refused = named->call({"SET", "a", "b"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, FailureCode::not_durable);
  EXPECT_FALSE(named->call({"PING"}));
}

TEST_F(SentinelSearch, ADemotedMasterIsLeftByCallersToo) {
  auto named = redis::Caller::connect(by({right_.port()}), 5s);
  auto direct = redis::Caller::connect(redis::parse_url(master_.url()).value(), 5s);
  ASSERT_TRUE(named);
  ASSERT_TRUE(direct);
  master_.command({"REPLICAOF", "127.0.0.1", std::to_string(free_port())});
  const auto refused = named->call({"SET", "a", "b"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, FailureCode::read_only);
  const auto after = named->call({"PING"});
  ASSERT_FALSE(after);
  EXPECT_EQ(after.error().code, FailureCode::closed);
  EXPECT_FALSE(direct->call({"SET", "a", "b"}));
  EXPECT_TRUE(direct->call({"PING"})) << "there is nobody else to ask";
}

// It was frozen, say, and does not know that it was replaced: it would take writes that nobody else sees.
TEST_F(SentinelSearch, ACallerThatWasIdleAsksTheSentinelsAgain) {  // X7
  RedisServer next{{.tcp = true}};
  FakeServer names_next{naming(next.port())};
  Forwarder sentinel{std::to_string(right_.port()), Forwarder::Listens::tcp};
  auto redis = redis::Caller::connect(by({sentinel.port()}), 5s);
  ASSERT_TRUE(redis);
  ASSERT_TRUE(redis->call({"SET", "a", "before"}));
  sentinel.point_at(std::to_string(names_next.port()));
  let_it_be_idle();
  ASSERT_TRUE(redis->call({"SET", "a", "after"}));
  EXPECT_EQ(master_.command({"GET", "a"}).text, "before");
  EXPECT_EQ(next.command({"GET", "a"}).text, "after");
}

TEST_F(SentinelSearch, ACallerThatFindsTheSameServerKeepsItsConnection) {
  auto redis = redis::Caller::connect(by({right_.port()}), 5s);
  ASSERT_TRUE(redis);
  const auto id = redis->call({"CLIENT", "ID"});
  ASSERT_TRUE(id);
  let_it_be_idle();
  const auto moved = redis->confirm();
  ASSERT_TRUE(moved);
  EXPECT_FALSE(*moved);
  const auto after = redis->call({"CLIENT", "ID"});
  ASSERT_TRUE(after);
  EXPECT_EQ(after->integer, id->integer);
}

// At the same address, and perhaps with older data.
TEST_F(SentinelSearch, ACallerNoticesAMasterThatIsStartedAnewWhileTheSentinelsAreAsked) {
  Forwarder sentinel{std::to_string(right_.port()), Forwarder::Listens::tcp};
  bool in_time = false;
  for (int round = 0; round < 10 && !in_time; ++round) {
    auto redis = redis::Caller::connect(by({sentinel.port()}), 20s);
    ASSERT_TRUE(redis) << redis.error().detail;
    const auto asked = right_.heard().size();
    const auto said = sentinel.recorded().size();
    sentinel.hold_replies();
    let_it_be_idle();
    const core::Time begun = runtime::boot_now();
    auto confirmed = std::async(std::launch::async, [&] { return redis->confirm(); });
    ASSERT_TRUE(
        wait_until([&] { return right_.heard().size() > asked && sentinel.recorded().size() > said; }));
    master_.restart();
    sentinel.mend();
    in_time = runtime::boot_now() - begun < redis::MasterSearch::in_time_max * 4 / 5;
    const auto moved = confirmed.get();
    if (!in_time) continue;
    ASSERT_TRUE(moved) << moved.error().detail;
    EXPECT_TRUE(*moved);
  }
  EXPECT_TRUE(in_time);
}

TEST_F(SentinelSearch, ACallerSendsNothingWhereTheServerThatIsNamedNowIsOutOfReach) {  // X7
  FakeServer names_dead{naming(free_port())};
  Forwarder sentinel{std::to_string(right_.port()), Forwarder::Listens::tcp};
  auto redis = redis::Caller::connect(by({sentinel.port()}), 5s);
  ASSERT_TRUE(redis);
  sentinel.point_at(std::to_string(names_dead.port()));
  let_it_be_idle();
  const auto refused = redis->call({"SET", "a", "after"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, FailureCode::unreachable);
  EXPECT_EQ(refused.error().applied, core::Applied::no);
  EXPECT_EQ(master_.command({"EXISTS", "a"}).integer, 0);
}

TEST_F(SentinelSearch, ACallerGoesOnWhileTheSentinelsAreSilent) {
  Forwarder sentinel{std::to_string(right_.port()), Forwarder::Listens::tcp};
  auto redis = redis::Caller::connect(by({sentinel.port()}), 5s);
  ASSERT_TRUE(redis);
  const auto id = redis->call({"CLIENT", "ID"});
  ASSERT_TRUE(id);
  sentinel.hold();
  let_it_be_idle();
  const auto while_they_hang = redis->call({"CLIENT", "ID"});
  ASSERT_TRUE(while_they_hang) << while_they_hang.error().detail;
  EXPECT_EQ(while_they_hang->integer, id->integer) << "the same connection";
  sentinel.cut();
  let_it_be_idle();
  const auto while_they_are_gone = redis->call({"CLIENT", "ID"});
  ASSERT_TRUE(while_they_are_gone) << while_they_are_gone.error().detail;
  EXPECT_EQ(while_they_are_gone->integer, id->integer);
}

// The index of another server may have the same version, and be about other sessions.
TEST_F(SentinelSearch, SessionsAreReadAnewFromWhoeverIsTheMasterNow) {
  RedisServer next{{.tcp = true}};
  FakeServer names_next{naming(next.port())};
  Forwarder sentinel{std::to_string(right_.port()), Forwarder::Listens::tcp};
  const redis::SessionKeys keys;
  const auto put = [&](RedisServer& server, const std::string& id) {
    server.command({"SET", keys.session(id), R"({"address":"http://a"})"});
    server.command({"ZADD", keys.index(), "7", id});
    server.command({"SET", keys.version(), "7"});
  };
  put(master_, "lost");
  put(next, "kept");
  StoredSessionsOptions options;
  options.url = redis::to_text(by({sentinel.port()}));
  options.find = StoredSessionsOptions::Find::index;
  const auto source = stored_sessions(options).value();
  EXPECT_EQ(source->read().value().good, (std::vector<Session>{{"lost", "http://a"}}));
  let_it_be_idle();
  const auto compared = [&] { return calls_of(master_, "zscan"); };
  const auto before = compared();
  EXPECT_EQ(source->read().value().good, (std::vector<Session>{{"lost", "http://a"}}));
  EXPECT_EQ(compared(), before) << "the same server, whose index is known";
  sentinel.point_at(std::to_string(names_next.port()));
  let_it_be_idle();
  EXPECT_EQ(source->read().value().good, (std::vector<Session>{{"kept", "http://a"}}));
}

}  // namespace
}  // namespace tenure::test
