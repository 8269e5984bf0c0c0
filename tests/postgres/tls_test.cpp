// TLS as libpq speaks it: who is asked to be verified is, by certificate and by name, or gets no request.
#include <gtest/gtest.h>

#include "postgres/contender.hpp"
#include "support/certificates.hpp"

namespace tenure::test {
namespace {

class Tls : public testing::Test {
 protected:
  Tls() { set_up(server); }

  std::string url_at(const std::string& host, const std::string& options) const {
    return "postgresql://tenure@" + host + ":" + std::to_string(server.port()) + "/tenure?" + options;
  }
  std::string verified_at(const std::string& host, const std::string& ca_file) const {
    return url_at(host, "sslmode=verify-full&sslrootcert=" + ca_file);
  }
  // What an acquire is answered there; what is not, is not known to have been asked at all.
  std::string said_at(const std::string& url) {
    Contender client(url);
    const std::string said = client.acquire();
    detail = client.failure().detail;
    if (said == "granted") {
      encrypted = server.query(
          "SELECT bool_and(s.ssl) FROM pg_stat_ssl s JOIN pg_stat_activity a USING (pid) WHERE a.usename = "
          "'tenure'");
      EXPECT_EQ(client.release(), "done");
    } else {
      EXPECT_EQ(client.failure().applied, core::Applied::no);
    }
    return said;
  }
  bool told(const std::string& part) const { return detail.find(part) != std::string::npos; }

  Certificates certificates;
  // A certificate has names: that of the host in the URL must be among them, also where it is found at an address.
  PostgresServer server{
      {.tcp = true, .identity = certificates.issue({.alternative_names = "DNS:localhost"})}};
  std::string detail;
  std::string encrypted;
};

TEST_F(Tls, AServerThatProvesWhoItIsGivesLeases) {
  EXPECT_EQ(said_at(verified_at("localhost", certificates.ca_file())), "granted") << detail;
  EXPECT_EQ(encrypted, "t");
  EXPECT_EQ(said_at(url_at("localhost", "sslmode=disable")), "granted") << detail;
  EXPECT_EQ(encrypted, "f") << "or the other one says nothing";
}

TEST_F(Tls, AServerThatDoesNotProveItIsRefusedWithASentence) {
  const Certificates others;
  EXPECT_EQ(said_at(verified_at("localhost", others.ca_file())), "tls");
  EXPECT_TRUE(told("certificate verify failed")) << detail;
  EXPECT_EQ(said_at(verified_at("localhost:1,localhost", others.ca_file())), "tls");
  EXPECT_TRUE(told("certificate verify failed")) << "and not only that nobody is at the first: " << detail;
  EXPECT_EQ(said_at(verified_at("127.0.0.1", certificates.ca_file())), "tls")
      << "the certificate does not name that";
  EXPECT_TRUE(told("does not match host name \"127.0.0.1\"")) << detail;
  EXPECT_EQ(said_at(verified_at("localhost", "/nonexistent/ca.pem")), "tls");
  EXPECT_TRUE(told("/nonexistent/ca.pem")) << detail;
  EXPECT_EQ(said_at(url_at("127.0.0.1", "sslmode=verify-ca&sslrootcert=" + others.ca_file())), "tls");
  EXPECT_EQ(said_at(url_at("127.0.0.1", "sslmode=verify-ca&sslrootcert=" + certificates.ca_file())),
            "granted")
      << detail;
}

}  // namespace
}  // namespace tenure::test
