// A client that takes its nodes from the environment, as the program does.
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "integration/api.hpp"
#include "support/certificates.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;
using Code = Refusal::Code;

constexpr std::array variables{"TENURE_STORE",   "TENURE_REDIS",    "TENURE_REDIS_FILE", "REDIS_URL",
                               "TENURE_TTL_MAX", "TENURE_NODE_SET", "TENURE_TLS_CA",     "TENURE_TLS_CERT",
                               "TENURE_TLS_KEY", "TENURE_TLS_NAME"};

class FromEnvironmentTest : public ::testing::Test {
 protected:
  FromEnvironmentTest() { clear(); }
  ~FromEnvironmentTest() override { clear(); }

  static void clear() {
    for (const char* name : variables) unsetenv(name);
  }
  static void set(const char* name, const std::string& value) { setenv(name, value.c_str(), 1); }

  static std::vector<std::string> nodes_of(const tl::expected<Client, Refusal>& client) {
    std::vector<std::string> addresses;
    if (!client) return {client.error().message};
    for (const auto& node : client->health(1s).nodes) addresses.push_back(node.address);
    return addresses;
  }
  static void expect_refused(const std::string& says, ClientOptions options = {}) {
    const auto client = Client::from_environment(std::move(options));
    ASSERT_FALSE(client) << says;
    EXPECT_EQ(client.error().code, Code::usage);
    EXPECT_NE(client.error().message.find(says), std::string::npos) << client.error().message;
  }
};

using Urls = std::vector<std::string>;

TEST_F(FromEnvironmentTest, AListNamesTheNodes) {
  Nodes nodes(3);
  std::string list;
  for (const auto& url : urls_of(nodes)) list += (list.empty() ? "" : ", ") + url;
  set("TENURE_REDIS", list);
  const auto client = Client::from_environment({.id = "web-1"});
  EXPECT_EQ(nodes_of(client), urls_of(nodes));
  EXPECT_EQ(client->id(), "web-1") << "what the environment does not name is as the options say";
  EXPECT_TRUE(client->lock("a").try_acquire());
}

TEST_F(FromEnvironmentTest, TheFirstOfThreeVariablesCounts) {
  Nodes nodes(1);
  const std::string file = nodes[0].directory() / "nodes";
  std::ofstream(file) << "# ours\nunix:///from-the-file\n";
  EXPECT_EQ(nodes_of(Client::from_environment()), Urls{"redis://127.0.0.1:6379/0"});
  EXPECT_EQ(nodes_of(Client::from_environment({.nodes = {"unix:///from-the-options"}})),
            Urls{"unix:///from-the-options"});
  set("REDIS_URL", "unix:///from-redis-url");
  EXPECT_EQ(nodes_of(Client::from_environment({.nodes = {"unix:///from-the-options"}})),
            Urls{"unix:///from-redis-url"});
  set("TENURE_REDIS_FILE", file);
  EXPECT_EQ(nodes_of(Client::from_environment()), Urls{"unix:///from-the-file"});
  set("TENURE_REDIS", "unix:///from-the-list");
  EXPECT_EQ(nodes_of(Client::from_environment()), Urls{"unix:///from-the-list"});
  set("TENURE_REDIS", "");
  EXPECT_EQ(nodes_of(Client::from_environment()), Urls{"unix:///from-the-file"}) << "empty counts as unset";
}

TEST_F(FromEnvironmentTest, StoreIsAnotherWordForRedis) {
  set("REDIS_URL", "unix:///from-redis-url");
  set("TENURE_STORE", "unix:///a, unix:///b");
  EXPECT_EQ(nodes_of(Client::from_environment()), (Urls{"unix:///a", "unix:///b"}));
  set("TENURE_REDIS", "unix:///a, unix:///b");
  EXPECT_EQ(nodes_of(Client::from_environment()), (Urls{"unix:///a", "unix:///b"})) << "both say the same";
  set("TENURE_STORE", "");
  EXPECT_EQ(nodes_of(Client::from_environment()), (Urls{"unix:///a", "unix:///b"}))
      << "empty counts as unset";
}

TEST_F(FromEnvironmentTest, TwoWordsThatNameDifferentNodesAreRefused) {
  set("TENURE_STORE", "redis://:hunter2@a");
  set("TENURE_REDIS", "redis://:hunter2@b");
  expect_refused("TENURE_STORE and TENURE_REDIS name different nodes: set one of them");
  EXPECT_EQ(Client::from_environment().error().message.find("hunter2"), std::string::npos);
}

TEST_F(FromEnvironmentTest, CapAndSetAreRead) {
  Nodes long_ones(1, core::Ttl(90'000));
  set("TENURE_REDIS", long_ones[0].url());
  EXPECT_EQ(Client::from_environment()->lock("a").try_acquire().error().code, Code::not_open);
  set("TENURE_TTL_MAX", "90s");
  EXPECT_TRUE(Client::from_environment()->lock("a").try_acquire());
  unsetenv("TENURE_TTL_MAX");

  Nodes nodes(3);
  ClientOptions options = options_for(nodes);
  unsetenv("TENURE_REDIS");
  EXPECT_TRUE(Client::from_environment(options)->lock("a").try_acquire());
  set("TENURE_NODE_SET", "another");
  EXPECT_EQ(Client::from_environment(options)->lock("a").try_acquire().error().code, Code::not_open);
}

TEST_F(FromEnvironmentTest, TlsIsSetUp) {
  Certificates certificates;
  Nodes nodes(1, cap_default, {.tls = certificates.server()});
  set("TENURE_REDIS", nodes[0].url());
  EXPECT_FALSE(Client::from_environment()->health().quorum) << "the system does not trust that CA";
  set("TENURE_TLS_CA", certificates.ca_file());
  EXPECT_TRUE(Client::from_environment()->lock("a").try_acquire());
  set("TENURE_TLS_NAME", "elsewhere");
  EXPECT_FALSE(Client::from_environment()->health().quorum);
}

TEST_F(FromEnvironmentTest, AVariableThatIsWrongIsNamedAndItsSecretsAreNot) {
  set("TENURE_REDIS", "redis://u:hunter2@host:notaport");
  expect_refused("TENURE_REDIS: ");
  EXPECT_EQ(Client::from_environment().error().message.find("hunter2"), std::string::npos);
  set("TENURE_REDIS", "redis://a,redis://a");
  expect_refused("TENURE_REDIS: redis://a:6379/0 is given twice");
  unsetenv("TENURE_REDIS");
  set("TENURE_STORE", "redis://a,redis://a");
  expect_refused("TENURE_STORE: redis://a:6379/0 is given twice");
  unsetenv("TENURE_STORE");
  set("TENURE_REDIS", "redis://a");
  set("TENURE_TTL_MAX", "90");
  expect_refused("TENURE_TTL_MAX: \"90\" has no unit");
  set("TENURE_TTL_MAX", "25h");
  expect_refused("TENURE_TTL_MAX: 25h is not between 100ms and 24h");
  set("TENURE_TTL_MAX", "1ms");
  expect_refused("TENURE_TTL_MAX: 1ms is not between 100ms and 24h");
  unsetenv("TENURE_TTL_MAX");
  set("TENURE_NODE_SET", "not a name");
  expect_refused("TENURE_NODE_SET: the name of a set of nodes has letters");
  unsetenv("TENURE_NODE_SET");
  set("TENURE_TLS_KEY", "/no/such");
  expect_refused("TENURE_TLS_KEY is for TLS, and no address asks for it");
  clear();
  set("TENURE_TLS_CA", "/no/such");
  expect_refused("bad Redis address", {.nodes = {"http://a"}});
  clear();
  set("TENURE_REDIS_FILE", "/no/such/file");
  expect_refused("TENURE_REDIS_FILE: /no/such/file cannot be read");
}

TEST_F(FromEnvironmentTest, AVariableByWhichTlsCannotBeSetUpIsNamed) {
  set("TENURE_REDIS", "rediss://a");
  set("TENURE_TLS_CA", "/no/such/ca");
  expect_refused(R"(TENURE_TLS_CA: the CA file "/no/such/ca" cannot be read)");
  const Certificates certificates;
  set("TENURE_TLS_CA", certificates.ca_file());
  set("TENURE_TLS_CERT", "/no/such/certificate");
  expect_refused("TENURE_TLS_CERT: a client certificate is of no use without its key");
  expect_refused(R"(TENURE_TLS_CERT: the certificate file "/no/such/certificate" cannot be read)",
                 {.tls = {.key_file = "/no/such/key"}});
  set("TENURE_TLS_KEY", "/no/such/key");
  expect_refused("TENURE_TLS_CERT, TENURE_TLS_KEY: the certificate file");
  unsetenv("TENURE_TLS_CERT");
  unsetenv("TENURE_TLS_KEY");
  set("TENURE_TLS_NAME", "no name");
  expect_refused("TENURE_TLS_NAME: the server name to expect is");
  unsetenv("TENURE_TLS_NAME");
  expect_refused("the certificate file", {.tls = {.certificate_file = "/no/such", .key_file = "/no/such"}});
}

TEST_F(FromEnvironmentTest, AFileThatOthersCanReadIsToldToTheLog) {
  Nodes nodes(1);
  const auto file = nodes[0].directory() / "nodes";
  std::ofstream(file) << "redis://user:secret@127.0.0.1\n";
  std::filesystem::permissions(file, std::filesystem::perms(0640));
  set("TENURE_REDIS_FILE", file);
  Record<std::string> told;
  const auto client =
      Client::from_environment({.on_log = [&](const LogLine& line) { told.add(line.message); }});
  ASSERT_TRUE(client) << client.error().message;
  ASSERT_TRUE(wait_until([&] { return !told.all().empty(); }));
  EXPECT_NE(told.all()[0].find("holds a password, and others can read it"), std::string::npos)
      << told.all()[0];
}

}  // namespace
}  // namespace tenure::test
