// Servers that let a client in or do not, and databases that are not ready for leases: a sentence that says what to do, and never
// the password.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "postgres/contender.hpp"
#include "postgres/schema.hpp"

namespace tenure::test {
namespace {

constexpr auto password = "pa55-w0rd";

// A file that libpq finds by the environment, for nobody else to read.
class FileInEnvironment {
 public:
  FileInEnvironment(const char* variable, const std::string& text) : variable_(variable) {
    std::ofstream(path_) << text;
    chmod(path_.c_str(), S_IRUSR | S_IWUSR);
    setenv(variable, path_.c_str(), 1);
  }
  ~FileInEnvironment() {
    unsetenv(variable_);
    std::filesystem::remove(path_);
  }
  FileInEnvironment(const FileInEnvironment&) = delete;
  FileInEnvironment& operator=(const FileInEnvironment&) = delete;

 private:
  const char* variable_;
  std::string path_ = testing::TempDir() + "tenure-libpq-" + std::to_string(getpid());
};

// A server that wants a password, over TCP; and who comes there.
class Connecting : public testing::Test {
 protected:
  // What an acquire is answered; nothing that anybody is shown has the password.
  std::string said_to_one_at(const std::string& url) {
    const auto node = node_at(url);
    EXPECT_EQ(node->name().find(password), std::string::npos) << node->name();
    Contender client(node, "web-1");
    const std::string said = client.acquire();
    detail = client.failure().detail;
    applied = client.failure().applied;
    EXPECT_EQ(detail.find(password), std::string::npos) << detail;
    return said;
  }
  bool told(const std::string& part) const { return detail.find(part) != std::string::npos; }

  PostgresServer server{{.tcp = true, .trust = false, .password = password}};
  std::string detail;
  core::Applied applied = core::Applied::perhaps;
};

TEST_F(Connecting, WhoIsNotLetInIsToldWhyAndNotWithWhichPassword) {
  set_up(server);
  EXPECT_EQ(said_to_one_at(server.url()), "granted");

  EXPECT_EQ(said_to_one_at(server.url_of(std::string("tenure:") + password + "-wrong")), "auth");
  EXPECT_TRUE(told("password authentication failed")) << detail;
  EXPECT_EQ(applied, core::Applied::no);
  EXPECT_EQ(said_to_one_at(server.url_of("tenure")), "auth") << "with none";
  EXPECT_TRUE(told("password")) << detail;
  EXPECT_EQ(said_to_one_at(server.url_of(std::string("nobody:") + password)), "auth");
  EXPECT_EQ(said_to_one_at(server.url_of(std::string("tenure:") + password, "elsewhere")), "auth");
  EXPECT_TRUE(told("no such database")) << detail;
  EXPECT_EQ(said_to_one_at(server.url() + "?sslmode=require"), "tls");
  EXPECT_TRUE(told("SSL")) << detail;

  const std::string nowhere = "postgresql://tenure:" + std::string(password) +
                              "@127.0.0.1:" + std::to_string(free_server_port()) + "/tenure";
  EXPECT_EQ(said_to_one_at(nowhere), "unreachable");
  EXPECT_EQ(applied, core::Applied::no);
  EXPECT_EQ(said_to_one_at("postgresql://tenure:" + std::string(password) + "@/tenure?host=/nonexistent"),
            "unreachable");
}

// Also where Tenure has found the address of the host itself: libpq looks a password up by the name.
TEST_F(Connecting, APasswordMayStandInAPasswordFile) {
  set_up(server);
  const std::string port = std::to_string(server.port());
  const FileInEnvironment file("PGPASSFILE", "localhost:" + port + ":tenure:tenure:" + password + "\n");
  EXPECT_EQ(said_to_one_at("postgresql://tenure@localhost:" + port + "/tenure"), "granted") << detail;
  EXPECT_EQ(said_to_one_at(server.url_of("tenure")), "auth") << "of 127.0.0.1 it says nothing";
  EXPECT_TRUE(told("password")) << detail;
}

TEST_F(Connecting, AServiceFileMaySayAllOfIt) {
  set_up(server);
  const FileInEnvironment file("PGSERVICEFILE",
                               "[leases]\nhost=localhost\nport=" + std::to_string(server.port()) +
                                   "\ndbname=tenure\nuser=tenure\npassword=" + password + "\n");
  EXPECT_EQ(node_at("postgresql://?service=leases")->name(), "postgresql:///?service=leases");
  EXPECT_EQ(said_to_one_at("postgresql://?service=leases"), "granted") << detail;
  EXPECT_EQ(said_to_one_at("postgresql://nobody@/?service=leases"), "auth") << "what the URL says wins";
  EXPECT_EQ(said_to_one_at("postgresql://?service=unknown"), "unreachable");
  EXPECT_TRUE(told("\"unknown\"")) << detail;
  setenv("PGSERVICE", "leases", 1);
  EXPECT_EQ(said_to_one_at("postgresql://"), "granted") << detail;
  unsetenv("PGSERVICE");
}

TEST_F(Connecting, ADatabaseWithoutTheSchemaOrWithAnotherIsNotSetUp) {
  EXPECT_EQ(said_to_one_at(server.url()), "not set up");
  EXPECT_TRUE(told("tenure init")) << detail;
  EXPECT_EQ(applied, core::Applied::no);

  set_up(server);
  const auto make = [&](int version) {
    server.execute(
        "CREATE OR REPLACE FUNCTION tenure.schema_version() RETURNS integer LANGUAGE sql IMMUTABLE AS "
        "'SELECT " +
        std::to_string(version) + "'");
  };
  make(postgres::schema_version - 1);
  EXPECT_EQ(said_to_one_at(server.url()), "not set up");
  EXPECT_TRUE(told("of version " + std::to_string(postgres::schema_version - 1))) << detail;
  EXPECT_TRUE(told("tenure init upgrades it")) << detail;
  make(postgres::schema_version + 1);
  EXPECT_EQ(said_to_one_at(server.url()), "not set up");
  EXPECT_TRUE(told("of version " + std::to_string(postgres::schema_version + 1))) << detail;
  EXPECT_TRUE(told("use a newer tenure")) << detail;
  // Of one so different that the functions are called in another way, too.
  server.execute("DROP FUNCTION tenure.admit");
  EXPECT_EQ(said_to_one_at(server.url()), "not set up");
  EXPECT_TRUE(told("tenure init")) << detail;

  // What is not Tenure's own is in no danger of being taken for it.
  server.execute("SET client_min_messages = error; DROP SCHEMA tenure CASCADE");
  server.execute("CREATE SCHEMA tenure AUTHORIZATION tenure CREATE TABLE record (temperature float)");
  EXPECT_EQ(said_to_one_at(server.url()), "not set up");
}

// The schema goes and comes while a client is connected: it finds its way back by itself.
TEST_F(Connecting, ASchemaThatIsMadeAnewUnderAConnectionIsFoundAgain) {
  set_up(server);
  Contender client(server);
  ASSERT_EQ(client.acquire(), "granted");
  ASSERT_EQ(client.renew(), "done");
  server.execute("SET client_min_messages = error; DROP SCHEMA tenure CASCADE");
  EXPECT_EQ(client.acquire("another"), "not set up");
  EXPECT_EQ(client.acquire("another"), "not set up");
  set_up(server);
  EXPECT_EQ(client.acquire("another"), "granted");
  EXPECT_GT(client.token("another"), client.token());
  EXPECT_EQ(client.renew("another"), "done");
}

}  // namespace
}  // namespace tenure::test
