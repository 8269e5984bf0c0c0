// The program over TLS: L11. What a server must prove is in tests/integration/tls_test.cpp; here is what a person
// sees of it, and that nothing is left behind.
#include <gtest/gtest.h>

#include <filesystem>

#include "cli/tenure_program.hpp"
#include "support/certificates.hpp"
#include "support/forwarder.hpp"

namespace tenure::test {
namespace {

class TlsProgramTest : public ::testing::Test {
 protected:
  Words trusting() const { return {"--tls-ca", certificates_.ca_file()}; }
  Words tls_words(const Identity& identity) const {
    return trusting() + Words{"--tls-cert", identity.certificate_file, "--tls-key", identity.key_file};
  }

  // One line with that in it, exit code 69, and an empty Redis: said by run and by init.
  void expect_refused(RedisServer& server, const std::string& url, const Words& options,
                      const std::string& says) {
    const Words words = Words{"--redis", url} + options;
    for (const auto& all : {Words{"run", "job"} + words + Words{"--", "true"}, Words{"init"} + words}) {
      const Result result = tenure(all);
      EXPECT_EQ(result.code, 69) << result.err;
      EXPECT_TRUE(has(result.err, says)) << result.err;
      EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
      EXPECT_FALSE(has(result.err, "gehe!m")) << result.err;
    }
    EXPECT_EQ(keys(server), Words{});
  }

  static std::string with_secret(const RedisServer& server, const std::string& scheme) {
    return scheme + "://me:gehe!m@127.0.0.1:" + std::to_string(server.port());
  }

  Certificates certificates_;
};

TEST_F(TlsProgramTest, InitAndRunWorkOverTls) {
  RedisServer server({.tls = certificates_.server()});
  const Result made = tenure(Words{"init", "--redis", server.url()} + trusting());
  EXPECT_EQ(made.code, 0) << made.err;
  const Result ran = tenure(Job{.options = trusting(), .command = shell("exit 7")}.words(server.url()));
  EXPECT_EQ(ran.code, 7) << ran.err;
  EXPECT_EQ(ran.err, "");
  EXPECT_EQ(keys(server), only_record);
}

TEST_F(TlsProgramTest, TheEnvironmentSetsTlsUpAsTheFlagsDo) {
  RedisServer server({.tls = certificates_.server_that_asks()});
  const Identity identity = certificates_.issue();
  const Words environment{"TENURE_REDIS=rediss://127.0.0.2:" + std::to_string(server.port()),
                          "TENURE_TLS_CA=" + certificates_.ca_file(),
                          "TENURE_TLS_CERT=" + identity.certificate_file,
                          "TENURE_TLS_KEY=" + identity.key_file, "TENURE_TLS_NAME=localhost"};
  server.command({"CONFIG", "SET", "bind", "127.0.0.1 127.0.0.2"});
  const Result made = tenure({"init"}, environment);
  EXPECT_EQ(made.code, 0) << made.err;
  const Result ran = tenure({"run", "job", "--", "true"}, environment);
  EXPECT_EQ(ran.code, 0) << ran.err;
}

TEST_F(TlsProgramTest, AQuorumOfThreeWorksOverTlsAndHandsOver) {  // L1, L7
  std::vector<std::unique_ptr<RedisServer>> servers;
  Words urls;
  for (int i = 0; i < 3; ++i) {
    servers.push_back(std::make_unique<RedisServer>(RedisServer::Options{.tls = certificates_.server()}));
    urls.push_back(servers.back()->url());
  }
  ASSERT_EQ(tenure(Words{"init"} + redis_options(urls) + trusting()).code, 0);
  const auto first = start_tenure(Job{.options = trusting(), .command = stay()}.words(urls));
  const long token = number_printed(*first);
  const auto second =
      start_tenure(Job{.options = trusting(), .command = shell("echo $TENURE_TOKEN")}.words(urls));
  ASSERT_TRUE(wait_until([&] { return has(second->err(), "waiting for job: held by"); })) << second->err();
  first->send(SIGTERM);
  EXPECT_GT(number_printed(*second), token);
  EXPECT_EQ(second->exit_code(), 0) << second->err();
}

TEST_F(TlsProgramTest, ADatabaseAndAPasswordGoThroughTls) {
  RedisServer server(
      {.tls = certificates_.server(), .arguments = {"--requirepass", "gehe!m"}, .password = "gehe!m"});
  const std::string url = server.url(":gehe!m") + "/3";
  ASSERT_EQ(tenure(Words{"init", "--redis", url} + trusting()).code, 0);
  const Result ran = tenure(Job{.options = trusting(), .command = shell("env")}.words(url));
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_FALSE(has(ran.out, "gehe!m"));
  EXPECT_EQ(keys(server), Words{});
  server.command({"SELECT", "3"});
  EXPECT_EQ(keys(server), only_record);
}

TEST_F(TlsProgramTest, AServerThatCannotProveItselfIsRefused) {
  RedisServer expired(
      {.tls = certificates_.server({.from = std::chrono::hours(-48), .to = std::chrono::hours(-24)})});
  expect_refused(expired, with_secret(expired, "rediss"), trusting(), "certificate has expired");
  RedisServer self_signed({.tls = certificates_.server({.self_signed = true})});
  expect_refused(self_signed, with_secret(self_signed, "rediss"), trusting(), "is self-signed");
  RedisServer elsewhere({.tls = certificates_.server({.alternative_names = "DNS:elsewhere"})});
  expect_refused(
      elsewhere, with_secret(elsewhere, "rediss"), trusting(),
      "is not for 127.0.0.1; if it should be for another, give the server name to expect (--tls-name)");
  RedisServer good({.tls = certificates_.server()});
  const std::string untrusted =
      "the server's certificate is from a CA that is not trusted here; the CA file (--tls-ca) names those "
      "that are";
  expect_refused(good, with_secret(good, "rediss"), {}, untrusted);
  const Result examined = tenure({"doctor", "--redis", with_secret(good, "rediss")});
  for (const std::string start : {"DOWN (", "it is down: "}) {
    EXPECT_TRUE(has(examined.out, start + untrusted)) << examined.out;
  }
  const Result as_json = tenure({"doctor", "--json", "--redis", with_secret(good, "rediss")});
  EXPECT_TRUE(has(as_json.out, "\"reason\": \"" + untrusted + "\"")) << as_json.out;
  expect_refused(
      good, with_secret(good, "rediss"), trusting() + Words{"--tls-name", "elsewhere"},
      "is not for elsewhere; if it should be for another, give the server name to expect (--tls-name)");
}

TEST_F(TlsProgramTest, AServerThatAsksForACertificateSaysSo) {
  RedisServer server({.tls = certificates_.server_that_asks()});
  expect_refused(server, with_secret(server, "rediss"), trusting(),
                 "asks for a client certificate (--tls-cert and --tls-key)");
  const Identity identity = certificates_.issue();
  EXPECT_EQ(tenure(Words{"init", "--redis", server.url()} + tls_words(identity)).code, 0);
}

// A certificate that is being replaced is no reason to end.
TEST_F(TlsProgramTest, WhoCampaignsAgainDoesNotReadItsFilesAgain) {
  RedisServer server({.tls = certificates_.server()});
  ASSERT_EQ(tenure(Words{"init", "--redis", server.url()} + trusting()).code, 0);
  const Identity identity = certificates_.issue();
  const auto elect = start_tenure(Words{"elect", "leader", "--redis", server.url()} + tls_words(identity) +
                                  Words{"--lease", "2s", "--", "sh", "-c", "echo began; exec sleep 60"});
  ASSERT_TRUE(wait_until([&] { return elect->out() == "began\n"; })) << elect->err();
  std::filesystem::remove(identity.key_file);
  server.command({"DEL", "leader"});
  EXPECT_TRUE(wait_until([&] { return elect->out() == "began\nbegan\n"; })) << elect->err();
}

TEST_F(TlsProgramTest, APortThatSpeaksOtherwiseThanItsAddressSaysIsToldApart) {
  RedisServer plain({.tcp = true});
  expect_refused(plain, with_secret(plain, "rediss"), trusting(),
                 "this port does not speak TLS: it answers in plain text (its address begins with redis://)");
  RedisServer secure({.tls = certificates_.server()});
  expect_refused(secure, with_secret(secure, "redis"), {},
                 "this port speaks TLS: its address begins with rediss://");
}

TEST_F(TlsProgramTest, AServerThatSaysNothingIsGivenUpAfterTheNodeTimeout) {  // T8
  RedisServer server({.tls = certificates_.server()});
  Forwarder wire(std::to_string(server.port()), Forwarder::Listens::tcp);
  wire.hold();
  const std::string url = "rediss://:gehe!m@127.0.0.1:" + std::to_string(wire.port());
  const Result result = tenure(Job{.options = trusting() + Words{"--ttl", "2s"}}.words(url));
  EXPECT_EQ(result.code, 69);
  EXPECT_EQ(result.err,
            "tenure: rediss://:***@127.0.0.1:" + std::to_string(wire.port()) + "/0: no answer in time\n");
}

// Whoever gives a CA believes that TLS is spoken.
TEST_F(TlsProgramTest, OptionsOfTlsWithoutAnAddressThatAsksForItAreRefused) {
  RedisServer redis;
  const auto refused = [&](const Words& options, const Words& environment, const std::string& says) {
    const Result result = tenure(Words{"init", "--redis", redis.url()} + options, environment);
    EXPECT_EQ(result.code, 64) << result.err;
    EXPECT_EQ(result.err, "tenure: " + says + "\n");
  };
  const std::string why = " is for TLS, and no address asks for it: those begin with rediss://";
  for (const char* flag : {"--tls-ca", "--tls-cert", "--tls-key", "--tls-name"}) {
    refused({flag, "x"}, {}, flag + why);
    refused({flag, ""}, {}, std::string(flag) + ": it is empty");
  }
  refused({}, {"TENURE_TLS_CA=x"}, "TENURE_TLS_CA" + why);
  EXPECT_EQ(keys(redis), Words{});
}

TEST_F(TlsProgramTest, FilesThatAreOfNoUseAreNamedBeforeRedisIsAsked) {
  const auto says = [&](const Words& options) {
    const Result result = tenure(Words{"init", "--redis", "rediss://:gehe!m@127.0.0.1:1"} + options);
    EXPECT_EQ(result.code, 64) << result.err;
    EXPECT_FALSE(has(result.err, "gehe!m")) << result.err;
    return result.err;
  };
  const Identity one = certificates_.issue();
  const Identity other = certificates_.issue();
  EXPECT_TRUE(has(says({"--tls-ca", "/no/such"}), "\"/no/such\" cannot be read: No such file"));
  EXPECT_TRUE(has(says({"--tls-ca", one.key_file}), "holds no certificate"));
  EXPECT_TRUE(has(says({"--tls-cert", one.certificate_file}), "without its key (--tls-key)"));
  EXPECT_TRUE(
      has(says({"--tls-cert", one.certificate_file, "--tls-key", other.key_file}), "does not belong"));
  EXPECT_TRUE(has(says({"--tls-name", ".example.com"}),
                  "expect (--tls-name) is \".example.com\", which is not a host name"));
}

TEST_F(TlsProgramTest, AFileOfNoUseIsNamedByTheVariableThatGaveIt) {
  const auto says = [](const Words& environment) {
    return tenure({"init"}, Words{"TENURE_REDIS=rediss://127.0.0.1:1"} + environment).err;
  };
  EXPECT_EQ(
      says({"TENURE_TLS_CA=/no/such"}),
      "tenure: TLS: the CA file (TENURE_TLS_CA) \"/no/such\" cannot be read: No such file or directory\n");
  EXPECT_EQ(says({"TENURE_TLS_CERT=/no/such"}),
            "tenure: TLS: a client certificate (TENURE_TLS_CERT) is of no use without its key (--tls-key)\n");
}

}  // namespace
}  // namespace tenure::test
