// The program on a master that Sentinels name: what works there, what doctor says of it, and what is said where it does not work.
#include <gtest/gtest.h>

#include "cli/tenure_program.hpp"
#include "support/certificates.hpp"
#include "support/sentinel_group.hpp"

namespace tenure::test {
namespace {

Words by(const std::string& url) { return {"--store", url}; }

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  const auto found = text.find(what);
  return found == std::string::npos ? text : text.replace(found, what.size(), with);
}

// As most of the tests here do not fail over, a small group is enough.
const SentinelGroup::Options small{.replicas = 0, .sentinels = 1};

TEST(Sentinel, CommandsFindTheMaster) {
  SentinelGroup group(small);
  EXPECT_EQ(tenure({"init"}, {"TENURE_STORE=" + group.url()}).code, 0);
  const Result run =
      tenure(Words{"run", "a"} + by(group.url()) + Words{"--", "sh", "-c", "echo $TENURE_TOKEN"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_NE(run.out, "\n");
  const Result shown = tenure(Words{"lock", "show", "a"} + by(group.url()));
  EXPECT_TRUE(has(shown.out, "free")) << shown.out << shown.err;
}

TEST(Sentinel, SeveralGroupsAreAQuorum) {
  SentinelGroup one(small);
  SentinelGroup two(small);
  SentinelGroup three(small);
  const std::string urls = one.url() + "," + two.url() + "," + three.url();
  EXPECT_EQ(tenure({"init"}, {"TENURE_STORE=" + urls}).code, 0);
  one.server(0).kill();
  const Result run = tenure({"run", "a", "--", "true"}, {"TENURE_STORE=" + urls});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_NE(two.server(0).command({"GET", "tenure:fence"}).text, "");
  const Result twice = tenure(Words{"init"} + by(one.url()) + by(two.url()) + by(one.url()));
  EXPECT_EQ(twice.code, 64);
  EXPECT_TRUE(has(twice.err, "is given twice")) << twice.err;
}

TEST(Sentinel, PasswordsOfTheRedisAndOfTheSentinelsAreToldApart) {
  SentinelGroup group({.replicas = 0, .sentinels = 1, .password = "gehe!m", .sentinel_password = "wach!t"});
  const std::string url = group.url();
  EXPECT_EQ(tenure(Words{"init"} + by(url)).code, 0);
  EXPECT_EQ(tenure(Words{"run", "a"} + by(url) + Words{"--", "true"}).code, 0);

  const Result of_redis =
      tenure(Words{"run", "a"} + by(replaced(url, "gehe!m", "falsch1")) + Words{"--", "true"});
  EXPECT_NE(of_redis.code, 0);
  EXPECT_TRUE(has(of_redis.err, "which Sentinels name the master: wrong user name or password"))
      << of_redis.err;
  const Result of_sentinels =
      tenure(Words{"run", "a"} + by(replaced(url, "wach!t", "falsch2")) + Words{"--", "true"});
  EXPECT_NE(of_sentinels.code, 0);
  EXPECT_TRUE(
      has(of_sentinels.err, "Sentinel " + group.sentinel(0).place() + ": wrong user name or password"))
      << of_sentinels.err;
  for (const Result* result : {&of_redis, &of_sentinels}) {
    for (const auto* secret : {"falsch1", "falsch2", "gehe!m", "wach!t"}) {
      EXPECT_FALSE(has(result->err + result->out, secret)) << result->err;
    }
  }
}

TEST(Sentinel, AMasterOfAnotherNameIsNotKnown) {
  SentinelGroup group(small);
  const Result run =
      tenure(Words{"run", "a"} + by(replaced(group.url(), "#mymaster", "#other")) + Words{"--", "true"});
  EXPECT_NE(run.code, 0);
  EXPECT_TRUE(
      has(run.err, "Sentinel " + group.sentinel(0).place() + ": it knows no master by the name other"))
      << run.err;
  const Result without =
      tenure(Words{"run", "a"} + by(replaced(group.url(), "#mymaster", "")) + Words{"--", "true"});
  EXPECT_EQ(without.code, 64);
  EXPECT_TRUE(has(without.err, "the name by which the Sentinels know the master is missing")) << without.err;
}

TEST(Sentinel, TlsIsSpokenToTheSentinelsAndToTheMaster) {
  Certificates certificates;
  SentinelGroup group({.replicas = 0, .sentinels = 1, .tls = certificates.server()});
  const Words trusting{"--tls-ca", certificates.ca_file()};
  EXPECT_EQ(tenure(Words{"init"} + by(group.url()) + trusting).code, 0);
  const Result run = tenure(Words{"run", "a"} + by(group.url()) + trusting + Words{"--", "true"});
  EXPECT_EQ(run.code, 0) << run.err;

  const Result untrusted = tenure(Words{"run", "a"} + by(group.url()) + Words{"--", "true"});
  EXPECT_TRUE(
      has(untrusted.err, "Sentinel " + group.sentinel(0).place() + ": the server's certificate is from a CA"))
      << untrusted.err;
  const Result in_plain =
      tenure(Words{"run", "a"} + by(replaced(group.url(), "rediss-", "redis-")) + Words{"--", "true"});
  EXPECT_TRUE(has(in_plain.err, "this port speaks TLS: the address begins with rediss-sentinel://"))
      << in_plain.err;
}

TEST(Sentinel, PlainPortsAreNotTakenForTls) {
  SentinelGroup group(small);
  const Result run = tenure(Words{"run", "a", "--ttl", "5s"} +
                            by(replaced(group.url(), "redis-", "rediss-")) + Words{"--", "true"});
  EXPECT_TRUE(has(run.err,
                  "this port does not speak TLS: it answers in plain text (the address begins with "
                  "redis-sentinel://)"))
      << run.err;
}

TEST(SentinelDoctor, ShowsTheGroupAndWhatAFailoverCosts) {
  SentinelGroup group;
  ASSERT_EQ(tenure(Words{"init", "--ttl-max", "20s"} + by(group.url())).code, 0);
  group.wait_for_replication();
  const Words doctor = Words{"doctor", "--ttl", "10s", "--ttl-max", "20s"} + by(group.url());
  const std::string master = "127.0.0.1:" + std::to_string(group.server(0).port());
  const Result result = tenure(doctor);
  EXPECT_EQ(result.code, 1) << result.out;
  EXPECT_TRUE(has(result.out, "Status: ALL NODES HEALTHY")) << result.out;
  for (std::size_t i = 0; i < group.sentinel_count(); ++i) {
    EXPECT_TRUE(has(result.out, "  Sentinel " + group.sentinel(i).place() + "... UP, names " + master + "\n"))
        << result.out;
  }
  EXPECT_TRUE(has(result.out, "Sentinels' mymaster: master " + master + ", 2 replicas (")) << result.out;
  EXPECT_TRUE(
      has(result.out,
          "a failover is begun after 500ms, and new leases are granted about 22.5s after the master died"))
      << result.out;
  EXPECT_TRUE(has(result.out, "replicas follow it (2), and min-replicas-to-write is 0")) << result.out;
  EXPECT_FALSE(has(result.out, "plain text")) << result.out;

  const Result json = tenure(doctor + Words{"--json"});
  EXPECT_TRUE(has(
      json.out, R"("sentinels": {"name": "mymaster", "master": ")" + master +
                    R"(", "down_after_ms": 500, "without_new_leases_ms": 22500, "min_replicas_to_write": 0)"))
      << json.out;
  EXPECT_TRUE(has(json.out, R"("min_replicas_max_lag_ms": 10000)")) << json.out;
  EXPECT_TRUE(has(json.out, R"({"address": ")" + group.sentinel(2).place() +
                                R"(", "up": true, "reason": null, "master": ")" + master +
                                R"(", "quorum": true})"))
      << json.out;
  EXPECT_TRUE(has(json.out, R"("online": true, "bytes_behind": )")) << json.out;
}

TEST(SentinelDoctor, NamesSentinelsThatAreDownAndTheLackOfAQuorum) {
  SentinelGroup group;
  ASSERT_EQ(tenure(Words{"init"} + by(group.url())).code, 0);
  group.server(0).command({"CONFIG", "SET", "min-replicas-to-write", "1"});
  group.sentinel(0).kill();
  group.sentinel(1).kill();
  // The last one notices after a while that it is alone.
  ASSERT_TRUE(wait_until([&] {
    return group.sentinel(2)
        .command({"SENTINEL", "CKQUORUM", SentinelGroup::name})
        .text.starts_with("NOQUORUM");
  }));
  const Result result = tenure(Words{"doctor"} + by(group.url()));
  EXPECT_EQ(result.code, 1) << result.out;
  EXPECT_TRUE(has(result.out, "  Sentinel " + group.sentinel(0).place() + "... DOWN (connection refused)\n"))
      << result.out;
  EXPECT_TRUE(has(result.out, "Sentinel " + group.sentinel(1).place() + " is of no use: connection refused"))
      << result.out;
  EXPECT_TRUE(has(result.out, "the Sentinels cannot agree on a failover: ")) << result.out;
  EXPECT_TRUE(has(result.out, "Status: ALL NODES HEALTHY")) << result.out;
  EXPECT_FALSE(has(result.out, "min-replicas-to-write is 0")) << result.out;
  EXPECT_TRUE(has(result.out, "min-replicas-max-lag is 10s, and the Sentinels begin a failover after 500ms"))
      << result.out;

  group.server(0).kill();
  const Result without_master = tenure(Words{"doctor"} + by(group.url()));
  EXPECT_EQ(without_master.code, 2) << without_master.out;
  EXPECT_TRUE(has(without_master.out, "  Sentinel " + group.sentinel(2).place() + "... UP"))
      << without_master.out;
  EXPECT_TRUE(has(without_master.out, "which Sentinels name the master: connection refused"))
      << without_master.out;
}

}  // namespace
}  // namespace tenure::test
