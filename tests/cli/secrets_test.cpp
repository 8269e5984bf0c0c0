// A password in an address is told to the right server only, and shown nowhere: by no command, whatever goes wrong.
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <iterator>

#include "cli/every_command.hpp"
#include "support/certificates.hpp"
#include "support/fake_server.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;

const std::string secret = "gehe!m";

std::string file(const Process& process, const std::string& name) {
  std::ifstream in("/proc/" + std::to_string(process.pid()) + "/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Each of them fails, and says nothing of the secret.
void expect_refused(const Words& place) {
  for (const auto& words : commands_that_ask(place)) {
    const Result result = tenure(words);
    EXPECT_EQ(result.code, is_doctor(words) ? 2 : 69) << joined(words) << result.err;
    EXPECT_TRUE(is_doctor(words) || is_one_plain_line(result.err)) << joined(words) << result.err;
    EXPECT_FALSE(has(result.out + result.err, secret)) << joined(words);
  }
}

TEST(Secrets, AreShownByNoCommandThatIsRefused) {
  RedisServer redis({.tcp = true, .arguments = {"--requirepass", "another"}, .password = "another"});
  expect_refused({"--redis", redis.url(":" + secret)});
  expect_refused({"--redis", redis.url("me:" + secret)});
  redis.kill();
  expect_refused({"--redis", redis.url(":" + secret)});
}

// A server that sends back what it was told.
TEST(Secrets, AreNotRepeatedFromWhatAServerSays) {
  const FakeServer echo([](const auto& command) {
    return command[0] == "AUTH" ? "-WRONGPASS " + command.back() + " is wrong\r\n"
                                : std::string("-ERR no\r\n");
  });
  expect_refused({"--redis", "unix://:" + secret + "@" + echo.address().path});
}

TEST(Secrets, AreNotSeenInProcOrInTheLogOfCommandsThatStay) {
  ReadyRedis redis({.arguments = {"--requirepass", secret}, .password = secret}, ":" + secret);
  redis.command(
      {"SET", "session:s-1", R"({"address":"http://me:)" + secret + R"(@127.0.0.1:1/","interval_ms":4000})"});
  std::vector<std::unique_ptr<Process>> all;
  for (const auto& words : commands_that_stay({"--redis", redis.url(":" + secret)})) {
    all.push_back(start_tenure(words));
  }
  ASSERT_TRUE(prints(*all[0], "elected"));
  ASSERT_TRUE(wait_until([&] { return redis.command({"EXISTS", "state:s-1"}).integer == 1; }));
  for (const auto& process : all) {
    EXPECT_FALSE(file(*process, "cmdline").empty());
    const auto hidden = [&] { return !has(file(*process, "cmdline") + file(*process, "environ"), secret); };
    EXPECT_TRUE(wait_until(hidden)) << "once it has read its arguments";
    EXPECT_FALSE(has(file(*process, "comm"), secret));
  }
  EXPECT_FALSE(has(redis.command({"HGET", "state:s-1", "result"}).text, secret)) << "nor in a result";
  redis.kill();
  ASSERT_TRUE(wait_until([&] { return has(all[0]->err() + all[0]->out(), "lost"); }));
  for (const auto& process : all) process->send(SIGTERM);
  for (const auto& process : all) {
    const Result result = result_of(*process);
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_FALSE(has(result.out + result.err, secret)) << result.out << result.err;
  }
}

// What is not proved to be the right server is told nothing, by any command.
TEST(Secrets, AreToldToNoServerThatCannotProveItself) {
  Certificates certificates;
  const Words trusting{"--tls-ca", certificates.ca_file()};
  const auto place = [&](const std::string& port) {
    return Words{"--redis", "rediss://me:" + secret + "@127.0.0.1:" + port} + trusting;
  };
  for (const auto& wish : std::vector<CertificateWish>{
           {.from = -48h, .to = -24h}, {.self_signed = true}, {.alternative_names = "DNS:elsewhere"}}) {
    RedisServer server({.tls = certificates.server(wish)});
    expect_refused(place(std::to_string(server.port())));
    EXPECT_EQ(server.command({"ACL", "LOG"}).items.size(), 0U) << "nobody has tried to log in";
  }
  const FakeServer plain("-ERR unknown command\r\n");
  expect_refused(place(std::to_string(plain.port())));
  EXPECT_FALSE(plain.heard().empty());
  EXPECT_FALSE(has(plain.heard(), secret)) << "not in plain text";
}

}  // namespace
}  // namespace tenure::test
