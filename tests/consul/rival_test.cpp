// Consul's own `consul lock` as a rival for one key.
#include <atomic>
#include <fstream>
#include <sstream>
#include <thread>

#include "consul/consul_client.hpp"
#include "runtime/boot_clock.hpp"
#include "support/directory.hpp"
#include "support/process.hpp"
#include "support/stores/real_server.hpp"
#include "support/wait.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;

class Rival : public OnConsul {
 protected:
  // `consul lock` around a command. Its own lock-delay would let nobody in for 15 s after it was killed.
  std::unique_ptr<Process> rival(const std::string& command) {
    const std::string at = "-http-addr=http://127.0.0.1:" + std::to_string(server.port());
    return std::make_unique<Process>(
        std::vector<std::string>{real_program("consul"), "lock", at, prefix + "/job", command},
        Process::Options{.own_group = true});
  }
};

TEST_F(Rival, WaitsForALeaseOfTenure) {
  const Client one = client("web-1");
  auto lease = one.lock("job").try_acquire().value();
  const auto other = rival("echo in");
  std::this_thread::sleep_for(1s);
  EXPECT_EQ(other->out().find("in"), std::string::npos) << "two have it";
  EXPECT_TRUE(lease.held());
  EXPECT_TRUE(lease.release());
  EXPECT_EQ(other->exit_code(10s), 0);
  EXPECT_NE(other->out().find("in"), std::string::npos);
}

TEST_F(Rival, IsWaitedForAndNamed) {
  const Client one = client("web-1");
  const auto other = rival("echo in; sleep 2; echo out");
  ASSERT_TRUE(wait_until([&] { return other->out().find("in") != std::string::npos; }));
  const auto refused = one.lock("job").try_acquire();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Refusal::Code::held);
  EXPECT_NE(refused.error().message.find("Consul lock for"), std::string::npos) << refused.error().message;
  auto lease = one.lock("job").acquire({.wait_max = 20s});
  ASSERT_TRUE(lease) << lease.error().message;
  EXPECT_NE(other->out().find("out"), std::string::npos) << "two have it";
}

TEST_F(Rival, AndTenureExcludeEachOtherOverTwentyRounds) {
  // Each writes a line when it has begun, and before it ends: by the kernel's clock in a file that both append to.
  const Directory directory("rivals");
  const std::string log = (directory.path() / "log").string();
  const auto note = [&](const char* what) {
    std::ofstream(log, std::ios::app) << "tenure " << what << "\n" << std::flush;
  };
  const Client one = client("web-1");
  // It begins more slowly than we come again: we go on until it has had its turns.
  std::atomic<bool> rivals_done = false;
  std::jthread ours([&] {
    for (int round = 0; round < 20 || !rivals_done; ++round) {
      auto lease = one.lock("job").acquire({.wait_max = 60s});
      ASSERT_TRUE(lease) << lease.error().message;
      note("in");
      std::this_thread::sleep_for(20ms);
      EXPECT_TRUE(lease->held());
      note("out");
      EXPECT_TRUE(lease->release());
      std::this_thread::sleep_for(50ms);
    }
  });
  for (int round = 0; round < 20; ++round) {
    const auto other = rival("echo rival in >>" + log + "; sleep 0.02; echo rival out >>" + log);
    EXPECT_EQ(other->exit_code(60s), 0) << other->err();
  }
  rivals_done = true;
  ours.join();
  std::ifstream lines(log);
  std::string inside;
  int turns = 0;
  int changes = 0;
  std::string last;
  for (std::string who, what; lines >> who >> what;) {
    if (what == "in") {
      EXPECT_EQ(inside, "") << inside << " and " << who << " are in";
      inside = who;
      turns += 1;
      changes += who != last ? 1 : 0;
      last = who;
    } else {
      EXPECT_EQ(inside, who);
      inside.clear();
    }
  }
  EXPECT_GE(turns, 40);
  EXPECT_GT(changes, 2) << "they were no rivals";
  RecordProperty("changes", changes);
}

}  // namespace
}  // namespace tenure::test
