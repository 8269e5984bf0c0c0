// The network between clients and servers: does it do to requests and answers what it is asked for?
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <gtest/gtest.h>

#include <array>

#include "redis/encode.hpp"
#include "runtime/boot_clock.hpp"
#include "support/proxy.hpp"
#include "support/redis_connection.hpp"
#include "support/redis_server.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;
using runtime::boot_now;
using runtime::Descriptor;

class Caller {
 public:
  explicit Caller(const std::string& url) : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1))));
    if (connect(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
      ADD_FAILURE() << "nobody listens at " << url;
  }

  void send(const std::vector<std::string>& command) const {
    std::string bytes;
    redis::append_command(bytes, command);
    EXPECT_EQ(::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
  }
  // What has come after that time; "gone" where nobody is there any more.
  std::string heard(std::chrono::milliseconds within = 5s) const {
    const timeval patience{.tv_sec = within / 1s, .tv_usec = within % 1s / 1us};
    setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    std::array<char, 256> block{};
    const auto got = recv(socket_.get(), block.data(), block.size(), 0);
    if (got < 0 && errno == EAGAIN) return "";
    return got <= 0 ? "gone" : std::string(block.data(), static_cast<std::size_t>(got));
  }

 private:
  Descriptor socket_;
};

class ProxyTest : public testing::Test {
 protected:
  std::string value(const std::string& key) { return redis.command({"GET", key}).text; }
  bool becomes(const std::string& key, const std::string& wanted) {
    return wait_until([&] { return value(key) == wanted; });
  }

  RedisServer redis;
  Proxy proxy{{redis.socket_path()}, {.clients = 2}};
  static constexpr Proxy::Way way{0, 0};
  static constexpr Proxy::Way other{1, 0};
};

TEST_F(ProxyTest, PassesRequestsAndAnswersOn) {
  const Caller caller(proxy.url(way));
  caller.send({"PING"});
  EXPECT_EQ(caller.heard(), "+PONG\r\n");
}

TEST_F(ProxyTest, WhatIsHeldComesLaterAlsoWhenItsSenderIsGone) {
  proxy.set(way, {.requests_held = true});
  {
    const Caller caller(proxy.url(way));
    caller.send({"SET", "a", "1"});
    EXPECT_EQ(caller.heard(200ms), "");
  }
  EXPECT_EQ(value("a"), "");
  proxy.set(way, {});
  EXPECT_TRUE(becomes("a", "1"));
}

TEST_F(ProxyTest, AnswersCanBeHeldAlone) {
  const Caller caller(proxy.url(way));
  proxy.set(way, {.answers_held = true});
  caller.send({"SET", "a", "1"});
  EXPECT_TRUE(becomes("a", "1"));
  EXPECT_EQ(caller.heard(200ms), "");
  proxy.set(way, {});
  EXPECT_EQ(caller.heard(), "+OK\r\n");
}

TEST_F(ProxyTest, WhatIsLostNeverComes) {
  const Caller caller(proxy.url(way));
  proxy.set(way, {.requests_held = true});
  caller.send({"SET", "a", "1"});
  EXPECT_EQ(caller.heard(100ms), "");
  proxy.lose(way);
  proxy.set(way, {});
  EXPECT_EQ(caller.heard(), "gone");
  EXPECT_EQ(value("a"), "");
}

TEST_F(ProxyTest, OneClientIsCutOffAndAnotherIsNot) {
  const Caller before(proxy.url(way));
  proxy.set(way, {.cut = true});
  EXPECT_EQ(before.heard(), "gone");
  EXPECT_EQ(Caller(proxy.url(way)).heard(), "gone");
  const Caller another(proxy.url(other));
  another.send({"PING"});
  EXPECT_EQ(another.heard(), "+PONG\r\n");
}

TEST_F(ProxyTest, NobodyReachesANodeThatIsIsolatedWhateverTheWeather) {
  proxy.isolate(0, true);
  proxy.set(way, {});
  EXPECT_EQ(Caller(proxy.url(way)).heard(), "gone");
  EXPECT_EQ(Caller(proxy.url(other)).heard(), "gone");
  proxy.isolate(0, false);
  const Caller caller(proxy.url(way));
  caller.send({"PING"});
  EXPECT_EQ(caller.heard(), "+PONG\r\n");
}

TEST_F(ProxyTest, ADelayCountsBothWays) {
  const Caller caller(proxy.url(way));
  proxy.set(way, {.delay = 100ms});
  const auto before = boot_now();
  caller.send({"PING"});
  EXPECT_EQ(caller.heard(), "+PONG\r\n");
  EXPECT_GE(boot_now() - before, 200ms);
}

TEST_F(ProxyTest, SingleBytesAreTheSameBytes) {
  const Caller caller(proxy.url(way));
  proxy.set(way, {.single_bytes = true});
  caller.send({"SET", "a", std::string(2'000, 'x')});
  EXPECT_TRUE(becomes("a", std::string(2'000, 'x')));
  EXPECT_EQ(caller.heard().front(), '+');
}

TEST_F(ProxyTest, TheLastCommandsComeOnceMore) {
  {
    const Caller caller(proxy.url(way));
    for (const char* key : {"a", "b", "c"}) {
      caller.send({"INCR", key});
      EXPECT_EQ(caller.heard(), ":1\r\n");
    }
  }
  proxy.replay(way, 2);
  EXPECT_TRUE(becomes("c", "2"));
  EXPECT_EQ(value("b"), "2");
  EXPECT_EQ(value("a"), "1");
  proxy.forget(0);
  proxy.replay(way, 2);
  const Caller caller(proxy.url(way));
  caller.send({"PING"});
  EXPECT_EQ(caller.heard(), "+PONG\r\n");
  EXPECT_EQ(value("c"), "2") << "nothing was left to be repeated";
}

TEST_F(ProxyTest, WhatIsHeldIsNotRecordedYet) {
  Proxy recording{{redis.socket_path()}, {.records = true}};
  const Caller caller(recording.url({}));
  caller.send({"PING"});
  EXPECT_EQ(caller.heard(), "+PONG\r\n");
  const std::string ping = "*1\r\n$4\r\nPING\r\n";
  EXPECT_EQ(recording.recorded({}), std::vector{ping});
  recording.set({}, {.requests_held = true});
  caller.send({"PING"});
  EXPECT_EQ(caller.heard(200ms), "");
  EXPECT_EQ(recording.recorded({}), std::vector{ping});
  recording.set({}, {});
  EXPECT_EQ(caller.heard(), "+PONG\r\n");
  EXPECT_EQ(recording.recorded({}), std::vector{ping + ping});
}

TEST_F(ProxyTest, AnotherServerStandsBehindTheAddressFromNowOn) {
  RedisServer next({.tcp = true});
  next.command({"SET", "a", "next"});
  const Caller before(proxy.url(way));
  before.send({"PING"});
  ASSERT_EQ(before.heard(), "+PONG\r\n");  // it has been accepted, and leads to the first
  proxy.point_at(0, std::to_string(next.port()));
  EXPECT_EQ(before.heard(), "gone");
  const Caller caller(proxy.url(way));
  caller.send({"GET", "a"});
  EXPECT_EQ(caller.heard(), "$4\r\nnext\r\n");
}

TEST_F(ProxyTest, ListensOnASocketAsWell) {
  const Proxy on_socket{{redis.socket_path()}, {.listens = ProxyOptions::Listens::unix_socket}};
  EXPECT_EQ(RedisConnection(on_socket.address({}).path).command({"PING"}).text, "PONG");
}

TEST_F(ProxyTest, AServerThatIsAwayIsTriedAgainByTheNext) {
  redis.kill();
  EXPECT_EQ(Caller(proxy.url(way)).heard(), "gone");
  redis.restart();
  const Caller caller(proxy.url(way));
  caller.send({"PING"});
  EXPECT_EQ(caller.heard(), "+PONG\r\n");
}

}  // namespace
}  // namespace tenure::test
