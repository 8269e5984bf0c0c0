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
    twins.ask({"RPUSH", "list", "a", "b", "a", "c"});
    twins.ask({"HSET", "hash", "field", "1", "other", "2"});
    twins.ask({"SET", "text", "abc"});
    twins.ask({"SET", "number", "41"});
    twins.ask({"SET", "leased", "x", "PX", "50000"});
  }

  void same(const redis::Command& command) {
    EXPECT_EQ(twins.compare(command), "");
    EXPECT_EQ(twins.compare_data(), "") << to_text(command);
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
           "return redis.call('TYPE', 'hash')",
           "return redis.call('LPOS', 'list', 'b') + 1",
           "return redis.call('LPOS', 'list', 'x') == false",
           "return redis.call('LPOS', 'absent', 'x') == false",
           "return redis.call('LINDEX', 'list', 0)",
           "return redis.call('LINDEX', 'absent', 0) == false",
           "return redis.call('RPUSH', 'list', 'd') - 1",
           "return redis.call('LREM', 'list', 0, 'a')",
           "return redis.call('LPOP', 'list')",
           "return redis.call('LPOP', 'absent') == false",
           "return redis.call('LRANGE', 'list', 0, -1)",
           "return #redis.call('LRANGE', 'absent', 0, -1)",
           "return redis.call('HGET', 'hash', 'field')",
           "return redis.call('HGET', 'hash', 'x') == false",
           "return redis.call('HGET', 'absent', 'x') == false",
           "return redis.call('HKEYS', 'hash')",
           "return redis.call('HSET', 'hash', 'field', 1, 'new', 2)",
           "return #redis.call('HKEYS', 'absent')",
           "return redis.call('HDEL', 'hash', 'new', 'absent')",
           "return redis.call('PUBLISH', 'nobody', 'message')",
           "return string.match(redis.call('INFO', 'server'), 'run_id:(%x+)')",
           "return string.match(redis.call('INFO', 'REPLICATION'), '\\r\\nmaster_replid:(%x+)\\r\\n')",
           "return string.match(redis.call('INFO', 'replication'), '[^2]run_id:(%x+)') == nil",
           "return string.match(redis.call('INFO', 'replication', 'server'), 'run_id:(%x+)')",
           "return redis.call('INFO', 'nosuch')",
           "return redis.call('PING')",
           "return #redis.call('TIME')",
           "return type(redis.call('TIME')[1])",
           "return redis.pcall('GET', 'list')",
           "return string.match(redis.pcall('GET', 'list').err, '^%S+')",
           "return string.match(redis.pcall('GET', 'hash').err, '^%S+')",
           "return string.match(redis.pcall('HSET', 'new', 'a', 'b', 'c').err, '^%S+')",
           "return string.match(redis.pcall('LPOP', 'text').err, '^%S+')",
           "return string.match(redis.pcall('NOSUCH', 'list').err, '^%S+')",
           "return string.match(redis.pcall('GET').err, '^%S+')",
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
           "return redis.call('LREM', 'text', 0, 'a')",
           "return redis.call('RPUSH', 'hash', 'a')",
           "return redis.call('HSET', 'list', 'a', 'b')",
           "return redis.call('PUBLISH', 'channel')",
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

TEST_F(Language, AnotherCodeOfAnErrorIsADifference) {
  // To the real server it is a text that is no number, to the model a list.
  real.command({"SET", "only", "x"});
  twins.model().run({"RPUSH", "only", "x"}, 0);
  EXPECT_NE(twins.compare({"INCR", "only"}), "");
  EXPECT_NE(twins.compare({"EVAL", "return redis.call('INCR', 'only')", "0"}), "");
  EXPECT_EQ(twins.compare({"LPOS", "text", "x"}), "");
}

TEST_F(Language, AMessageReachesThoseWhoListenAndCountsThem) {
  twins.listen("channel");
  same({"PUBLISH", "channel", std::string("bytes \0\r\n\xff", 10)});
  same({"PUBLISH", "Channel", "nobody"});
  same({"EVAL", "return redis.call('PUBLISH', 'channel', 7)", "0"});
  // A script that fails has told them all the same.
  same({"EVAL", "redis.call('PUBLISH', 'channel', 'told') error('oh')", "0"});
  twins.stop_listening("channel");
  same({"PUBLISH", "channel", "nobody"});
  EXPECT_EQ(twins.heard(), 3U);
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
      {"LPUSH", "list", "x", "y"},
      {"RPUSH", "list", "x", "y"},
      {"RPUSH", "hash", "x"},
      {"RPUSH", "new", "x"},
      {"RPUSH", "list"},
      {"LLEN", "list"},
      {"LLEN", "gone"},
      {"LLEN", "text"},
      {"LRANGE", "list", "0", "-1"},
      {"LRANGE", "list", "-2", "100"},
      {"LRANGE", "list", "-100", "1"},
      {"LRANGE", "list", "3", "2"},
      {"LRANGE", "list", "100", "200"},
      {"LRANGE", "gone", "0", "-1"},
      {"LRANGE", "text", "0", "-1"},
      {"LRANGE", "text", "x", "-1"},
      {"LINDEX", "list", "1"},
      {"LINDEX", "list", "-1"},
      {"LINDEX", "list", "100"},
      {"LINDEX", "list", "-100"},
      {"LINDEX", "list", "x"},
      {"LINDEX", "gone", "x"},
      {"LINDEX", "text", "x"},
      {"LPOS", "list", "a"},
      {"LPOS", "list", "none"},
      {"LPOS", "text", "a"},
      {"LREM", "list", "1", "x"},
      {"LREM", "list", "-1", "a"},
      {"LREM", "list", "-5", "y"},
      {"LREM", "list", "0", "none"},
      {"LREM", "list", "x", "a"},
      {"LREM", "gone", "x", "a"},
      {"LREM", "gone", "0", "a"},
      {"LREM", "text", "0", "a"},
      {"LPOP", "list"},
      {"LPOP", "new"},
      {"LPOP", "new"},
      {"LPOP", "text"},
      {"HSET", "hash", "field", "3", "third", "4", "third", "5"},
      {"HSET", "hash", "field"},
      {"HSET", "hash", "field", "3", "third"},
      {"HSET", "text", "field", "3"},
      {"HSET", "fresh-hash", "", ""},
      {"HGET", "hash", "third"},
      {"HGET", "hash", "none"},
      {"HGET", "gone", "field"},
      {"HGET", "text", "field"},
      {"HKEYS", "fresh-hash"},
      {"HKEYS", "gone"},
      {"HKEYS", "text"},
      {"HKEYS", "hash", "field"},
      {"HDEL", "hash", "third", "none", "third"},
      {"HDEL", "hash"},
      {"HDEL", "gone", "field"},
      {"HDEL", "text", "field"},
      {"HDEL", "fresh-hash", ""},
      {"EXISTS", "fresh-hash"},
      {"INCR", "hash"},
      {"GET", "hash"},
      {"TYPE", "hash"},
      {"TYPE", "list"},
      {"MGET", "hash", "list", "text"},
      {"SET", "hash", "now a string", "KEEPTTL"},
      {"PUBLISH", "nobody", "message"},
      {"PUBLISH", "nobody"},
      {"INFO", "nosuch"},
      {"PEXPIRE", "list", "50000"},
      {"LPUSH", "list", "keeps its TTL"},
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
