// Names of all kinds at every door of the program: taken as they are, or refused in one line; never obeyed by a shell, a
// script, a pattern or a terminal.
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <functional>

#include "cli/every_command.hpp"

namespace tenure::test {
namespace {

const Words bad_names{"", "a\nb", "a\r\nSET x y", "\t", "\x1b[2J", "a\x7f", "\xff\xfe", "a\xc3",
                      "\xed\xa0\x80", "a\u202eb", "a\u200b", std::string(513, 'x'),
                      // As long as the kernel lets an argument be.
                      std::string(131'000, 'x')};

// Each place where a name may stand.
std::vector<Words> doors(const std::string& name) {
  const Words end{"--", "true"};
  return {
      Words{"run", name} + end,
      Words{"run", "job", "--id", name} + end,
      Words{"run", "job", "--prefix", name} + end,
      Words{"run", "job", "--lock-prefix", name} + end,
      Words{"elect", name},
      Words{"elect", "job", "--id", name},
      Words{"elect", "job", "--prefix", name},
      Words{"lock", "show", name},
      Words{"lock", "break", name, "--yes"},
      Words{"lock", "ls", "--lock-prefix", name},
      Words{"sessions", "add", name, "http://a"},
      Words{"sessions", "rm", name},
      Words{"sessions", "pause", name},
      Words{"sessions", "resume", name},
      Words{"sessions", "ls", "--fleet", name},
      Words{"sessions", "ls", "--session-prefix", name},
      Words{"status", "--fleet", name},
      Words{"explain", name},
      Words{"poll", "--id", name},
      Words{"poll", "--fleet", name},
      Words{"poll", "--session-prefix", name},
      Words{"poll", "--prefix", name},
      Words{"init", "--prefix", name},
      Words{"doctor", "--prefix", name},
  };
}

TEST(BadNames, AreRefusedInOneLineAtEveryDoorAndTouchNothing) {
  ReadyRedis redis;
  const auto before = contents(redis);
  for (const auto& name : bad_names) {
    std::vector<std::pair<Words, std::unique_ptr<Process>>> all;
    for (const auto& words : doors(name)) {
      all.emplace_back(words, start_tenure(words, {"TENURE_REDIS=" + redis.url()}));
    }
    for (const auto& [words, process] : all) {
      const Result result = result_of(*process);
      EXPECT_EQ(result.code, 64) << joined(words) << result.err;
      EXPECT_EQ(result.out, "") << joined(words);
      EXPECT_TRUE(is_one_plain_line(result.err)) << joined(words) << result.err;
      EXPECT_LT(result.err.size(), 2'000U) << joined(words);
    }
  }
  EXPECT_EQ(contents(redis), before);
}

const Words odd_names{"{a}",
                      "a*",
                      "[a-z]?",
                      "\\",
                      "$(touch hacked)",
                      "`touch hacked`",
                      "a; touch hacked",
                      "'\"",
                      "%s%n%%",
                      "<script>alert(1)</script>",
                      "../../etc/passwd",
                      "redis.call('FLUSHALL')",
                      "KEYS[1]",
                      "a b",
                      "#",
                      "a#0123456789abcdef#1",
                      "\xc3\xa4\xe2\x82\xac\xf0\x9f\x94\x92",
                      std::string(512, 'x')};

class OddNames : public ::testing::Test {
 protected:
  // What a shell, a pattern or a script would have done.
  void TearDown() override {
    EXPECT_FALSE(std::filesystem::exists("hacked"));
    EXPECT_EQ(redis.command({"EXISTS", "tenure:record"}).integer, 1);
  }
  Result ask(const Words& words) const { return tenure(words, {"TENURE_REDIS=" + redis.url()}); }
  std::vector<std::unique_ptr<Process>> start_for_each(
      const std::function<Words(const std::string&)>& words) {
    std::vector<std::unique_ptr<Process>> all;
    for (const auto& name : odd_names)
      all.push_back(start_tenure(words(name), {"TENURE_REDIS=" + redis.url()}));
    return all;
  }
  bool exists(const std::string& key) { return redis.command({"EXISTS", key}).integer == 1; }

  ReadyRedis redis;
};

TEST_F(OddNames, OfLocksAndOwnersAreTakenAsTheyAre) {
  const auto holders = start_for_each([](const std::string& name) {
    return Words{"run", name, "--id", name, "--"} + shell("echo \"$TENURE_NAME\"; exec sleep 60");
  });
  for (std::size_t i = 0; i < odd_names.size(); ++i) {
    const std::string& name = odd_names[i];
    EXPECT_TRUE(prints(*holders[i], name + "\n")) << name << holders[i]->err();
    EXPECT_TRUE(redis.command({"GET", "redlock:" + name}).text.starts_with(name + "#")) << name;
    const Result shown = ask({"lock", "show", name});
    EXPECT_EQ(shown.code, 0) << name << shown.err;
  }
  EXPECT_EQ(table(ask({"lock", "ls"}).out).size(), odd_names.size() + 1) << ask({"lock", "ls"}).out;
  for (const auto& holder : holders) holder->send(SIGTERM);
  for (const auto& holder : holders) EXPECT_EQ(holder->exit_code(), 128 + SIGTERM);
  EXPECT_EQ(keys(redis), only_record);
}

TEST_F(OddNames, OfElectionsAndCandidatesAreTakenAsTheyAre) {
  const auto leaders =
      start_for_each([](const std::string& name) { return Words{"elect", name, "--id", name}; });
  for (std::size_t i = 0; i < odd_names.size(); ++i) {
    EXPECT_TRUE(prints(*leaders[i], "elected term=")) << odd_names[i] << leaders[i]->err();
    EXPECT_TRUE(exists(odd_names[i])) << odd_names[i];
    leaders[i]->send(SIGTERM);
  }
  for (const auto& leader : leaders) EXPECT_EQ(leader->exit_code(), 0) << leader->err();
  EXPECT_EQ(keys(redis), only_record);
}

TEST_F(OddNames, OfSessionsAndFleetsAreTakenAsTheyAre) {
  const auto each = [&](const std::function<void(const std::string&)>& what) {
    for (const auto& name : odd_names) what(name);
  };
  const auto done = [&](const Words& words) {
    const Result result = ask(words);
    EXPECT_EQ(result.code, 0) << joined(words) << result.err;
  };
  each([&](const auto& name) { done({"sessions", "add", name, "http://a"}); });
  each([&](const auto& name) { EXPECT_TRUE(exists("session:" + name)) << name; });
  each([&](const auto& name) { done({"sessions", "pause", name}); });
  each([&](const auto& name) { done({"explain", name}); });
  EXPECT_EQ(table(ask({"sessions", "ls"}).out).size(), odd_names.size() + 1);
  EXPECT_EQ(table(ask({"sessions", "ls", "--index"}).out).size(), odd_names.size() + 1);
  done({"status", "--all"});
  each([&](const auto& name) { done({"sessions", "rm", name}); });
  each([&](const auto& name) { done({"sessions", "add", "s", "http://a", "--fleet", name}); });
  each([&](const auto& name) { EXPECT_TRUE(exists(name + ":sessions")) << name; });
}

}  // namespace
}  // namespace tenure::test
