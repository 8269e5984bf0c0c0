// tenure doctor and the rights of a user: what it says is missing is missing, and what it says is needed is
// enough for everything (T31).
#include <gtest/gtest.h>

#include <csignal>
#include <map>
#include <stdexcept>

#include "cli/tenure_program.hpp"

namespace tenure::test {
namespace {

class DoctorRightsTest : public testing::Test {
 protected:
  std::string url() const { return redis.url("worker:gehe!m"); }
  Result doctor() { return tenure({"doctor", "--redis", url()}); }
  void set_user(const Words& rules) {
    const auto set = redis.command(Words{"ACL", "SETUSER", "worker", "reset", "on", ">gehe!m"} + rules);
    ASSERT_EQ(set.text, "OK");
  }
  // "ACL SETUSER worker ~… +…", as words.
  static Words advised(const std::string& text) {
    const std::string start = "do:  ACL SETUSER worker ";
    const auto at = text.find(start);
    if (at == std::string::npos) throw std::runtime_error("no such advice:\n" + text);
    std::istringstream line(text.substr(at + start.size(), text.find('\n', at) - at - start.size()));
    Words rules;
    for (std::string rule; line >> rule;) rules.push_back(rule);
    return rules;
  }

  ReadyRedis redis;
};

TEST_F(DoctorRightsTest, T31_WhatItAdvisesIsEnoughForEverything) {
  set_user({"+eval", "+ping"});
  const Words rules = advised(doctor().out);
  set_user(rules);
  const Result well = doctor();
  EXPECT_EQ(well.code, 0) << well.out;
  EXPECT_TRUE(has(well.out, "could not look: CONFIG")) << well.out;
  EXPECT_FALSE(has(well.out, "gehe!m")) << well.out;

  redis.command({"FLUSHALL"});
  redis.command({"CONFIG", "RESETSTAT"});
  EXPECT_EQ(tenure({"init", "--redis", url()}).code, 0);
  const auto first = start_tenure(Job{.options = {"--ttl", "600ms"}, .command = stay()}.words(url()));
  const long token = number_printed(*first);
  const auto second = start_tenure(Job{.command = shell("echo $TENURE_TOKEN; exit 6")}.words(url()));
  // It stands in the queue and listens, so that the release calls it.
  ASSERT_TRUE(wait_until([&] { return redis.command({"LLEN", "tenure:queue:redlock:job"}).integer == 1; }))
      << second->err();
  ASSERT_TRUE(wait_until([&] {
    return redis.command({"PUBSUB", "CHANNELS", "tenure:wake:*"}).items.size() == 1;
  })) << second->err();
  first->send(SIGTERM);
  EXPECT_EQ(second->exit_code(), 6) << second->err();
  EXPECT_GT(number_printed(*second), token);
  EXPECT_EQ(keys(redis), only_record);
  EXPECT_FALSE(has(redis.command({"INFO", "errorstats"}).text, "NOPERM"));  // not one refusal
}

TEST_F(DoctorRightsTest, T31_EveryRightThatIsMissingIsNamed) {
  set_user({"+eval", "+ping"});
  const Words all = advised(doctor().out);
  for (const auto& rule : all) {
    if (!rule.starts_with("+") || rule == "+eval") continue;
    Words rest = all;
    std::erase(rest, rule);
    set_user(rest);
    std::string name = rule.substr(1);
    std::ranges::transform(name, name.begin(), [](char c) { return static_cast<char>(std::toupper(c)); });
    const Result result = doctor();
    EXPECT_EQ(result.code, 2) << rule << '\n' << result.out;
    EXPECT_TRUE(has(result.out, "the user may not use: " + name)) << rule << '\n' << result.out;
  }
}

TEST_F(DoctorRightsTest, T31_KeysAndChannelsThatAreMissingAreNamed) {
  set_user({"+eval", "+ping"});
  const Words all = advised(doctor().out);
  const std::map<std::string, std::string> named{
      {"~redlock:*", "GET on redlock:*"},
      {"~tenure:*", "SET on tenure:record"},
      {"&tenure:wake:*", "SUBSCRIBE on the channels tenure:wake:*"}};
  for (const auto& [rule, name] : named) {
    ASSERT_NE(std::ranges::find(all, rule), all.end()) << rule;
    Words rest = all;
    std::erase(rest, rule);
    set_user(rest);
    const Result result = doctor();
    EXPECT_EQ(result.code, 2) << rule << '\n' << result.out;
    EXPECT_TRUE(has(result.out, name)) << rule << '\n' << result.out;
  }
}

// As docs/lock.md says.
TEST_F(DoctorRightsTest, T31_TheCommandsAboutLocksNeedScanBesides) {
  set_user({"+eval", "+ping"});
  const Words all = advised(doctor().out);
  set_user(all);
  const auto holder = start_tenure(Job{.options = {"--ttl", "1s"}, .command = stay()}.words(url()));
  number_printed(*holder);
  const Result refused = tenure({"lock", "ls", "--redis", url()});
  EXPECT_EQ(refused.code, 69);
  EXPECT_TRUE(has(refused.err, "the user may not run SCAN")) << refused.err;
  set_user(all + Words{"+scan", "+getrange", "~app:*"});
  redis.command({"SET", "app:leader", "web-3#0123456789abcdef#17", "PX", "50000"});
  const Result listed = tenure({"lock", "ls", "--redis", url()});
  EXPECT_TRUE(has(listed.out, "job ") && has(listed.out, "app:leader ")) << listed.out;
  EXPECT_EQ(listed.err, "");
  EXPECT_EQ(tenure({"lock", "break", "job", "--yes", "--redis", url()}).code, 0);
  EXPECT_EQ(holder->exit_code(), 79) << holder->err();
}

TEST_F(DoctorRightsTest, WithoutEvalNothingElseCanBeSeen) {
  set_user({"~*", "&*", "+@all", "-eval"});
  const Result result = doctor();
  EXPECT_EQ(result.code, 2);
  EXPECT_TRUE(has(result.out, "the user may not use: EVAL (what else is missing")) << result.out;
}

TEST_F(DoctorRightsTest, OtherPrefixesAreAskedAbout) {
  set_user({"~redlock:*", "~tenure:*", "&tenure:wake:*", "+@all"});
  EXPECT_EQ(doctor().code, 0);
  const Result result = tenure({"doctor", "--redis", url(), "--lock-prefix", "mine:"});
  EXPECT_EQ(result.code, 2);
  EXPECT_TRUE(has(result.out, "GET on mine:*")) << result.out;
}

TEST_F(DoctorRightsTest, AWrongPasswordIsDownAndNotShown) {
  const Result result = tenure({"doctor", "--redis", redis.url("worker:wrong!x")});
  EXPECT_EQ(result.code, 2);
  EXPECT_TRUE(has(result.out, "DOWN (wrong user name or password")) << result.out;
  EXPECT_TRUE(has(result.out, "  do:  give a user and a password that it knows")) << result.out;
  EXPECT_FALSE(has(result.out + result.err, "wrong!x")) << result.out;
}

TEST_F(DoctorRightsTest, WhatItAdvisesToANewRedisCanBePastedWhereThereIsAPassword) {
  set_user({"allkeys", "allchannels", "+@all"});
  redis.command({"FLUSHALL"});
  const Result before = doctor();
  EXPECT_FALSE(has(before.out, "gehe!m")) << before.out;
  const std::string start = "do:  if it is new, with its password, as in the URL, in REDIS_PASSWORD: ";
  const auto at = before.out.find(start);
  ASSERT_NE(at, std::string::npos) << before.out;
  const std::string line =
      before.out.substr(at + start.size(), before.out.find('\n', at) - at - start.size());
  ASSERT_TRUE(has(line, " tenure init")) << line;
  const Process pasted(shell("tenure() { " + std::string(paths::program) + " \"$@\"; }; " + line),
                       {.environment = plain_environment({"REDIS_PASSWORD=gehe!m"})});
  EXPECT_EQ(pasted.exit_code(), 0) << line << "\n" << pasted.err();
  EXPECT_EQ(doctor().code, 0);
}

// Denied in the midst of a script, of which a person knows nothing.
TEST_F(DoctorRightsTest, RunNamesTheRightThatAScriptLacks) {
  set_user({"+@all", "-info", "allkeys", "allchannels"});
  const Result result = tenure(Job{}.words(url()));
  EXPECT_EQ(result.code, 69);
  EXPECT_TRUE(has(result.err, "the user may not run INFO: it lacks +info")) << result.err;
  EXPECT_FALSE(has(result.err, "user_script")) << result.err;
}

}  // namespace
}  // namespace tenure::test
