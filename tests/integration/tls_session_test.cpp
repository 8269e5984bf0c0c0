// What TLS says for itself, between the two ends of one connection: a server of OpenSSL's, and our side.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <string>

#include "runtime/net/descriptor.hpp"
#include "runtime/net/tls.hpp"
#include "support/certificates.hpp"

namespace tenure::test {
namespace {

using runtime::Descriptor;
using runtime::Tls;
using runtime::TlsSession;

class TlsSessionTest : public ::testing::Test {
 protected:
  TlsSessionTest() {
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()) != 0) abort();
    ours_.reset(ends[0]);
    theirs_.reset(ends[1]);
    const Identity identity = certificates_.issue();
    SSL_CTX_use_certificate_chain_file(context_, identity.certificate_file.c_str());
    SSL_CTX_use_PrivateKey_file(context_, identity.key_file.c_str(), SSL_FILETYPE_PEM);
    server_ = SSL_new(context_);
    SSL_set_fd(server_, theirs_.get());
    SSL_set_accept_state(server_);
    const auto tls = Tls::load({.ca_file = certificates_.ca_file()}).value();
    session_.emplace(tls, "localhost", ours_.get());
  }
  ~TlsSessionTest() override {
    session_.reset();
    SSL_free(server_);
    SSL_CTX_free(context_);
  }

  void shake_hands() {
    bool done = false;
    for (int i = 0; i < 10 && !done; ++i) {
      const auto step = session_->shake_hands();
      ASSERT_TRUE(step) << step.error().detail;
      done = *step;
      SSL_do_handshake(server_);
    }
    ASSERT_TRUE(done);
  }

  std::string receive() {
    std::array<char, 100> buffer{};
    const auto got = session_->receive(buffer);
    return got ? std::string(buffer.data(), *got) : "failed: " + got.error().detail;
  }
  std::string heard_by_server() {
    std::array<char, 100> buffer{};
    const int got = SSL_read(server_, buffer.data(), static_cast<int>(buffer.size()));
    return got > 0 ? std::string(buffer.data(), static_cast<std::size_t>(got)) : "nothing";
  }
  bool readable() const {
    pollfd ready{ours_.get(), POLLIN, 0};
    return poll(&ready, 1, 0) == 1;
  }

  Certificates certificates_;
  Descriptor ours_;
  Descriptor theirs_;
  SSL_CTX* context_ = SSL_CTX_new(TLS_server_method());
  SSL* server_ = nullptr;
  std::optional<TlsSession> session_;
};

TEST_F(TlsSessionTest, TicketsAndNewKeysDoNotStirAnIdleConnection) {
  shake_hands();
  ASSERT_TRUE(readable()) << "the tickets that a server of TLS 1.3 sends by itself";
  EXPECT_FALSE(session_->stirred());
  EXPECT_FALSE(readable());
  SSL_key_update(server_, SSL_KEY_UPDATE_REQUESTED);
  SSL_do_handshake(server_);
  ASSERT_TRUE(readable());
  EXPECT_FALSE(session_->stirred());
  ASSERT_TRUE(session_->send("PING"));
  EXPECT_EQ(heard_by_server(), "PING");
  SSL_write(server_, "+PONG\r\n", 7);
  EXPECT_TRUE(session_->stirred());
  EXPECT_EQ(receive(), "+PONG\r\n") << "looking must not take it away";
}

TEST_F(TlsSessionTest, WhatIsInStoreIsToldThoughNoPollWould) {
  shake_hands();
  SSL_write(server_, "abc", 3);
  std::array<char, 1> byte{};
  ASSERT_EQ(session_->receive(byte).value_or(0), 1U);
  EXPECT_FALSE(readable());
  EXPECT_TRUE(session_->buffered());
  EXPECT_EQ(receive(), "bc");
  EXPECT_FALSE(session_->buffered());
  EXPECT_EQ(receive(), "") << "none for now";
}

TEST_F(TlsSessionTest, AnEndIsSeenAndTold) {
  shake_hands();
  receive();  // the tickets
  SSL_shutdown(server_);
  EXPECT_TRUE(session_->stirred());
  const auto after = session_->send("x");
  ASSERT_FALSE(after);
  EXPECT_EQ(after.error().code, core::FailureCode::closed);
}

TEST_F(TlsSessionTest, OurEndIsToldToTheServer) {
  shake_hands();
  session_.reset();
  EXPECT_EQ(heard_by_server(), "nothing");
  EXPECT_TRUE((SSL_get_shutdown(server_) & SSL_RECEIVED_SHUTDOWN) != 0);
}

TEST_F(TlsSessionTest, AChildThatWasForkedDoesNotEndTheConnectionOfItsParent) {
  shake_hands();
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    session_.reset();
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  EXPECT_EQ(heard_by_server(), "nothing");
  EXPECT_EQ(SSL_get_shutdown(server_), 0);
  ASSERT_TRUE(session_->send("PING"));
  EXPECT_EQ(heard_by_server(), "PING");
}

TEST_F(TlsSessionTest, AServerThatIsGoneIsAFailureAndNoSignal) {
  shake_hands();
  SSL_set_quiet_shutdown(server_, 1);
  theirs_.reset();
  const auto sent = session_->send("PING");  // SIGPIPE would end the test
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().code, core::FailureCode::closed);
}

// In TLS 1.3 our side is done before the server looks for our certificate.
TEST_F(TlsSessionTest, WhatAServerSaidBeforeItHungUpIsTheReasonAlsoOfASend) {
  SSL_set_verify(server_, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  shake_hands();
  theirs_.reset();
  const auto sent = session_->send("PING");
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().code, core::FailureCode::tls);
  EXPECT_EQ(sent.error().detail, "the server asks for a client certificate");
}

TEST_F(TlsSessionTest, AFullSocketIsWaitedForAndNothingIsLost) {
  shake_hands();
  const std::string block(100'000, 'x');
  std::size_t sent = 0;
  while (true) {
    const auto went = session_->send(block);
    ASSERT_TRUE(went);
    if (*went == 0) break;
    sent += *went;
  }
  EXPECT_EQ(session_->events_to_send(), POLLOUT);
  std::size_t heard = 0;
  const auto drain = [&] {
    std::string buffer(100'000, ' ');
    int got = 0;
    while ((got = SSL_read(server_, buffer.data(), static_cast<int>(buffer.size()))) > 0) {
      heard += static_cast<std::size_t>(got);
      EXPECT_EQ(buffer.find_first_not_of('x'), buffer.find(' '));
    }
  };
  drain();
  const std::string moved(block.size(), 'x');  // from another place in memory
  const auto rest = session_->send(moved);
  ASSERT_TRUE(rest) << rest.error().detail;
  drain();
  EXPECT_EQ(heard, sent + *rest);
}

TEST_F(TlsSessionTest, AnOlderTlsIsRefused) {
  SSL_set_min_proto_version(server_, TLS1_VERSION);
  SSL_set_max_proto_version(server_, TLS1_1_VERSION);
  SSL_set_security_level(server_, 0);
  for (int i = 0; i < 10; ++i) {
    const auto step = session_->shake_hands();
    if (!step) {
      EXPECT_EQ(step.error().detail,
                "the server speaks no version of TLS that is trusted here (1.2 or later)");
      return;
    }
    ASSERT_FALSE(*step);
    SSL_do_handshake(server_);
  }
  FAIL() << "it goes on for ever";
}

}  // namespace
}  // namespace tenure::test
