// A target elsewhere must not lead the poller to what only this machine can reach.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <unistd.h>

#include <array>
#include <mutex>
#include <optional>
#include <thread>

#include "http_target/http_target.hpp"
#include "poll/local_address.hpp"
#include "runtime/net/descriptor.hpp"
#include "support/polls.hpp"

namespace tenure::test {
namespace {

// An address of this machine by which others reach it.
std::optional<sockaddr_in> address_for_others() {
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return std::nullopt;
  std::optional<sockaddr_in> found;
  for (const ifaddrs* it = all; it != nullptr; it = it->ifa_next) {
    if (it->ifa_addr == nullptr || it->ifa_addr->sa_family != AF_INET || poll::is_local(*it->ifa_addr))
      continue;
    found = reinterpret_cast<const sockaddr_in&>(*it->ifa_addr);
  }
  freeifaddrs(all);
  return found;
}

// Answers every request by sending it elsewhere.
class Redirector {
 public:
  explicit Redirector(sockaddr_in at) : listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)), at_(at) {
    at_.sin_port = 0;
    socklen_t size = sizeof at_;
    auto* const generic = reinterpret_cast<sockaddr*>(&at_);
    works_ = bind(listener_.get(), generic, size) == 0 && listen(listener_.get(), 16) == 0 &&
             getsockname(listener_.get(), generic, &size) == 0;
    if (works_) thread_ = std::thread([this] { run(); });
  }
  ~Redirector() {
    shutdown(listener_.get(), SHUT_RDWR);
    if (thread_.joinable()) thread_.join();
  }
  Redirector(const Redirector&) = delete;
  Redirector& operator=(const Redirector&) = delete;

  bool works() const { return works_; }
  void lead_to(const std::string& location) {
    const std::lock_guard lock(mutex_);
    location_ = location;
  }
  std::string url() const {
    return "http://" + poll::to_text(reinterpret_cast<const sockaddr&>(at_)) + ":" +
           std::to_string(ntohs(at_.sin_port)) + "/";
  }

 private:
  void run() {
    while (true) {
      const runtime::Descriptor visitor(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (!visitor) return;
      std::string request;
      std::array<char, 4096> block{};
      while (request.find("\r\n\r\n") == std::string::npos) {
        const auto got = recv(visitor.get(), block.data(), block.size(), 0);
        if (got <= 0) break;
        request.append(block.data(), static_cast<std::size_t>(got));
      }
      const std::lock_guard lock(mutex_);
      const std::string answer =
          "HTTP/1.1 302 Found\r\nConnection: close\r\nContent-Length: 0\r\nLocation: " + location_ +
          "\r\n\r\n";
      send(visitor.get(), answer.data(), answer.size(), MSG_NOSIGNAL);
    }
  }

  runtime::Descriptor listener_;
  sockaddr_in at_;
  bool works_ = false;
  std::mutex mutex_;
  std::string location_;
  std::thread thread_;
};

class RedirectTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto address = address_for_others();
    if (!address) GTEST_SKIP() << "this machine has no address but loopback";
    elsewhere_.emplace(*address);
    if (!elsewhere_->works()) GTEST_SKIP() << "its own address cannot be listened on";
  }
  std::string port() const { return std::to_string(target_->port()); }
  PollOutcome outcome(Polls& polls, const std::string& location) {
    elsewhere_->lead_to(location);
    return polls.outcome(polls.begin("s", elsewhere_->url()));
  }

  std::unique_ptr<http_target::HttpTarget> target_ = http_target::HttpTarget::open().value();
  std::optional<Redirector> elsewhere_;
};

TEST_F(RedirectTest, FromElsewhereToThisMachineIsNotFollowed) {
  Polls polls{HttpPoll{}};
  EXPECT_EQ(outcome(polls, target_->url("/")).error,
            "it redirects to 127.0.0.1, which only this machine can reach; that is not followed");
  // By a name, or written in another way.
  for (const char* host : {"localhost", "0.0.0.0", "127.1", "2130706433", "[::ffff:127.0.0.1]", "[::1]"}) {
    const PollOutcome end = outcome(polls, std::string("http://") + host + ":" + port() + "/");
    EXPECT_FALSE(end.ok) << host;
    EXPECT_TRUE(end.error.ends_with("which only this machine can reach; that is not followed"))
        << host << ": " << end.error;
  }
  EXPECT_TRUE(target_->visits().empty());
}

TEST_F(RedirectTest, FromElsewhereToThisMachineIsNotFollowedOverAConnectionThatIsOpen) {
  Polls polls{HttpPoll{}};
  EXPECT_TRUE(polls.outcome(polls.begin("own", target_->url("/"))).ok);
  EXPECT_FALSE(outcome(polls, target_->url("/")).ok);
  EXPECT_EQ(target_->visits().size(), 1U);
}

TEST_F(RedirectTest, ToThisMachineIsFollowedWhereThatIsWished) {
  Polls polls{HttpPoll{.local_redirects = true}};
  EXPECT_EQ(outcome(polls, target_->url("/")).body, "hello s\n");
}

TEST_F(RedirectTest, ToWhereOthersCanReachIsFollowed) {
  Redirector further(*address_for_others());
  further.lead_to("http://nowhere.invalid/");
  Polls polls{HttpPoll{}};
  EXPECT_EQ(outcome(polls, further.url()).error, "the host name cannot be resolved");
}

}  // namespace
}  // namespace tenure::test
