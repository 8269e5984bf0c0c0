// What a service manager is told by those commands that stay: sd_notify(3), on a real datagram socket.
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstddef>
#include <stdexcept>

#include "cli/tenure_program.hpp"
#include "runtime/net/descriptor.hpp"
#include "support/directory.hpp"
#include "support/poll_fleet.hpp"

namespace tenure::test {
namespace {

// In the place of systemd: listens, and says so in the environment.
class Manager {
 public:
  // A name that begins with @ is an abstract one.
  explicit Manager(std::string address) : address_(std::move(address)) {
    sockaddr_un at{};
    at.sun_family = AF_UNIX;
    address_.copy(at.sun_path, sizeof at.sun_path - 1);
    if (address_[0] == '@') at.sun_path[0] = '\0';
    const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + address_.size());
    socket_.reset(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (bind(socket_.get(), reinterpret_cast<const sockaddr*>(&at), length) != 0) {
      throw std::runtime_error("cannot bind " + address_);
    }
  }

  // Its watchdog wants to hear something every 200 ms.
  Words environment() const { return {"NOTIFY_SOCKET=" + address_, "WATCHDOG_USEC=200000"}; }

  // Everything so far, a line each.
  const std::string& told() {
    std::array<char, 4096> message{};
    while (true) {
      const auto size = recv(socket_.get(), message.data(), message.size(), 0);
      if (size < 0) return told_;
      told_.append(message.data(), static_cast<std::size_t>(size)).push_back('\n');
    }
  }
  bool hears(const std::string& part) {
    return wait_until([&] { return has(told(), part); });
  }
  // Something that it is told from now on.
  bool hears_again(const std::string& part) {
    const auto before = told().size();
    return wait_until([&] { return told().find(part, before) != std::string::npos; });
  }

 private:
  std::string address_;
  runtime::Descriptor socket_;
  std::string told_;
};

class NotifyTest : public testing::Test {
 protected:
  Words elect(const Words& more = {}) const {
    return Words{"elect", "myapp:leader", "--redis", redis.url()} + more;
  }

  ReadyRedis redis;
  Directory directory{"notify"};
  Manager manager{(directory.path() / "socket").string()};
};

TEST_F(NotifyTest, ElectSaysThatItTakesPartLivesLeadsAndStops) {
  const auto candidate = start_tenure(elect(), manager.environment());
  EXPECT_TRUE(manager.hears("READY=1\nSTATUS=taking part in myapp:leader\n")) << manager.told();
  EXPECT_TRUE(manager.hears("STATUS=myapp:leader: we lead (term ")) << manager.told();
  EXPECT_TRUE(manager.hears_again("WATCHDOG=1\n")) << manager.told();
  EXPECT_FALSE(has(manager.told(), "STOPPING=1"));
  candidate->send(SIGTERM);
  EXPECT_EQ(candidate->exit_code(), 0);
  EXPECT_TRUE(has(manager.told(), "STOPPING=1\n")) << manager.told();
}

TEST_F(NotifyTest, ElectLivesOnWhileItsCommandRunsAndWhileItWaits) {
  Manager abstract("@tenure notify test " + std::to_string(getpid()));
  const auto leader = start_tenure(elect(Words{"--"} + stay()), manager.environment());
  number_printed(*leader);
  EXPECT_TRUE(manager.hears_again("WATCHDOG=1\n")) << manager.told();
  const auto waits = start_tenure(elect({"--", "true"}), abstract.environment());
  EXPECT_TRUE(abstract.hears("READY=1\n")) << abstract.told();
  EXPECT_TRUE(abstract.hears("leads (term ")) << abstract.told();
  EXPECT_TRUE(abstract.hears_again("WATCHDOG=1\n")) << abstract.told();
  for (const auto* each : {&waits, &leader}) {
    (*each)->send(SIGTERM);
    EXPECT_EQ((*each)->exit_code(), 128 + SIGTERM);
  }
  EXPECT_TRUE(has(manager.told(), "STOPPING=1\n")) << manager.told();
  EXPECT_TRUE(has(abstract.told(), "STOPPING=1\n")) << abstract.told();
}

TEST_F(NotifyTest, RunIsReadyWhileItStillWaitsAndSaysWhatItHolds) {
  const auto holder = start_tenure(Job{.command = stay()}.words(redis.url()));
  number_printed(*holder);
  const auto waits = start_tenure(Job{.command = stay()}.words(redis.url()), manager.environment());
  EXPECT_TRUE(manager.hears("READY=1\nSTATUS=waiting for job\n")) << manager.told();
  EXPECT_TRUE(manager.hears_again("WATCHDOG=1\n")) << manager.told();
  holder->send(SIGTERM);
  const long token = number_printed(*waits);
  EXPECT_TRUE(manager.hears("STATUS=holding job, token " + std::to_string(token) + "\n")) << manager.told();
  EXPECT_TRUE(manager.hears_again("WATCHDOG=1\n")) << manager.told();
  waits->send(SIGTERM);
  EXPECT_EQ(waits->exit_code(), 128 + SIGTERM);
  EXPECT_TRUE(has(manager.told(), "STOPPING=1\n")) << manager.told();
}

TEST_F(NotifyTest, CommandsDoNotGetTheSocket) {
  const std::string script = "echo ${NOTIFY_SOCKET-no} ${WATCHDOG_USEC-no} ${WATCHDOG_PID-no}";
  const Result run = tenure(Job{.command = shell(script)}.words(redis.url()), manager.environment());
  EXPECT_EQ(run.out, "no no no\n");
  EXPECT_TRUE(has(manager.told(), "STATUS=holding job")) << manager.told();
}

TEST_F(NotifyTest, AWatchdogOfAnotherProcessIsNotFed) {
  const auto candidate = start_tenure(elect(), {"NOTIFY_SOCKET=" + (directory.path() / "socket").string(),
                                                "WATCHDOG_USEC=2000", "WATCHDOG_PID=1"});
  EXPECT_TRUE(manager.hears("we lead")) << manager.told();
  candidate->send(SIGTERM);
  EXPECT_EQ(candidate->exit_code(), 0);
  EXPECT_FALSE(has(manager.told(), "WATCHDOG=1")) << manager.told();
}

TEST_F(NotifyTest, AManagerThatIsNotThereChangesNothing) {
  for (const std::string& address : {(directory.path() / "nobody").string(), std::string("@tenure nobody"),
                                     std::string("relative"), "/" + std::string(200, 'x')}) {
    const Result run = tenure(Job{.command = {"echo", "done"}}.words(redis.url()),
                              {"NOTIFY_SOCKET=" + address, "WATCHDOG_USEC=nonsense"});
    EXPECT_EQ(run.code, 0);
    EXPECT_EQ(run.out, "done\n");
    EXPECT_EQ(run.err, "");
  }
}

TEST(NotifyOfPoll, IsReadyWhenItHasJoinedAndSaysUntilThenWhatItWaitsFor) {
  PollFleet fleet({.sessions = 1, .words = {}});
  const Directory directory("notify");
  Manager manager((directory.path() / "socket").string());
  fleet.data().kill();
  const auto instance = start_tenure(Words{"poll", "--id", "web-1"} + fleet.place(), manager.environment());
  EXPECT_TRUE(manager.hears("STATUS=not in the fleet yet: ")) << manager.told();
  EXPECT_FALSE(has(manager.told(), "READY=1"));
  fleet.data().restart();
  EXPECT_TRUE(manager.hears("READY=1\nSTATUS=polling in the fleet poll as web-1\n")) << manager.told();
  EXPECT_TRUE(manager.hears_again("WATCHDOG=1\n")) << manager.told();
  EXPECT_FALSE(has(manager.told(), "STOPPING=1"));
  instance->send(SIGTERM);
  EXPECT_EQ(instance->exit_code(), 0);
  EXPECT_TRUE(has(manager.told(), "STOPPING=1\n")) << manager.told();
}

TEST(NotifyOfPoll, ItsCommandsDoNotGetTheSocket) {
  PollFleet fleet({.sessions = 1, .words = {}});
  const Directory directory("notify");
  Manager manager((directory.path() / "socket").string());
  const auto instance = start_tenure(
      Words{"poll", "--exec", "echo socket=${NOTIFY_SOCKET-none}"} + fleet.place(), manager.environment());
  EXPECT_TRUE(wait_until([&] {
    return has(fleet.data().command({"HGET", "state:s-1", "result"}).text, "socket=none");
  })) << instance->out();
  EXPECT_TRUE(has(manager.told(), "READY=1\n")) << manager.told();
}

}  // namespace
}  // namespace tenure::test
