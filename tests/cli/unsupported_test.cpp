// Servers that cannot keep leases, because they lack something: every command says what, where, and what to do, and waits for
// nothing.
#include <gtest/gtest.h>

#include "cli/every_command.hpp"
#include "support/impostor.hpp"

namespace tenure::test {
namespace {

const std::string unknown_command =
    " (renamed, disabled, or no Redis of version 7): enable it there, or use another server";

RedisServer::Options without(const Words& commands) {
  RedisServer::Options options;
  for (const auto& command : commands)
    options.arguments = options.arguments + Words{"--rename-command", command, ""};
  return options;
}

// Nobody waits, and everybody says the same.
void expect_refused(const std::string& url, const std::string& why) {
  const Words place{"--redis", url};
  std::vector<Words> all = commands_that_stay(place);
  all.push_back(Words{"run", "job"} + place + Words{"--", "true"});
  all.push_back(Words{"run", "job", "--wait", "60s"} + place + Words{"--", "true"});
  all.push_back(Words{"elect", "leader"} + place + Words{"--", "true"});
  for (const Words& words : all) {
    const auto process = start_tenure(words);
    EXPECT_EQ(process->exit_code(std::chrono::seconds(10)), 69) << joined(words) << process->err();
    EXPECT_TRUE(has(process->err(), url + ": " + why + "\n")) << joined(words) << process->err();
  }
}

class LackingCommand : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Each, LackingCommand, testing::Values("INFO", "EVALSHA", "EVAL", "TIME"),
                         [](const auto& tested) { return tested.param; });

TEST_P(LackingCommand, IsNamedAndNobodyWaits) {
  const std::string& command = GetParam();
  const RedisServer redis(without({command}));
  expect_refused(redis.url(), "the server does not know the command " + command + unknown_command);
}

TEST_P(LackingCommand, IsNamedByInit) {
  const std::string& command = GetParam();
  const RedisServer redis(without({command}));
  const Result made = tenure({"init", "--redis", redis.url()});
  // It calls no script by its SHA1.
  EXPECT_EQ(made.code, command == "EVALSHA" ? 0 : 69) << made.err;
  if (made.code != 0) {
    EXPECT_EQ(made.err, "tenure: " + redis.url() + ": the server does not know the command " + command +
                            unknown_command + "\n");
  }
}

TEST_P(LackingCommand, IsAnErrorToDoctor) {
  const std::string& command = GetParam();
  const RedisServer redis(without({command}));
  const Result result = tenure({"doctor", "--json", "--redis", redis.url()});
  EXPECT_EQ(result.code, 2) << result.out;
  EXPECT_TRUE(has(result.out, R"("code": "commands")")) << result.out;
  EXPECT_TRUE(has(result.out, R"("what": "the server does not know: )" + command)) << result.out;
}

TEST(LackingCommands, AreAllNamedByDoctor) {
  const RedisServer redis(without({"INFO", "LPOS", "SUBSCRIBE"}));
  const Result result = tenure({"doctor", "--redis", redis.url()});
  EXPECT_EQ(result.code, 2) << result.out;
  EXPECT_TRUE(has(result.out, "the server does not know: LPOS, SUBSCRIBE, INFO\n")) << result.out;
  EXPECT_FALSE(has(result.out, "could not look: INFO")) << result.out;
}

// Managed services often have none. Leases need it nowhere.
TEST(LackingCommands, OfWhichLeasesNeedNoneAreNoErrors) {
  const ReadyRedis redis(without({"CONFIG"}));
  const Result result = tenure({"doctor", "--redis", redis.url()});
  EXPECT_EQ(result.code, 0) << result.out;
  EXPECT_TRUE(has(result.out, "could not look: CONFIG: the server does not know the command\n"))
      << result.out;
}

TEST(LackingCommands, ThatOnlyAWaiterNeedsAreNamedToTheWaiter) {
  const ReadyRedis redis(without({"PTTL"}));
  const auto holder = start_tenure(Job{.command = stay()}.words(redis.url()));
  number_printed(*holder);
  const auto waiter = start_tenure(Job{}.words(redis.url()));
  EXPECT_EQ(waiter->exit_code(std::chrono::seconds(10)), 69) << waiter->err();
  EXPECT_TRUE(has(waiter->err(), "the server does not know the command PTTL" + unknown_command))
      << waiter->err();
}

// A real Redis, whose scripts are changed on their way to it: they see an INFO without that field, and so does who asks.
class LackingField : public testing::TestWithParam<std::string> {
 protected:
  static void hide(std::string& text, const std::string& field) {
    for (auto at = text.find("\n" + field + ":"); at != std::string::npos;
         at = text.find("\n" + field + ":")) {
      text.erase(at + 1, text.find('\n', at + 1) - at);
    }
  }
  Said answer(Words command) {
    if (command[0] == "SUBSCRIBE") return "";
    if (command[0] == "EVALSHA") return "-NOSCRIPT No matching script. Please use EVAL.\r\n";
    const std::string info = "redis.call('INFO', 'server') .. redis.call('INFO', 'replication')";
    if (const auto at = command.size() > 1 ? command[1].find(info) : std::string::npos;
        at != std::string::npos) {
      command[1].replace(at, info.size(), "string.gsub(" + info + ", '" + GetParam() + ":[^\\n]*', '')");
    }
    redis::Value said = connection_.command(command);
    if (command[0] == "INFO") hide(said.text, GetParam());
    return as_bytes(said);
  }
  std::string url() const { return "unix://" + server_.address().path; }

  RedisServer redis;
  RedisConnection connection_{redis.socket_path()};
  FakeServer server_{[this](const auto& command) { return answer(command); }};
};
INSTANTIATE_TEST_SUITE_P(Each, LackingField, testing::Values("run_id", "master_replid"),
                         [](const auto& tested) { return tested.param; });

TEST_P(LackingField, IsNamedAndNobodyWaits) {
  const std::string why = "its INFO shows no " + GetParam() +
                          ", by which a restart is noticed: use a Redis or Valkey that shows it";
  expect_refused(url(), why);
  EXPECT_EQ(keys(redis), Words{});
  const Result made = tenure({"init", "--redis", url()});
  EXPECT_EQ(made.code, 69);
  EXPECT_EQ(made.err, "tenure: " + url() + ": " + why + "\n");
  const Result result = tenure({"doctor", "--json", "--redis", url()});
  EXPECT_EQ(result.code, 2);
  EXPECT_TRUE(has(result.out, R"("code": "no_run_id")")) << result.out;
  EXPECT_TRUE(has(result.out, R"("what": ")" + why + "\"")) << result.out;
}

// What Redis 6.2 says to a script that begins with its flags.
TEST(AnOldServer, IsNamedAndNobodyWaits) {
  const FakeServer old([](const Words& command) -> Said {
    if (command[0] == "EVALSHA") return "-NOSCRIPT No matching script. Please use EVAL.\r\n";
    if (command[0] != "EVAL") return "";
    return "-ERR Error compiling script (new function): user_script:1: unexpected symbol near '#'\r\n";
  });
  expect_refused("unix://" + old.address().path,
                 "the server does not know scripts with flags: use a Redis of version 7 or later");
}

}  // namespace
}  // namespace tenure::test
