#include "redis/failure.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "redis/scripts.hpp"

namespace tenure::redis {
namespace {

using core::Applied;
using core::FailureCode;

const std::string in_script = " script: ff967d0ae0e68b4f9e360fa91c54598bc25ad9b6, on @user_script:7.";

struct Case {
  std::string reply;
  FailureCode code;
};

TEST(Failure, WhatRedisSaysBeforeItRunsAnythingChangedNothing) {
  for (const Case& c : {
           Case{"NOAUTH Authentication required.", FailureCode::auth},
           Case{"WRONGPASS invalid username-password pair or user is disabled.", FailureCode::auth},
           Case{"ERR AUTH <password> called without any password configured for the default user. Are you "
                "sure?",
                FailureCode::auth},
           Case{"DENIED Redis is running in protected mode", FailureCode::auth},
           Case{"NOPERM this user has no permissions to run the 'evalsha' command",
                FailureCode::no_permission},
           Case{"LOADING Redis is loading the dataset in memory", FailureCode::starting},
           Case{"READONLY You can't write against a read only replica.", FailureCode::read_only},
           Case{"MASTERDOWN Link with MASTER is down", FailureCode::read_only},
           Case{"MISCONF Redis is configured to save RDB snapshots", FailureCode::not_durable},
           Case{"NOREPLICAS Not enough good replicas to write.", FailureCode::not_durable},
           Case{"OOM command not allowed when used memory > 'maxmemory'.", FailureCode::full},
           Case{"BUSY Redis is busy running a script.", FailureCode::busy},
           Case{"CLUSTERDOWN Hash slot not served", FailureCode::unsupported},
           Case{"MOVED 3999 127.0.0.1:6381", FailureCode::unsupported},
           Case{"ASK 3999 127.0.0.1:6381", FailureCode::unsupported},
           Case{"CROSSSLOT Keys in request don't hash to the same slot", FailureCode::unsupported},
           Case{"EXECABORT Transaction discarded because of previous errors.", FailureCode::server},
           Case{"NOSCRIPT No matching script. Please use EVAL.", FailureCode::server},
           Case{"ERR max number of clients reached", FailureCode::server},
           Case{"ERR DB index is out of range", FailureCode::server},
           Case{"ERR unknown command 'EVALSHA', with args beginning with: 'x' ", FailureCode::unsupported},
           Case{"ERR unknown command `EVAL`, with args beginning with: `x`", FailureCode::unsupported},
           Case{"ERR unknown command", FailureCode::unsupported},
           Case{"ERR Could not find scripting engine 'lua'", FailureCode::unsupported},
           Case{"ERR Error compiling script (new function): user_script:1: unexpected symbol near '#'",
                FailureCode::unsupported},
       }) {
    EXPECT_EQ(classify(c.reply).applied, Applied::no) << c.reply;
    EXPECT_EQ(classify(c.reply).code, c.code) << c.reply;
  }
}

TEST(Failure, WhatAScriptMeetsAtItsFirstWriteChangedNothing) {
  for (const Case& c : {
           Case{"READONLY You can't write against a read only replica.", FailureCode::read_only},
           Case{"MISCONF Errors writing to the AOF file: No space left on device", FailureCode::not_durable},
           Case{"NOREPLICAS Not enough good replicas to write.", FailureCode::not_durable},
           Case{"OOM command not allowed when used memory > 'maxmemory'.", FailureCode::full},
       }) {
    EXPECT_EQ(classify(c.reply + in_script).applied, Applied::no) << c.reply;
    EXPECT_EQ(classify(c.reply + in_script).code, c.code) << c.reply;
  }
}

TEST(Failure, AnyOtherErrorOutOfAScriptMayHaveChangedSomething) {
  for (const Case& c : {
           Case{"NOPERM this user has no permissions to run the 'set' command", FailureCode::no_permission},
           Case{"ERR The user executing the script can't run this command or subcommand",
                FailureCode::no_permission},
           Case{"ERR ACL failure in script: User bob has no permissions", FailureCode::no_permission},
           Case{"ERR Unknown Redis command called from script", FailureCode::unsupported},
           Case{"ERR Unknown command called from script", FailureCode::unsupported},
           Case{"WRONGTYPE Operation against a key holding the wrong kind of value", FailureCode::server},
           Case{"ERR value is not an integer or out of range", FailureCode::server},
           Case{"ERR user_script:3: Script attempted to access nonexistent global variable",
                FailureCode::server},
           Case{"MASTERDOWN Link with MASTER is down", FailureCode::read_only},
       }) {
    EXPECT_EQ(classify(c.reply + in_script).applied, Applied::perhaps) << c.reply;
    EXPECT_EQ(classify(c.reply + in_script).code, c.code) << c.reply;
  }
}

TEST(Failure, AnUnknownErrorMayHaveChangedSomething) {
  for (const auto* reply : {"", " ", "ERR", "ERR something new", "BUSYGROUP x", "BUSYKEY x", "NOAUTHX",
                            "noauth", "OOMPH", "XREADONLY", "UNKILLABLE Sorry"}) {
    EXPECT_EQ(classify(reply).applied, Applied::perhaps) << reply;
    EXPECT_EQ(classify(reply).code, FailureCode::server) << reply;
  }
}

TEST(Failure, TheDetailIsASentenceToActOn) {
  EXPECT_EQ(classify("WRONGPASS invalid username-password pair or user is disabled.").detail,
            "wrong user name or password: WRONGPASS invalid username-password pair or user is disabled.");
  EXPECT_EQ(classify("NOPERM this user has no permissions to run the 'evalsha' command").detail,
            "the user may not run EVALSHA: NOPERM this user has no permissions to run the 'evalsha' command");
  EXPECT_EQ(classify("NOPERM No permissions to access a key").detail,
            "the user may not do this: NOPERM No permissions to access a key");
  EXPECT_EQ(classify("ERR odd").detail, "the server said: ERR odd");
}

TEST(Failure, ArgumentsThatRedisRepeatsAreNotShown) {
  const auto failure = classify("ERR unknown command 'AUTH', with args beginning with: 'ann' 'hunter2' ");
  EXPECT_EQ(failure.detail.find("hunter2"), std::string::npos) << failure.detail;
  EXPECT_NE(failure.detail.find("AUTH"), std::string::npos) << failure.detail;
}

TEST(Failure, ControlBytesOfAServerDoNotReachTheTerminal) {
  const auto bare = [](const std::string& text) { return text.find('\x1b') == std::string::npos; };
  EXPECT_TRUE(bare(classify("ERR \x1b[31mred").detail));
  EXPECT_TRUE(bare(classify("NOPERM to run the '\x1b[2Jx' command").detail));
}

TEST(Failure, AnEndlessReplyIsCut) {
  EXPECT_LT(classify("ERR " + std::string(1 << 20, 'x')).detail.size(), 1000u);
}

// What Redis says behind an error of the line in which this stands.
std::string raised_at(const Script& script, std::string_view what) {
  const auto place = script.body.find(what);
  if (place == std::string_view::npos) return "nowhere";
  const auto lines =
      std::count(script.body.begin(), script.body.begin() + static_cast<std::ptrdiff_t>(place), '\n');
  return " script: " + std::string(script.sha1) + ", on @user_script:" + std::to_string(lines + 1) + ".";
}

TEST(Failure, ACommandThatTheServerDoesNotKnowIsNamed) {
  const auto unknown = [](const std::string& commands) {
    return "the server does not know the command" + commands +
           " (renamed, disabled, or no Redis of version 7): enable it there, or use another server";
  };
  EXPECT_EQ(classify("ERR unknown command 'evalsha', with args beginning with: 'x' ").detail,
            unknown(" EVALSHA"));
  EXPECT_EQ(classify("ERR unknown command `EVAL`, with args beginning with: `x`").detail, unknown(" EVAL"));
  EXPECT_EQ(classify("ERR unknown command").detail, unknown(""));
  for (const std::string said :
       {"ERR Unknown Redis command called from script", "ERR Unknown command called from script"}) {
    EXPECT_EQ(classify(said + raised_at(admit_script, "redis.call('INFO'")).detail, unknown(" INFO"));
    EXPECT_EQ(classify(said + raised_at(acquire_script, "call('LPOS', queue, ticket) or")).detail,
              unknown(" LPOS or RPUSH"));
    EXPECT_EQ(classify(said + in_script).detail, unknown("") + ": " + said + in_script);
  }
  EXPECT_EQ(classify("ERR Invalid command passed to redis.acl_check_cmd()" +
                     raised_at(find_leases_script, "acl_check_cmd('GETRANGE'"))
                .detail,
            unknown(" PTTL or GETRANGE"));
}

// Redis 7.0 names no command there. Of our own scripts we know what stands in that line.
TEST(Failure, ACommandThatIsDeniedInAScriptOfOursIsNamed) {
  const std::string denied =
      "ERR The user executing the script can't run this command or subcommand script: ";
  const std::string sha1(admit_script.sha1);
  const std::string there =
      raised_at(admit_script, "redis.call('INFO'").substr(std::strlen(" script: ") + 40);
  EXPECT_EQ(classify(denied + sha1 + there).detail,
            "the user may not run INFO: it lacks +info (tenure doctor names all rights that are needed)");
  // Redis 8.0 names it, and says the rest in other words.
  const std::string named =
      "ERR ACL failure in script: User web has no permissions to run the 'info' command script: ";
  EXPECT_EQ(classify(named + sha1 + there).detail, classify(denied + sha1 + there).detail);
  // Of others, and of lines that there are not, nothing is made up.
  for (const std::string& reply :
       {denied + std::string(40, 'a') + there, denied + sha1 + ", on @user_script:1.",
        denied + sha1 + ", on @user_script:99999.", denied + sha1 + ", on @user_script:x."}) {
    EXPECT_TRUE(classify(reply).detail.starts_with("the user may not run what the script needs: ")) << reply;
  }
}

}  // namespace
}  // namespace tenure::redis
