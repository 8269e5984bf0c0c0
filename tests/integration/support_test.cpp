#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>

#include "redis/url.hpp"
#include "support/process.hpp"
#include "support/redis_server.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;
using redis::Value;

TEST(SupportProcess, OutputErrorsAndExitCodeAreKept) {
  Process process({"sh", "-c", "echo one; echo two >&2; exit 3"});
  EXPECT_EQ(process.exit_code(), 3);
  EXPECT_EQ(process.out(), "one\n");
  EXPECT_EQ(process.err(), "two\n");
}

TEST(SupportProcess, EnvironmentInputAndDirectoryAreGiven) {
  setenv("TENURE_TEST_GONE", "x", 1);
  Process process(
      {"sh", "-c", "echo $TENURE_TEST-$TENURE_TEST_GONE; cat; pwd"},
      {.environment = {"TENURE_TEST=a b", "TENURE_TEST_GONE"}, .input = "in\n", .directory = "/"});
  EXPECT_EQ(process.exit_code(), 0);
  EXPECT_EQ(process.out(), "a b-\nin\n/\n");
}

TEST(SupportProcess, WithoutInputThereIsAnEndOfFile) { EXPECT_EQ(Process({"cat"}).exit_code(), 0); }

TEST(SupportProcess, ALargeOutputDoesNotBlockTheProcess) {
  Process process({"sh", "-c", "head -c 3000000 /dev/zero"});
  EXPECT_EQ(process.exit_code(), 0);
  EXPECT_EQ(process.out().size(), 3'000'000u);
}

TEST(SupportProcess, WaitingEndsWithTheProcessOrTheTimeout) {
  Process process({"sleep", "100"});
  EXPECT_EQ(process.wait(20ms), std::nullopt);
  EXPECT_TRUE(process.running());
  process.send(SIGTERM);
  const auto status = process.wait();
  ASSERT_TRUE(status);
  EXPECT_TRUE(WIFSIGNALED(*status));
  EXPECT_EQ(WTERMSIG(*status), SIGTERM);
  EXPECT_EQ(process.exit_code(), -SIGTERM);
  EXPECT_FALSE(process.running());
}

TEST(SupportProcess, AProgramThatDoesNotExistIsSaid) {
  EXPECT_THROW(Process({"/does/not/exist"}), std::runtime_error);
}

TEST(SupportProcess, TheProcessGoesWithTheObject) {
  auto process = std::make_unique<Process>(std::vector<std::string>{"sleep", "100"});
  const pid_t pid = process->pid();
  EXPECT_EQ(::kill(pid, 0), 0);
  process.reset();
  EXPECT_EQ(::kill(pid, 0), -1);
}

// As in /proc: R runs, S sleeps, T is stopped, Z has ended and waits for somebody to reap it.
char state_of(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::stringstream stat;
  stat << file.rdbuf();
  const auto name_end = stat.str().rfind(") ");
  return name_end == std::string::npos ? 'Z' : stat.str()[name_end + 2];
}

TEST(SupportProcess, AGroupGoesWithItsLeader) {
  auto process = std::make_unique<Process>(std::vector<std::string>{"sh", "-c", "sleep 100 & echo $!; wait"},
                                           Process::Options{.own_group = true});
  ASSERT_TRUE(wait_until([&] { return process->out().ends_with("\n"); }));
  const pid_t grandchild = std::stoi(process->out());
  EXPECT_NE(state_of(grandchild), 'Z');
  process.reset();
  EXPECT_TRUE(wait_until([&] { return state_of(grandchild) == 'Z'; }));
}

TEST(SupportRedis, AServerAnswersOnItsSocketAndIsGoneAfterwards) {
  auto server = std::make_unique<RedisServer>();
  EXPECT_EQ(server->command({"SET", "x", "1"}), Value::status("OK"));
  EXPECT_EQ(server->command({"GET", "x"}), Value::string("1"));
  EXPECT_EQ(server->command({"INCR", "x"}), Value::of(2));
  EXPECT_EQ(server->command({"NONSENSE"}).kind, Value::Kind::error);
  EXPECT_EQ(redis::parse_url(server->url()).value().path, server->socket_path());

  const auto pid = server->pid();
  const auto directory = server->directory();
  server.reset();
  EXPECT_EQ(::kill(pid, 0), -1);
  EXPECT_FALSE(std::filesystem::exists(directory));
}

TEST(SupportRedis, APortIsFreeAndNotEverybodys) {
  RedisServer first({.tcp = true});
  RedisServer second({.tcp = true});
  EXPECT_NE(first.port(), second.port());
  EXPECT_NE(first.port(), 6379);
  const auto address = redis::parse_url(first.url()).value();
  EXPECT_EQ(address.port, first.port());

  const int probe = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_port = htons(address.port);
  inet_pton(AF_INET, address.host.c_str(), &where.sin_addr);
  EXPECT_EQ(connect(probe, reinterpret_cast<const sockaddr*>(&where), sizeof where), 0);
  close(probe);
}

TEST(SupportRedis, PasswordsAndOptionsArePassedOn) {
  RedisServer server({.arguments = {"--requirepass", "secret"}, .password = "secret"});
  EXPECT_EQ(server.command({"PING"}), Value::status("PONG"));
  EXPECT_TRUE(RedisConnection(server.socket_path()).command({"PING"}).text.starts_with("NOAUTH"));
  EXPECT_EQ(redis::parse_url(server.url(":secret")).value().password, "secret");
}

TEST(SupportRedis, AnOptionThatRedisRefusesIsSaidWithItsLog) {
  try {
    RedisServer server({.arguments = {"--no-such-option", "1"}});
    FAIL() << "started";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("no-such-option"), std::string::npos) << error.what();
  }
}

TEST(SupportRedis, APausedServerAnswersOnlyWhenResumed) {
  RedisServer server;
  RedisConnection connection(server.socket_path());
  for (int i = 0; i < 3; ++i) {
    server.pause();
    connection.send({"PING"});
    EXPECT_EQ(state_of(server.pid()), 'T');
    server.resume();
    EXPECT_EQ(connection.receive(), Value::status("PONG"));
  }
  server.pause();  // a stopped server is removed, too
}

TEST(SupportRedis, AKilledServerComesBackEmptyAtTheSameAddress) {
  for (const bool tcp : {false, true}) {
    RedisServer server({.tcp = tcp});
    const auto url = server.url();
    const auto pid = server.pid();
    server.command({"SET", "x", "1"});
    server.kill();
    EXPECT_EQ(server.pid(), -1);
    EXPECT_THROW(server.command({"PING"}), std::runtime_error);
    server.restart();
    EXPECT_EQ(server.url(), url);
    EXPECT_NE(server.pid(), pid);
    EXPECT_EQ(server.command({"GET", "x"}), Value::nil());
  }
}

}  // namespace
}  // namespace tenure::test
