// tenure doctor: the words of the usual health check, and what a person can do where something is wrong (L9).
#include <gtest/gtest.h>

#include <chrono>

#include "cli/tenure_program.hpp"
#include "support/impostor.hpp"

namespace tenure::test {
namespace {

const RedisServer::Options keeps_data{.tcp = true, .arguments = {"--appendonly", "yes"}};

// Some of them are looked at through an impostor, which has another address.
const Words named{"--node-set", "doctors"};

class DoctorTest : public testing::Test {
 protected:
  DoctorTest() { make_ready(urls(), named); }

  // These few and no others are a set from now on.
  void make_another_set(const Words& urls) {
    for (RedisServer& node : nodes) node.command({"FLUSHALL"});
    make_ready(urls, named);
  }

  Words urls() const { return urls_of(nodes); }
  Result doctor(const Words& options = {}) {
    return tenure(Words{"doctor"} + redis_options(urls()) + named + options);
  }
  std::string check_line(std::size_t node, const std::string& how) const {
    return "Checking Redis node on port " + std::to_string(nodes[node].port()) + "... " + how + "\n";
  }

  RedisServer nodes[3]{RedisServer(keeps_data), RedisServer(keeps_data), RedisServer(keeps_data)};
};

Result doctor_of(const Words& urls, const Words& options = {}) {
  return tenure(Words{"doctor"} + redis_options(urls) + named + options);
}

const std::string rule = "=======================================\n";

// L9: byte by byte what the guide prints; the ports are the test's own.
TEST_F(DoctorTest, L9_ThreeHealthyNodesAreToldInTheWordsOfTheGuide) {
  const Words before = contents(nodes[0]);
  const Result result = doctor();
  EXPECT_EQ(result.code, 0) << result.out;
  EXPECT_EQ(result.err, "");
  const std::string guide = rule + "Checking Redis cluster health...\n" + rule + "\n" + check_line(0, "UP") +
                            check_line(1, "UP") + check_line(2, "UP") + "\n" + rule +
                            "Health Check Summary\n" + rule +
                            "Healthy nodes: 3 / 3\nStatus: ALL NODES HEALTHY\n\n"
                            "Cluster is ready for distributed locking!\n";
  EXPECT_TRUE(result.out.starts_with(guide)) << result.out;
  EXPECT_TRUE(has(result.out, "127.0.0.1:" + std::to_string(nodes[1].port()) + "/0: Redis ")) << result.out;
  EXPECT_TRUE(has(result.out, "round trip ")) << result.out;
  EXPECT_FALSE(has(result.out, "error:")) << result.out;
  EXPECT_FALSE(has(result.out, "warning:")) << result.out;
  EXPECT_EQ(contents(nodes[0]), before);
}

TEST_F(DoctorTest, L9_OneNodeDownIsDegraded) {
  nodes[1].kill();
  const Result result = doctor();
  EXPECT_EQ(result.code, 1);
  EXPECT_TRUE(has(result.out, check_line(1, "DOWN (connection refused)"))) << result.out;
  EXPECT_TRUE(has(result.out, "Healthy nodes: 2 / 3\nStatus: DEGRADED, A QUORUM STANDS\n")) << result.out;
  EXPECT_TRUE(has(result.out, ": it is down: connection refused\n")) << result.out;
  EXPECT_TRUE(has(result.out, "  do:  start that Redis, or correct host and port")) << result.out;
}

TEST_F(DoctorTest, L9_TwoNodesDownAreNoQuorum) {
  nodes[0].kill();
  nodes[1].kill();
  const Result result = doctor();
  EXPECT_EQ(result.code, 2);
  EXPECT_TRUE(has(result.out, "Healthy nodes: 1 / 3\nStatus: NO QUORUM\n")) << result.out;
  EXPECT_TRUE(has(result.out, "not ready for distributed locking: 2 of 3 nodes must be healthy"))
      << result.out;
}

TEST_F(DoctorTest, NodesThatDoNotAnswerAreWaitedForAtTheSameTime) {
  nodes[0].pause();
  nodes[1].pause();
  const auto start = std::chrono::steady_clock::now();
  const Result result = doctor();
  const auto took = std::chrono::steady_clock::now() - start;
  nodes[0].resume();
  nodes[1].resume();
  EXPECT_EQ(result.code, 2);
  EXPECT_TRUE(has(result.out, check_line(0, "DOWN (no answer in time)"))) << result.out;
  EXPECT_TRUE(has(result.out, check_line(2, "UP"))) << result.out;
  EXPECT_LT(took, std::chrono::milliseconds(3'500));  // one after the other: four seconds
}

TEST_F(DoctorTest, JsonIsOneObjectWithTheSameFacts) {
  nodes[2].kill();
  nodes[1].command({"CONFIG", "SET", "maxmemory-policy", "allkeys-lru"});
  const Result result = doctor({"--json"});
  EXPECT_EQ(result.code, 2);
  EXPECT_TRUE(
      result.out.starts_with(R"({"status": "no_quorum", "healthy_nodes": 1, "quorum": 2, "nodes": [{)"))
      << result.out;
  EXPECT_TRUE(has(result.out, R"("up": true, "healthy": true, "reason": null, "version": "Redis )"))
      << result.out;
  EXPECT_TRUE(has(result.out, R"("up": false, "healthy": false, "reason": "connection refused")"))
      << result.out;
  EXPECT_TRUE(has(result.out, R"("severity": "error", "code": "eviction", "node": "redis://127.0.0.1:)"))
      << result.out;
  EXPECT_EQ(result.out.find('\n'), result.out.size() - 1);
}

// F10
TEST_F(DoctorTest, F10_ANodeThatMayEvictLeasesDoesNotCount) {
  nodes[1].command({"CONFIG", "SET", "maxmemory-policy", "volatile-ttl"});
  const Result result = doctor();
  EXPECT_EQ(result.code, 1);
  EXPECT_TRUE(has(result.out, "UP, but not healthy: it throws keys away")) << result.out;
  EXPECT_TRUE(has(result.out, "Healthy nodes: 2 / 3")) << result.out;
  EXPECT_TRUE(has(result.out, "do:  CONFIG SET maxmemory-policy noeviction")) << result.out;
}

TEST_F(DoctorTest, OneServerByTwoNamesCountsOnce) {
  const std::string by_socket = "unix://" + nodes[0].socket_path();
  const Result result = doctor_of({urls()[0], by_socket, urls()[2]});
  EXPECT_EQ(result.code, 1);
  EXPECT_TRUE(has(result.out, "error: " + by_socket + ": it is the same server as redis://127.0.0.1:"))
      << result.out;
  EXPECT_TRUE(has(result.out, "Healthy nodes: 2 / 3")) << result.out;
}

TEST_F(DoctorTest, AnEvenNumberIsANote) {
  make_another_set({urls()[0], urls()[1]});
  const Result result = doctor_of({urls()[0], urls()[1]});
  EXPECT_EQ(result.code, 0) << result.out;
  EXPECT_TRUE(has(result.out, "note: 2 nodes are an even number")) << result.out;
}

TEST_F(DoctorTest, AReplicaIsNoNode) {
  nodes[1].command({"REPLICAOF", "127.0.0.1", std::to_string(nodes[0].port())});
  ASSERT_TRUE(
      wait_until([&] { return has(nodes[0].command({"INFO", "replication"}).text, "connected_slaves:1"); }));
  const Result result = doctor();
  EXPECT_EQ(result.code, 2);
  EXPECT_TRUE(has(result.out, "not healthy: this is a read-only replica; name its master")) << result.out;
  // And its master: another replication id means a quarantine, and a split would make two masters.
  EXPECT_TRUE(has(result.out, "promoted, or its first replica was attached")) << result.out;
  EXPECT_TRUE(
      has(result.out, "warning: " + urls()[0] + "/0: replicas follow it (1), and min-replicas-to-write is 0"))
      << result.out;
}

TEST_F(DoctorTest, ALagOfZeroTurnsOffThatAMasterNeedsReplicas) {
  nodes[1].command({"REPLICAOF", "127.0.0.1", std::to_string(nodes[0].port())});
  nodes[0].command({"CONFIG", "SET", "min-replicas-to-write", "2", "min-replicas-max-lag", "0"});
  ASSERT_TRUE(
      wait_until([&] { return has(nodes[0].command({"INFO", "replication"}).text, "connected_slaves:1"); }));
  const Result result = doctor();
  EXPECT_TRUE(
      has(result.out,
          "replicas follow it (1), and min-replicas-max-lag is 0, which turns min-replicas-to-write off"))
      << result.out;
  EXPECT_FALSE(has(result.out, "it takes no writes: min-replicas-to-write")) << result.out;
}

TEST_F(DoctorTest, ANodeThatMissesItsReplicasTakesNoWrites) {
  nodes[1].command({"CONFIG", "SET", "min-replicas-to-write", "1"});
  const Result result = doctor();
  EXPECT_EQ(result.code, 1);
  EXPECT_TRUE(has(result.out, "it takes no writes: min-replicas-to-write is 1, and 0 replicas follow it"))
      << result.out;
}

TEST_F(DoctorTest, AnotherCapIsToldWithTheRightOne) {
  const Result result = doctor({"--ttl-max", "2m"});
  EXPECT_EQ(result.code, 2);
  EXPECT_TRUE(has(result.out, "its cap is 1m, ours is 2m")) << result.out;
  EXPECT_TRUE(has(result.out, "use --ttl-max 1m")) << result.out;
}

TEST_F(DoctorTest, ARestartedNodeAbstainsUntilItsQuarantineIsOver) {
  nodes[1].restart();
  const Result before = doctor();
  EXPECT_EQ(before.code, 1);
  EXPECT_TRUE(has(before.out, "it was restarted since its record was written")) << before.out;
  EXPECT_EQ(tenure(Job{.options = Words{"-n"} + named}.words(urls())).code,
            0);  // the client who begins the quarantine
  const Result after = doctor();
  EXPECT_EQ(after.code, 1);
  const std::string why =
      "restarted, promoted or restored from a copy, and may have forgotten leases; new grants ";
  EXPECT_TRUE(
      has(after.out, why + "within 66s, once a client waits for them") ||
      has(after.out, why + "in 65s if a client has been waiting, otherwise within 66s, once one waits"))
      << after.out;
}

// Leases of a cap of before may be out as long as the quarantine that waits for them is not over, and not after it.
TEST_F(DoctorTest, ARestartedNodeWaitsForALongerCapOfBeforeUnlessThatWasSatOut) {
  const std::string record = nodes[1].command({"GET", "tenure:record"}).text;
  ASSERT_TRUE(has(record, " 60000 ")) << record;
  std::string longer = record;
  longer.replace(longer.rfind(" 60000 "), 7, " 120000 ");
  nodes[1].command({"SET", "tenure:record", longer});
  nodes[1].restart();
  EXPECT_TRUE(has(doctor().out, "begins a quarantine of 66s")) << doctor().out;
  longer.replace(longer.find(" open "), 6, " quarantined ");
  nodes[1].command({"SET", "tenure:record", longer});
  EXPECT_TRUE(has(doctor().out, "begins a quarantine of 132s")) << doctor().out;
}

// Clocks that are seconds apart are a warning, half the cap an error.
TEST_F(DoctorTest, ClocksThatAreApartAreNamed) {
  const auto ahead_by = [&](long seconds) {
    Impostor off(nodes[2], [&](const Words& command, redis::Value answer) {
      if (command.front() == "TIME") {
        answer.items[0].text = std::to_string(std::stol(answer.items[0].text) + seconds);
      }
      return answer;
    });
    return doctor_of({urls()[0], urls()[1], off.url()});
  };
  const Result some = ahead_by(-5);
  EXPECT_EQ(some.code, 1) << some.out;
  EXPECT_TRUE(has(some.out, "Healthy nodes: 3 / 3")) << some.out;
  EXPECT_TRUE(has(some.out, "warning: unix:///tmp/tenure-fake-")) << some.out;
  EXPECT_TRUE(has(some.out, "s behind that of most nodes")) << some.out;
  const Result far = ahead_by(31);
  EXPECT_EQ(far.code, 1) << far.out;
  EXPECT_TRUE(has(far.out, "Healthy nodes: 2 / 3")) << far.out;
  EXPECT_TRUE(has(far.out, "s ahead of that of most nodes")) << far.out;
}

redis::Value later(const Words& command, redis::Value answer, std::chrono::milliseconds by) {
  if (command.front() != "TIME") return answer;
  const auto us = std::stol(answer.items[0].text) * 1'000'000 + std::stol(answer.items[1].text) +
                  std::chrono::microseconds(by).count();
  answer.items[0].text = std::to_string(us / 1'000'000);
  answer.items[1].text = std::to_string(us % 1'000'000);
  return answer;
}

// Of nodes that agree among themselves, whatever our own clock shows, none is wrong.
TEST_F(DoctorTest, AWrongClockOfThisMachineIsNoFaultOfTheNodes) {
  const auto a_minute = [](const Words& command, redis::Value answer) {
    return later(command, std::move(answer), std::chrono::minutes(1));
  };
  Impostor one(nodes[0], a_minute);
  Impostor two(nodes[1], a_minute);
  Impostor three(nodes[2], a_minute);
  for (const Words& set : {Words{one.url()}, {one.url(), two.url()}, {one.url(), two.url(), three.url()}}) {
    make_another_set(set);
    const std::string count = std::to_string(set.size());
    const Result result = doctor_of(set);
    EXPECT_EQ(result.code, 1) << result.out;
    EXPECT_TRUE(has(result.out, "Healthy nodes: " + count + " / " + count)) << result.out;
    EXPECT_TRUE(has(result.out, "warning: this machine's clock is ")) << result.out;
    EXPECT_TRUE(has(result.out, set.size() == 3 ? " behind that of most nodes" : " behind that of unix://"))
        << result.out;
    EXPECT_FALSE(has(result.out, "its clock is")) << result.out;
  }
}

TEST_F(DoctorTest, TwoClocksThatAreApartAreAnError) {
  Impostor off(nodes[1], [](const Words& command, redis::Value answer) {
    return later(command, std::move(answer), std::chrono::minutes(-1));
  });
  make_another_set({urls()[0], off.url()});
  const Result result = doctor_of({urls()[0], off.url()});
  EXPECT_EQ(result.code, 2) << result.out;
  EXPECT_TRUE(has(result.out, "error: " + off.url() + ": its clock is ")) << result.out;
  EXPECT_TRUE(has(result.out, " behind that of " + urls()[0])) << result.out;
  EXPECT_TRUE(has(result.out, "Healthy nodes: 1 / 2")) << result.out;
  EXPECT_FALSE(has(result.out, "this machine's clock")) << result.out;
}

TEST(Doctor, AShortCapMakesClocksMatterSooner) {
  RedisServer nodes[3];
  const Words cap{"--ttl-max", "1600ms"};
  ASSERT_EQ(
      tenure(Words{"init"} + redis_options({nodes[0].url(), nodes[1].url(), nodes[2].url()}) + cap + named)
          .code,
      0);
  const auto ahead_by = [&](std::chrono::milliseconds by) {
    Impostor off(nodes[2], [&](const Words& command, redis::Value answer) {
      return later(command, std::move(answer), by);
    });
    return doctor_of({nodes[0].url(), nodes[1].url(), off.url()}, cap).out;
  };
  const std::string some = ahead_by(std::chrono::milliseconds(600));
  EXPECT_TRUE(has(some, "warning: unix:///tmp/tenure-fake-")) << some;
  EXPECT_TRUE(has(some, "ahead of that of most nodes")) << some;
  const std::string far = ahead_by(std::chrono::milliseconds(900));
  EXPECT_TRUE(has(far, "error: unix:///tmp/tenure-fake-")) << far;
  EXPECT_TRUE(has(far, "Healthy nodes: 2 / 3")) << far;
}

TEST_F(DoctorTest, AVersionThatIsTooOldIsRefused) {
  Impostor old(nodes[2], [](const Words& command, redis::Value answer) {
    if (const auto at = answer.text.find("redis_version:");
        command.front() == "INFO" && at != std::string::npos) {
      answer.text.replace(at, 15, "redis_version:6");
    }
    return answer;
  });
  const Result result = doctor_of({urls()[0], urls()[1], old.url()});
  EXPECT_EQ(result.code, 1);
  EXPECT_TRUE(has(result.out, "this is Redis 6.")) << result.out;
}

TEST_F(DoctorTest, ARoundTripThatIsTooLongForTheTtlIsNamed) {
  Impostor slow(nodes[2], [](const Words& command, redis::Value answer) {
    if (command.front() == "PING") std::this_thread::sleep_for(std::chrono::milliseconds(200));
    return answer;
  });
  const Words set{urls()[0], urls()[1], slow.url()};
  EXPECT_EQ(doctor_of(set).code, 0);
  const Result weak = doctor_of(set, {"--ttl", "3s"});
  EXPECT_EQ(weak.code, 1);
  EXPECT_TRUE(has(weak.out, "warning: " + slow.url() + ": a round trip takes ")) << weak.out;
  const Result hopeless = doctor_of(set, {"--ttl", "1s"});
  EXPECT_EQ(hopeless.code, 1);
  EXPECT_TRUE(has(hopeless.out, "error: " + slow.url() + ": a round trip takes ")) << hopeless.out;
  EXPECT_TRUE(has(hopeless.out, "Healthy nodes: 2 / 3")) << hopeless.out;
}

// T30
TEST(Doctor, T30_ARedisClusterIsRefused) {
  RedisServer redis({.arguments = {"--cluster-enabled", "yes"}});
  const Result result = doctor_of({redis.url()});
  EXPECT_EQ(result.code, 2);
  EXPECT_TRUE(has(result.out, "this is a node of a Redis Cluster")) << result.out;
}

TEST(Doctor, NewNodesAreToldHowToBeMadeReady) {
  RedisServer one;
  RedisServer other;
  const Result result = doctor_of({one.url(), other.url()});
  EXPECT_EQ(result.code, 2);
  EXPECT_TRUE(
      has(result.out, "Checking Redis node " + one.url() + "... UP, but not healthy: it has no record"))
      << result.out;
  EXPECT_TRUE(has(result.out, "If it is new: tenure init --redis " + one.url() + " --redis " + other.url()))
      << result.out;
  EXPECT_EQ(keys(one), Words{});  // only looked at
}

TEST(Doctor, ANodeThatKeepsNothingIsANoteThatSaysItIsSafe) {
  ReadyRedis redis;
  const Result result = tenure({"doctor", "--redis", redis.url()});
  EXPECT_EQ(result.code, 0) << result.out;
  EXPECT_TRUE(has(result.out, "note: " + redis.url() + ": it keeps nothing on disk")) << result.out;
  EXPECT_TRUE(has(result.out, "That is safe")) << result.out;
}

TEST(Doctor, BadWordsAreNamed) {
  const auto says = [](const Words& words) {
    const Result result = tenure(Words{"doctor"} + words);
    EXPECT_EQ(result.code, 64);
    EXPECT_EQ(result.out, "");
    return result.err;
  };
  EXPECT_TRUE(has(says({"--ttl", "61s"}), "a TTL of 61s is over the cap of 1m"));
  EXPECT_TRUE(has(says({"--redis", "nonsense"}), "bad Redis address"));
  EXPECT_TRUE(has(says({"--lock-prefix", ""}), "the lock prefix is empty"));
  EXPECT_TRUE(has(says({"now"}), "now"));
}

}  // namespace
}  // namespace tenure::test
