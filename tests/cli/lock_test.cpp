// tenure lock ls and show: who holds what, seen from all nodes.
#include <gtest/gtest.h>

#include <csignal>

#include "cli/tenure_program.hpp"

namespace tenure::test {
namespace {

class LockTest : public testing::Test {
 protected:
  LockTest() { make_ready(urls()); }

  Words urls() const { return urls_of(nodes); }
  std::unique_ptr<Process> hold(const std::string& name, const std::string& id) {
    return start_tenure(Job{.name = name, .options = {"--id", id}, .command = stay()}.words(urls()));
  }
  Result lock(const Words& words) { return tenure(Words{"lock"} + words + redis_options(urls())); }
  bool all_have(const std::string& key) {
    return wait_until([&] {
      return std::ranges::all_of(
          nodes, [&](RedisServer& node) { return node.command({"EXISTS", key}).integer == 1; });
    });
  }

  // A node that answers late shows a token of its own until it hears which one counts.
  bool all_agree(const std::string& name) {
    return wait_until([&] {
      const std::string shown = nodes[0].command({"GET", name}).text;
      return !shown.empty() && std::ranges::all_of(nodes, [&](RedisServer& node) {
        return node.command({"GET", name}).text == shown;
      });
    });
  }

  RedisServer nodes[3];
};

TEST_F(LockTest, LsShowsEveryNameWithItsOwnerTokenTimeWaitersAndNodes) {
  const auto b = hold("b", "web-3");
  const long token = number_printed(*b);
  const auto a = hold("a", "web-4");
  number_printed(*a);
  const auto waiter = hold("b", "web-5");
  ASSERT_TRUE(all_agree("redlock:a") && all_agree("redlock:b") && all_have("tenure:queue:redlock:b"));
  nodes[0].command({"SET", "redlock:left-over", "web-9#0123456789abcdef#5", "PX", "50000"});
  nodes[1].command({"SET", "other:c", "x"});

  const Result result = lock({"ls"});
  EXPECT_EQ(result.code, 0) << result.err;
  const auto rows = table(result.out);
  ASSERT_EQ(rows.size(), 4U) << result.out;
  EXPECT_EQ(rows[0], (Words{"NAME", "KIND", "STATE", "OWNER", "TOKEN", "LEFT", "WAITING", "NODES"}));
  EXPECT_EQ(rows[1][0], "a");
  EXPECT_EQ(rows[2][0], "b");
  EXPECT_EQ(rows[2][1], "lock");
  EXPECT_EQ(rows[2][2], "held");
  EXPECT_EQ(rows[2][3], "web-3");
  EXPECT_EQ(rows[2][4], std::to_string(token));
  EXPECT_TRUE(rows[2][5].ends_with("s")) << result.out;
  EXPECT_EQ(rows[2][6], "1");
  EXPECT_EQ(rows[2][7], "3/3");
  EXPECT_EQ(rows[3], (Words{"left-over", "lock", "free", "web-9", "5", "50s", "0", "1/3"}));
}

TEST_F(LockTest, ShowTellsWhatEachNodeShows) {
  const auto holder = hold("job", "web-3");
  const std::string token = std::to_string(number_printed(*holder));
  ASSERT_TRUE(all_agree("redlock:job"));
  nodes[1].command({"DEL", "redlock:job"});
  const Result result = lock({"show", "job"});
  EXPECT_EQ(result.code, 0);
  EXPECT_TRUE(result.out.starts_with("job: a lock, held by web-3 for another ")) << result.out;
  EXPECT_TRUE(has(result.out, "  " + urls()[0] + ": held by web-3 for another ")) << result.out;
  EXPECT_TRUE(has(result.out, "  " + urls()[1] + ": nothing\n")) << result.out;
  EXPECT_TRUE(has(result.out, "(token " + token + ")")) << result.out;
}

TEST_F(LockTest, ShowOfANameThatNobodyHasExitsWithOne) {
  const Result free = lock({"show", "job"});
  EXPECT_EQ(free.code, 1);
  EXPECT_TRUE(free.out.starts_with("job: free\n")) << free.out;
  nodes[0].command({"SET", "redlock:job", "web-9#0123456789abcdef#5", "PX", "50000"});
  const Result left_over = lock({"show", "job"});
  EXPECT_EQ(left_over.code, 1);
  EXPECT_TRUE(
      left_over.out.starts_with("job: a lock, free; what is left of web-9 on 1 of 3 nodes ends in 50s\n"))
      << left_over.out;
}

TEST_F(LockTest, AnOwnerWithTheUsualIdIsShownWithTheTimeItsProcessBegan) {
  nodes[0].command({"SET", "redlock:job", "db-1-1794750636-46cde950#0123456789abcdef#5", "PX", "50000"});
  nodes[1].command({"SET", "redlock:job", "db-1-1794750636-46cde950#0123456789abcdef#5", "PX", "50000"});
  EXPECT_TRUE(has(lock({"show", "job"}).out, "its owner is a process since 2026-11-1"));
  EXPECT_TRUE(has(lock({"show", "job", "--json"}).out, R"("owner_began": 1794750636)"));
}

TEST_F(LockTest, JsonHasTheSameFactsWellEscaped) {
  const auto holder = hold("a\"b", "web\\3");
  const std::string token = std::to_string(number_printed(*holder));
  ASSERT_TRUE(all_agree("redlock:a\"b"));
  const Result ls = lock({"ls", "--json"});
  EXPECT_EQ(ls.code, 0);
  const std::string start =
      R"("name": "a\"b", "kind": "lock", "fleet": null, "state": "held", "owner": "web\\3", "token": )" +
      token + R"(, "left_ms": )";
  EXPECT_TRUE(ls.out.starts_with(R"({"locks": [{)" + start)) << ls.out;
  EXPECT_TRUE(has(ls.out, R"("owner_began": null, "waiting": 0, "shown_on": 3, "nodes": 3}], "fleets": []})"))
      << ls.out;
  const Result show = lock({"show", "a\"b", "--json"});
  EXPECT_TRUE(show.out.starts_with("{" + start)) << show.out;
  EXPECT_TRUE(
      has(show.out, R"("views": [{"node": ")" + urls()[0] + R"(", "answers": true, "owner": "web\\3")"))
      << show.out;
}

TEST_F(LockTest, OneNodeThatDoesNotAnswerIsSaidAndTwoAreTooMany) {
  const auto holder = hold("job", "web-3");
  number_printed(*holder);
  ASSERT_TRUE(all_agree("redlock:job"));
  nodes[2].kill();
  const Result some = lock({"show", "job"});
  EXPECT_EQ(some.code, 0);
  EXPECT_TRUE(has(some.err, "tenure: " + urls()[2] + ": connection refused")) << some.err;
  EXPECT_TRUE(has(some.out, "  " + urls()[2] + ": no answer")) << some.out;
  nodes[1].kill();
  for (const Words& words : std::vector<Words>{{"show", "job"}, {"ls"}, {"break", "job", "--yes"}}) {
    const Result few = lock(words);
    EXPECT_EQ(few.code, 69) << words.front();
    EXPECT_EQ(few.out, "");
    EXPECT_TRUE(has(few.err, "2 of 3 nodes must answer, and 2 failed:")) << few.err;
    EXPECT_TRUE(has(few.err, urls()[1] + ": connection refused")) << few.err;
  }
}

TEST(Lock, OfNothingLsSaysSo) {
  ReadyRedis redis;
  const Result result = tenure({"lock", "ls", "--redis", redis.url()});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err,
            "tenure: there are no locks under redlock:, no elections, and no sessions that anybody owns\n");
  EXPECT_EQ(tenure({"lock", "ls", "--json", "--redis", redis.url()}).out,
            "{\"locks\": [], \"fleets\": []}\n");
}

TEST(Lock, LsGoesThroughManyKeysAndTakesThePrefixLiterally) {
  ReadyRedis redis;
  for (int i = 0; i < 2'500; ++i) {
    redis.command({"SET", "a*[b]:" + std::to_string(i), "web-3#0123456789abcdef#5", "PX", "50000"});
  }
  redis.command({"SET", "axb:1", "x"});
  const Result result = tenure({"lock", "ls", "--redis", redis.url(), "--lock-prefix", "a*[b]:"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(table(result.out).size(), 2'501U);
  // Tenure's own keys are no locks.
  redis.command({"FLUSHALL"});
  make_ready({redis.url()});
  EXPECT_TRUE(
      has(tenure({"lock", "ls", "--redis", redis.url(), "--lock-prefix", "tenure:"}).err, "no locks"));
}

TEST(Lock, KeysOfOthersAreShownWithoutHarm) {
  ReadyRedis redis;
  redis.command({"SET", "redlock:hand", "by\x1b[2J hand"});
  redis.command({"RPUSH", "redlock:list", "x"});
  const Result result = tenure({"lock", "ls", "--redis", redis.url()});
  const auto rows = table(result.out);
  ASSERT_EQ(rows.size(), 3U) << result.out;
  EXPECT_EQ(rows[1][2], "foreign");
  EXPECT_TRUE(has(result.out, "by\\x1b[2J hand  -      for ever")) << result.out;
  EXPECT_EQ(rows[2], (Words{"list", "lock", "foreign", "-", "-", "for", "ever", "0", "1/1"}));
}

TEST(Lock, BadWordsAreNamed) {
  const auto says = [](const Words& words) {
    const Result result = tenure(Words{"lock"} + words);
    EXPECT_EQ(result.code, 64) << result.err;
    EXPECT_EQ(result.out, "");
    return result.err;
  };
  EXPECT_TRUE(has(says({}), "lock wants a command of its own: ls, show and break"));
  EXPECT_TRUE(has(says({"list"}), "\"list\""));
  EXPECT_TRUE(has(says({"show"}), "NAME is required"));
  EXPECT_TRUE(has(says({"show", ""}), "the name is empty"));
  EXPECT_TRUE(has(says({"show", "a", "b"}), "\"b\" is one word too many; see --help"));
  EXPECT_TRUE(has(says({"break"}), "NAME is required"));
  EXPECT_TRUE(has(says({"break", "job"}), "there is no terminal to ask on: add --yes"));
  EXPECT_TRUE(
      has(says({"break", "fence", "--yes", "--lock-prefix", "tenure:"}), "which Tenure needs for itself"));
  EXPECT_TRUE(has(says({"ls", "--redis", "nonsense"}), "bad Redis address"));
}

}  // namespace
}  // namespace tenure::test
