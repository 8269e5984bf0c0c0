// Sessions read from a real Redis: all of them, by a scan and by the index, as they change, and over a restart.
#include <gtest/gtest.h>

#include <chrono>

#include "poll/session_json.hpp"
#include "redis/session_call.hpp"
#include "support/certificates.hpp"
#include "support/redis_server.hpp"
#include "tenure/session.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;
using Find = StoredSessionsOptions::Find;

std::string text_of(const std::string& id, const std::string& address = "http://a") {
  return poll::write_session({.id = id, .address = address});
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

class RedisSessionsTest : public testing::TestWithParam<Find> {
 protected:
  std::unique_ptr<SessionSource> source(StoredSessionsOptions options = {}) {
    options.url = server.url();
    options.find = GetParam();
    return stored_sessions(options).value();
  }
  // As tenure sessions does.
  redis::Put put(const std::string& id, const std::string& text) {
    const auto before = server.command({"GET", keys.session(id)});
    std::optional<std::string> old;
    if (before.kind == redis::Value::Kind::string) old = before.text;
    return redis::session_put(server.command(redis::session_put_call(keys, {id, text}, old))).value();
  }
  bool remove(const std::string& id) {
    return redis::session_removed(server.command(redis::session_remove_call(keys, id))).value();
  }
  std::int64_t calls() {
    const std::string info = server.command({"INFO", "stats"}).text;
    const std::string label = "total_commands_processed:";
    return std::stoll(info.substr(info.find(label) + label.size()));
  }

  RedisServer server;
  redis::SessionKeys keys;
};

INSTANTIATE_TEST_SUITE_P(Both, RedisSessionsTest, testing::Values(Find::scan, Find::index),
                         [](const auto& it) { return it.param == Find::scan ? "Scan" : "Index"; });

TEST_P(RedisSessionsTest, GivesAllSessionsByIdAndTheBadOnesWithTheReason) {
  put("b", text_of("b"));
  put("a", R"({"address":"https://x","interval_ms":4000,"paused":true})");
  put("c", "nonsense");
  put("d", R"({"address":"ftp://x"})");
  server.command({"ZADD", keys.index(), "1", "e"});
  server.command({"RPUSH", "session:e", "x"});
  server.command({"SET", "sessions:f", text_of("f")});
  const auto sessions = source()->read().value();
  EXPECT_EQ(sessions.good,
            (std::vector<Session>{{"a", "https://x", 4s, true}, {"b", "http://a", 10s, false}}));
  ASSERT_EQ(sessions.bad.size(), 3U);
  EXPECT_EQ(sessions.bad[0].id, "c");
  EXPECT_TRUE(sessions.bad[0].why.starts_with("its text is not JSON")) << sessions.bad[0].why;
  EXPECT_EQ(sessions.bad[1], (BadSession{"d", "the address does not begin with http:// or https://"}));
  EXPECT_EQ(sessions.bad[2], (BadSession{"e", "its key is not a string"}));
  EXPECT_EQ(source({.http = false})->read().value().good.size(), 3U);
}

TEST_P(RedisSessionsTest, SeesWhatIsAddedChangedAndRemoved) {
  const auto sessions = source();
  EXPECT_TRUE(sessions->read().value().good.empty());
  put("a", text_of("a"));
  put("b", text_of("b"));
  EXPECT_EQ(sessions->read().value().good.size(), 2U);
  put("a", text_of("a", "http://other"));
  EXPECT_EQ(sessions->read().value().good[0].address, "http://other");
  put("a", "{}");
  EXPECT_EQ(sessions->read().value().bad, (std::vector<BadSession>{{"a", "it has no address"}}));
  EXPECT_TRUE(remove("a"));
  EXPECT_FALSE(remove("a"));
  // One comes and one goes: as many as before.
  EXPECT_TRUE(remove("b"));
  put("c", text_of("c"));
  const auto last = sessions->read().value();
  EXPECT_TRUE(last.bad.empty());
  EXPECT_EQ(last.good, (std::vector<Session>{{"c", "http://a", 10s, false}}));
}

TEST_P(RedisSessionsTest, OneSessionOf100MegabytesIsBadAndNoOtherSuffers) {
  put("a", text_of("a"));
  put("huge", text_of("huge"));
  server.command({"SETRANGE", "session:huge", "100000000", "x"});
  const auto began = std::chrono::steady_clock::now();
  const auto sessions = source()->read().value();
  EXPECT_LT(std::chrono::steady_clock::now() - began, 1s);
  EXPECT_EQ(sessions.good.size(), 1U);
  EXPECT_EQ(sessions.bad, (std::vector<BadSession>{{"huge", "its text is longer than 64 KiB"}}));
}

TEST_P(RedisSessionsTest, ManySessionsOfTheLongestTextFit) {
  for (int i = 0; i < 450; ++i) {
    const std::string id = std::to_string(i);
    std::string text = R"({"address":"http://a","x":")";
    put(id, text + std::string(poll::session_text_max - text.size() - 2, 'x') + "\"}");
  }
  EXPECT_EQ(source()->read().value().good.size(), 450U);
}

TEST_P(RedisSessionsTest, AFleetAndAPrefixCanBeChosenAndAreTakenLiterally) {
  keys = {"f*", "s?[x]:"};
  put("a", text_of("a"));
  server.command({"SET", "sxx:b", text_of("b")});
  const auto sessions = source({.fleet = "f*", .prefix = "s?[x]:"})->read().value();
  EXPECT_EQ(sessions.good, (std::vector<Session>{{"a", "http://a", 10s, false}}));
}

TEST_P(RedisSessionsTest, ARestartIsSurvivedAndLostDataIsNoticed) {
  const auto sessions = source();
  put("a", text_of("a"));
  put("b", text_of("b"));
  EXPECT_EQ(sessions->read().value().good.size(), 2U);
  server.kill();
  const auto gone = sessions->read();
  ASSERT_FALSE(gone.has_value());
  EXPECT_TRUE(has(gone.error(), server.url() + ": ")) << gone.error();
  server.restart();
  put("c", text_of("c", "http://c"));
  put("b", text_of("b", "http://b"));
  EXPECT_EQ(sessions->read().value().good, (std::vector<Session>{{"b", "http://b"}, {"c", "http://c"}}));
}

TEST_P(RedisSessionsTest, AnEmptiedRedisWithAsManyNewSessionsIsNoticed) {
  const auto sessions = source();
  put("a", text_of("a", "http://old"));
  EXPECT_EQ(sessions->read().value().good.size(), 1U);
  server.command({"FLUSHALL"});
  put("a", text_of("a", "http://new"));
  EXPECT_EQ(sessions->read().value().good, (std::vector<Session>{{"a", "http://new"}}));
}

TEST_P(RedisSessionsTest, TenThousandSessionsAreReadWithinASecond) {
  for (int i = 0; i < 10'000; ++i) {
    const std::string id = "s" + std::to_string(i);
    server.command({"SET", "session:" + id, text_of(id)});
    server.command({"ZADD", keys.index(), std::to_string(i + 1), id});
  }
  server.command({"SET", keys.version(), "10000"});
  const auto sessions = source();
  const auto began = std::chrono::steady_clock::now();
  EXPECT_EQ(sessions->read().value().good.size(), 10'000U);
  const auto took = std::chrono::steady_clock::now() - began;
  EXPECT_LT(took, 1s);
  RecordProperty("milliseconds", std::to_string(took / 1ms));
}

class SessionIndexTest : public RedisSessionsTest {};
INSTANTIATE_TEST_SUITE_P(One, SessionIndexTest, testing::Values(Find::index));

TEST_P(SessionIndexTest, AnUnchangedIndexCostsOneCallAndAChangeOnlyWhatChanged) {
  for (int i = 0; i < 1'000; ++i) put(std::to_string(i), text_of(std::to_string(i)));
  const auto sessions = source();
  sessions->read().value();
  const auto before = calls();
  sessions->read().value();
  EXPECT_EQ(calls() - before, 2);  // the GET, and the INFO that asks
  put("7", text_of("7", "http://other"));
  const auto changed = calls();
  EXPECT_EQ(sessions->read().value().good.size(), 1'000U);
  // GET, ZRANGE, ZCARD, the script with one GETRANGE, INFO.
  EXPECT_LE(calls() - changed, 6);
}

TEST_P(SessionIndexTest, MoreChangesThanArePagedAreSeenAllTheSame) {
  put("a", text_of("a"));
  const auto sessions = source();
  EXPECT_EQ(sessions->read().value().good.size(), 1U);
  std::vector<std::string> add{"ZADD", keys.index()};
  std::vector<std::string> set{"MSET"};
  const auto version = std::stoll(server.command({"GET", keys.version()}).text);
  for (int i = 0; i < 12'000; ++i) {
    const std::string id = std::to_string(i);
    add.insert(add.end(), {std::to_string(version + i + 1), id});
    set.insert(set.end(), {"session:" + id, text_of(id)});
  }
  server.command(add);
  server.command(set);
  server.command({"SET", keys.version(), std::to_string(version + 12'000)});
  EXPECT_EQ(sessions->read().value().good.size(), 12'001U);
}

TEST_P(SessionIndexTest, EveryChangeIsToldToWhoListens) {
  RedisConnection ear(server.socket_path());
  ear.command({"SUBSCRIBE", "poll:changes"});
  put("a", text_of("a"));
  EXPECT_EQ(ear.receive().items.at(2).text, "sessions");
  EXPECT_EQ(put("a", text_of("a")), redis::Put::same);
  remove("a");
  EXPECT_EQ(ear.receive().items.at(2).text, "sessions");
}

TEST_P(SessionIndexTest, APutOverATextThatChangedMeanwhileChangesNothing) {
  put("a", text_of("a"));
  const auto version = server.command({"GET", keys.version()}).text;
  const auto over = [&](const std::optional<std::string>& before) {
    return redis::session_put(server.command(redis::session_put_call(keys, {"a", "{}"}, before))).value();
  };
  EXPECT_EQ(over(std::nullopt), redis::Put::changed);
  EXPECT_EQ(over("something else"), redis::Put::changed);
  EXPECT_EQ(server.command({"GET", "session:a"}).text, text_of("a"));
  EXPECT_EQ(server.command({"GET", keys.version()}).text, version);
  EXPECT_EQ(over(text_of("a")), redis::Put::written);
}

TEST(RedisSessions, BadOptionsAreRefusedWithTheReason) {
  const auto why = [](const StoredSessionsOptions& options) {
    const auto source = stored_sessions(options);
    EXPECT_FALSE(source.has_value());
    return source ? "" : source.error().message;
  };
  EXPECT_TRUE(has(why({.url = "nonsense"}), "bad Redis address")) << why({.url = "nonsense"});
  EXPECT_TRUE(has(why({.fleet = ""}), "the fleet's name is empty"));
  EXPECT_TRUE(has(why({.prefix = "a\n"}), "control character"));
  EXPECT_TRUE(has(why({.timeout = 0ms}), "timeout"));
  EXPECT_FALSE(has(why({.url = "redis://me:secret@"}), "secret"));
  EXPECT_EQ(why({.url = "redis://a", .tls = {.ca_file = "ca.crt"}}),
            "TLS is set up, and no address asks for it: those begin with rediss://");
}

TEST(RedisSessions, SpeakTlsAndAsAnAclUserWhereAsked) {
  Certificates certificates;
  RedisServer server({.tcp = true,
                      .tls = certificates.server(),
                      .arguments = {"--requirepass", "secret"},
                      .password = "secret"});
  server.command({"SET", "session:a", text_of("a")});
  const auto source =
      stored_sessions({.url = server.url(":secret"), .tls = {.ca_file = certificates.ca_file()}}).value();
  EXPECT_EQ(source->read().value().good.size(), 1U);
  const auto refused =
      stored_sessions({.url = server.url(":wrong"), .tls = {.ca_file = certificates.ca_file()}})
          .value()
          ->read();
  ASSERT_FALSE(refused.has_value());
  EXPECT_FALSE(has(refused.error(), ":wrong@")) << refused.error();
}

}  // namespace
}  // namespace tenure::test
