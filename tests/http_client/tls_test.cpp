// Servers that prove who they are, those that do not, and what we prove to them.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "http_client/calling.hpp"
#include "support/certificates.hpp"
#include "support/fake_server.hpp"
#include "support/web_server.hpp"

namespace tenure::test {
namespace {

using core::Applied;
using core::FailureCode;
using namespace std::chrono_literals;

std::string text_of(const std::string& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

class HttpTls : public testing::Test {
 protected:
  static bool say_host(const WebServer::Request& request, WebServer::Guest& guest) {
    return guest.answer(200, request.headers.at("host"));
  }
  WebServer::Tls with(const CertificateWish& wish = {}) { return {certificates.issue(wish), {}}; }
  http_client::HttpServer at(const WebServer& server) const {
    return {.base = server.base(), .ca_file = certificates.ca_file()};
  }
  static void expect_refused(http_client::HttpServer server, const std::string& says) {
    Calling client(std::move(server));
    const auto answer = client.call(
        {.method = "PUT", .target = "/", .headers = {"Authorization: Bearer secret"}, .timeout = 10s});
    ASSERT_FALSE(answer) << "it was believed";
    EXPECT_EQ(answer.error().code, FailureCode::tls) << answer.error().detail;
    EXPECT_EQ(answer.error().applied, Applied::no);
    EXPECT_NE(answer.error().detail.find(says), std::string::npos) << answer.error().detail;
    EXPECT_EQ(answer.error().detail.find("secret"), std::string::npos);
  }

  Certificates certificates;
};

TEST_F(HttpTls, AServerIsBelievedByTheFileOrTheTextOfItsCa) {
  WebServer server(say_host, with());
  Calling by_file(at(server));
  const auto answer = by_file.get("/");
  ASSERT_TRUE(answer) << answer.error().detail;
  EXPECT_EQ("https://" + answer->body, server.base());
  Calling by_text({.base = server.base(), .ca_text = text_of(certificates.ca_file())});
  EXPECT_TRUE(by_text.get("/"));
}

TEST_F(HttpTls, ManyCallsAtOnceToOneThatSpeaksNoHttp2AreAnswered) {
  WebServer server(say_host, with());
  Calling client(at(server));
  for (int i = 0; i < 20; ++i) client.begin({.method = "GET", .target = "/", .timeout = 10s});
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(client.next()->answer);
}

TEST_F(HttpTls, OneOfAnotherCaIsRefused) {
  WebServer server(say_host, with());
  const Certificates others;
  expect_refused({.base = server.base(), .ca_file = others.ca_file()}, "from a CA that is not trusted here");
  expect_refused({.base = server.base(), .ca_text = text_of(others.ca_file())},
                 "from a CA that is not trusted here");
  expect_refused({.base = server.base()}, "from a CA that is not trusted here");
}

TEST_F(HttpTls, OneOfAnotherNameIsRefused) {
  WebServer server(say_host, with({.alternative_names = "DNS:elsewhere.test"}));
  expect_refused(at(server), "is not for 127.0.0.1");
}

TEST_F(HttpTls, AnotherNameIsBelievedWhereItIsExpected) {
  WebServer server(say_host, with({.alternative_names = "DNS:kubernetes.default"}));
  auto expecting = at(server);
  expecting.server_name = "kubernetes.default";
  Calling client(expecting);
  const auto answer = client.get("/");
  ASSERT_TRUE(answer) << answer.error().detail;
  EXPECT_EQ("https://" + answer->body, server.base()) << "what we call it by is the address all the same";
  auto other = at(server);
  other.server_name = "another.test";
  expect_refused(other, "is not for another.test");
}

TEST_F(HttpTls, OneWhoseCertificateHasRunOutIsRefused) {
  WebServer server(say_host, with({.from = -48h, .to = -24h}));
  expect_refused(at(server), "has expired");
}

TEST_F(HttpTls, OneThatSpeaksPlainTextIsRefused) {
  const FakeServer server(Said{"HTTP/1.1 400 Bad Request\r\n\r\n"});
  expect_refused({.base = "https://127.0.0.1:" + std::to_string(server.port())}, "does not speak TLS");
}

TEST_F(HttpTls, WhoWantsNoProofBelievesAnybody) {
  WebServer server(say_host, with({.alternative_names = "DNS:elsewhere.test", .self_signed = true}));
  expect_refused(at(server), "self-signed");
  Calling client({.base = server.base(), .verify = false});
  EXPECT_TRUE(client.get("/"));
}

TEST_F(HttpTls, OurCertificateIsShownFromFilesOrText) {
  WebServer server(say_host, {certificates.issue(), certificates.ca_file()});
  const Identity ours = certificates.issue();
  auto by_file = at(server);
  by_file.certificate = ours.certificate_file;
  by_file.key = ours.key_file;
  Calling first(by_file);
  const auto answer = first.get("/");
  EXPECT_TRUE(answer) << answer.error().detail;
  auto by_text = at(server);
  by_text.certificate = text_of(ours.certificate_file);
  by_text.key = text_of(ours.key_file);
  Calling second(by_text);
  EXPECT_TRUE(second.get("/"));
}

// In TLS 1.3 the handshake is over for us by then, so that something was sent.
TEST_F(HttpTls, AServerThatWantsACertificateAndGetsNoneIsToldSo) {
  WebServer server(say_host, {certificates.issue(), certificates.ca_file()});
  Calling client(at(server));
  const auto answer = client.get("/");
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, FailureCode::tls);
  EXPECT_EQ(answer.error().detail, "the server asks for a client certificate");
}

TEST_F(HttpTls, AKeyThatCannotBeUsedIsTold) {
  WebServer server(say_host, {certificates.issue(), certificates.ca_file()});
  const Identity ours = certificates.issue();
  auto wrong = at(server);
  wrong.certificate = ours.certificate_file;
  wrong.key = certificates.issue().key_file;
  expect_refused(wrong, "our client certificate or its key cannot be used");
  wrong.key = certificates.lock(ours, "passphrase");
  expect_refused(wrong, "our client certificate or its key cannot be used");
  wrong.key = "/nonexistent";
  expect_refused(wrong, "our client certificate or its key cannot be used");
}

TEST_F(HttpTls, ACaFileThatIsNotThereIsNamed) {
  WebServer server(say_host, with());
  expect_refused({.base = server.base(), .ca_file = "/nonexistent/ca.pem"}, "/nonexistent/ca.pem");
}

}  // namespace
}  // namespace tenure::test
