// What scripts and commands may do beyond what Tenure's own do today: the simulator stays true to Redis
// when a script is changed.
#include <gtest/gtest.h>

#include "twins.hpp"

namespace tenure::conformance {
namespace {

class Language : public testing::Test {
 protected:
  void SetUp() override {
    twins.reset();
    twins.ask({"LPUSH", "list", "a"});
    twins.ask({"SET", "text", "abc"});
    twins.ask({"SET", "number", "41"});
    twins.ask({"SET", "leased", "x", "PX", "50000"});
  }

  void same(const redis::Command& command) {
    EXPECT_EQ(twins.compare(command), "");
    EXPECT_EQ(twins.compare_data(), "") << shown(command);
  }

  test::RedisServer real;
  sim::ScriptHost host;
  Twins twins{real, host};
};

TEST_F(Language, WhatAScriptReturnsBecomesTheSameReply) {
  for (const std::string body : {
           "return {1, 2.9, -2.9, 'x', false, true, nil, 5}",
           "return {{}, {{'deep'}}, {a = 1}}",
           "return nil",
           "return",
           "return 1e300",
           "return -1e300",
           "return 0 / 0",
           "return 9007199254740993",
           "return 'bytes \\0\\r\\n\\255'",
           "return {err = 'CODE of it'}",
           "return {{err = 'CODE inside'}, {ok = 'fine'}, 1}",
           "return redis.error_reply('CODE of it')",
           "return redis.error_reply('-CODE of it')",
           "return redis.error_reply('word')",
           "return redis.error_reply(1, 2)",
           "return redis.status_reply('fine')",
           "return redis.status_reply(7)",
           "return type",
           "return {#KEYS, #ARGV, KEYS[1], ARGV[2], KEYS[3]}",
           "#!lua\nreturn 1",
           "#!lua flags=allow-oom\nreturn {KEYS[1], unpack(ARGV)}",
       }) {
    same({"EVAL", body, "2", "a", "b", "c", "d"});
    same({"EVAL", body, "0"});
  }
}

TEST_F(Language, WhatACommandGivesAScriptIsTheSame) {
  for (const std::string body : {
           "return redis.call('GET', 'text')",
           "return redis.call('get', 'absent') == false",
           "return redis.call('MGET', 'list', 'absent', 'text')",
           "return type(redis.call('INCR', 'number'))",
           "return redis.call('SET', 'text', 'b').ok",
           "return redis.call('SET', 'text', 'b', 'NX')",
           "return redis.call('SET', 'text', 'b', 'GET')",
           "return redis.call('SET', 'other', 1.5)",
           "return redis.call('SET', 'other', 1e15)",
           "return redis.call('SET', 'leased', 'y', 'XX', 'KEEPTTL')",
           "return redis.call('PEXPIRE', 'leased', 0)",
           "return redis.call('PEXPIRE', 'text', 90000)",
           "return redis.call('DEL', 'text', 'text', 'list')",
           "return redis.call('EXISTS', 'text', 'text', 'absent')",
           "return redis.call('TYPE', 'list')",
           "return redis.call('PING')",
           "return #redis.call('TIME')",
           "return type(redis.call('TIME')[1])",
           "return redis.pcall('GET', 'list')",
           "return redis.pcall('GET', 'list').err",
           "return redis.pcall('NOSUCH', 'list').err",
           "return redis.pcall('GET').err",
       }) {
    same({"EVAL", body, "0"});
  }
}

TEST_F(Language, WhatEndsAScriptIsTheSame) {
  for (const std::string body : {
           "redis.call('SET', 'done', '1') return redis.call('GET', 'list')",
           "return redis.call('NOSUCH', 'list')",
           "return redis.call('GET')",
           "return redis.call()",
           "return redis.call('GET', {})",
           "return redis.call('INCR', 'text')",
           "return redis.call('SET', 'text', 'b', 'PX', '0')",
           "return redis.call('PEXPIRE', 'text', '1.5')",
           "error('oh')",
           "error({err = 'CODE of it'})",
           "error(7)",
           "error()",
           "local none = nil; return none.field",
           "return 'a' < 1",
           "left = 1",
           "string = 1",
           "string.sub = 1",
           "KEYS = 1",
           "return nowhere",
           "return print",
           "this is not Lua",
           "return (",
       }) {
    same({"EVAL", body, "0"});
  }
}

TEST_F(Language, CommandsAnswerTheSame) {
  const std::vector<redis::Command> commands{
      {"GET", "list"},
      {"GET"},
      {"get", "text"},
      {"NOSUCH", "a", "b"},
      {"nosuch"},
      {"INCR", "number"},
      {"INCR", "text"},
      {"INCR", "list"},
      {"INCR", "fresh"},
      {"INCR", "leased"},
      {"SET", "text", "b", "PX"},
      {"SET", "text", "b", "PX", "50000", "KEEPTTL"},
      {"SET", "text", "b", "PX", "90000", "PX", "50000"},
      {"SET", "text", "b", "PX", "9223372036854775807"},
      {"SET", "text", "b", "NX", "XX"},
      {"SET", "text", "b", "WHAT"},
      {"SET", "list", "b", "NX"},
      {"SET", "list", "b", "NX", "GET"},
      {"SET", "list", "b", "GET"},
      {"SET", "absent", "b", "XX", "GET"},
      {"SET", "absent", "b", "NX", "GET", "PX", "50000"},
      {"SET", "list", "b"},
      {"SET", "leased", "b"},
      {"PEXPIRE", "gone", "50000"},
      {"PEXPIRE", "gone", "x"},
      {"PEXPIRE", "text", "9223372036854775807"},
      {"PEXPIRE", "text", "50000", "WHAT"},
      {"PEXPIRE", "text", "-9223372036854775808"},
      {"PTTL", "gone"},
      {"PTTL", "number"},
      {"PTTL", "leased"},
      {"LPUSH", "number", "a"},
      {"TYPE", "gone"},
      {"PING"},
      {"PING", "you"},
      {"PING", "you", "there"},
      {"TIME", "1"},
      {"EVAL", "return 1"},
      {"EVAL", "return 1", "2", "a"},
      {"EVAL", "return 1", "-1", "a"},
      {"EVAL", "return 1", "x", "a"},
      {"EVALSHA", "abc", "0"},
      {"EVALSHA", std::string(redis::renew_script.sha1), "x"},
      {"SCRIPT", "LOAD", std::string(redis::renew_script.body)},
      {"EVALSHA", std::string(redis::renew_script.sha1), "x"},
      {"EVALSHA", std::string(redis::renew_script.sha1), "0", "5"},
      {"SCRIPT", "LOAD"},
      {"SCRIPT", "FLUSH", "SYNC"},
      {"SCRIPT", "FLUSH", "x"},
      {"SCRIPT", "NOSUCH"},
      {"SCRIPT"},
      {"FLUSHALL"},
  };
  for (const redis::Command& command : commands) same(command);
}

}  // namespace
}  // namespace tenure::conformance
