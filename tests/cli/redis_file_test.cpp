// --redis-file and TENURE_REDIS_FILE: passwords that stand in no argument and no environment. L11
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "cli/tenure_program.hpp"
#include "support/paths.hpp"

namespace tenure::test {
namespace {

class RedisFileTest : public ::testing::Test {
 protected:
  std::string write(const std::string& text, unsigned mode = 0600) {
    const auto path = redis_.directory() / ("list-" + std::to_string(++files_));
    std::ofstream(path) << text;
    std::filesystem::permissions(path, std::filesystem::perms(mode));
    return path;
  }
  Result run(const Words& options, const Words& environment = {}, const Words& command = {"true"}) {
    return tenure(Words{"run", "job"} + options + Words{"--"} + command, environment);
  }

  ReadyRedis redis_{{.arguments = {"--requirepass", "gehe!m"}, .password = "gehe!m"}, ":gehe!m"};
  std::string url_ = redis_.url(":gehe!m");
  int files_ = 0;
};

TEST_F(RedisFileTest, NamesTheNodesOneOnEachLine) {
  const std::string path = write("# the lock's own\r\n\n  " + url_ + "\t\r\n#" + url_ + "\n");
  const Result flag = run({"--redis-file", path});
  EXPECT_EQ(flag.code, 0) << flag.err;
  EXPECT_EQ(flag.err, "");
  EXPECT_EQ(run({}, {"TENURE_REDIS_FILE=" + path}).code, 0);
  EXPECT_EQ(run({"--redis-file", write(url_)}).code, 0) << "the last line needs no end";

  RedisServer two;
  RedisServer three;
  const std::string all = write(two.url() + "\n" + three.url() + "\n" + "unix:///no/such\n");
  const Result quorum = tenure({"init", "--redis-file", all});
  EXPECT_EQ(quorum.code, 69);
  EXPECT_TRUE(has(quorum.err, "unix:///no/such: there is no such socket")) << quorum.err;
}

TEST_F(RedisFileTest, ThePasswordIsNowhereInProc) {
  const Words show = shell("cat /proc/$PPID/cmdline /proc/$PPID/environ /proc/$$/environ | tr '\\0' '\\n'");
  const Result result = run({"--redis-file", write(url_)}, {}, show);
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(has(result.out, "--redis-file")) << result.out;
  EXPECT_TRUE(has(result.out, "TENURE_TOKEN=")) << result.out;
  EXPECT_FALSE(has(result.out, "gehe!m")) << result.out;
}

TEST_F(RedisFileTest, FlagsComeBeforeTheEnvironmentAndTenuresOwnBeforeOthers) {
  const std::string good = write(url_);
  const std::string bad = write("unix:///from-the-file\n");
  const auto reads = [](const Result& result, const std::string& where) {
    EXPECT_EQ(result.code, 69) << result.err;
    EXPECT_TRUE(has(result.err, where)) << result.err;
  };
  reads(run({"--redis-file", bad}, {"TENURE_REDIS=" + url_}), "/from-the-file");
  reads(run({"--redis", "unix:///from-the-flag"}, {"TENURE_REDIS_FILE=" + good}), "/from-the-flag");
  reads(run({}, {"TENURE_REDIS=unix:///from-the-variable", "TENURE_REDIS_FILE=" + good}),
        "/from-the-variable");
  reads(run({}, {"TENURE_REDIS_FILE=" + bad, "REDIS_URL=" + url_}), "/from-the-file");
  EXPECT_EQ(run({}, {"TENURE_REDIS_FILE=", "REDIS_URL=" + url_}).code, 0) << "an empty one counts as none";
  const Result both = run({"--redis", url_, "--redis-file", good});
  EXPECT_EQ(both.code, 64);
  EXPECT_EQ(both.err, "tenure: --redis and --redis-file both name the nodes: give one of them\n");
}

TEST_F(RedisFileTest, AFileThatOthersCanReadIsWarnedOfWhenItHoldsAPassword) {
  for (const unsigned mode : {0640U, 0604U, 0620U}) {
    const std::string path = write(url_, mode);
    const Result result = run({"--redis-file", path});
    EXPECT_EQ(result.code, 0);
    EXPECT_EQ(result.err,
              "tenure: warning: " + path + " holds a password, and others can read it: chmod 600\n");
  }
  EXPECT_EQ(run({"--redis-file", write(url_, 0400)}).err, "");
  RedisServer open;
  EXPECT_EQ(tenure({"init", "--redis-file", write(open.url(), 0644)}).err, "");
}

TEST_F(RedisFileTest, ErrorsNameTheFileAndTheLineAndShowNothingOfIt) {
  const auto says = [&](const std::string& path) {
    const Result result = run({"--redis-file", path});
    EXPECT_EQ(result.code, 64) << result.err;
    EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
    EXPECT_FALSE(has(result.err, "gehe")) << result.err;
    return result.err;
  };
  const std::string lines[]{"gehe!m",
                            "redis://me:gehe!m",
                            "redis://:gehe!m@gehe?x",
                            "gehe://gehe",
                            "redis://:gehe!m@h:gehe",
                            "redis://h/gehe",
                            "redis://gehe!m",
                            "redis://h?password=gehe",
                            "redis://h:6379:gehe",
                            "-----BEGIN gehe-",
                            "unix://gehe",
                            "rediss://me:ge%zzhe@h"};
  for (const auto& line : lines) {
    const std::string path = write("# one\n\n" + line + "\n");
    EXPECT_TRUE(has(says(path), "--redis-file: " + path + ", line 3: bad Redis address")) << line;
  }
  EXPECT_TRUE(has(says(write("# gehe!m\n\n")), "names no Redis"));
  EXPECT_TRUE(
      has(says("/no/such/file"), "--redis-file: /no/such/file cannot be read: No such file or directory"));
  EXPECT_TRUE(has(says("/tmp"), "--redis-file: /tmp cannot be read: Is a directory"));
  EXPECT_TRUE(has(says("/dev/zero"), "--redis-file: /dev/zero is too long"));
  EXPECT_TRUE(has(says(write(url_ + "\n" + url_ + "\n")), "is given twice"));
  EXPECT_TRUE(has(says(""), "--redis-file: it is empty"));
}

// Its watchdog is a process of its own, with the same arguments.
TEST_F(RedisFileTest, NoProcessOfTenureShowsAPasswordFromTheCommandLine) {
  const Words show = shell(
      "tenure=$(sed -n 's/^PPid:[^0-9]*//p' /proc/$PPID/status);"
      "for pid in $tenure $PPID $$; do echo; echo process;"
      "cat /proc/$pid/cmdline /proc/$pid/environ; done | tr '\\0' '\\n'");
  const Result result = run({"--redis", url_}, {}, show);
  EXPECT_EQ(result.code, 0) << result.err;
  // Tenure itself and its watchdog, which have the same arguments.
  const auto first = result.out.find(std::string("\nprocess\n") + paths::program + "\nrun\n");
  ASSERT_NE(first, std::string::npos) << result.out;
  EXPECT_NE(result.out.find(std::string("\nprocess\n") + paths::program + "\nrun\n", first + 1),
            std::string::npos)
      << result.out;
  EXPECT_FALSE(has(result.out, "gehe!m")) << result.out;
}

TEST_F(RedisFileTest, WhatIsSaidWhileALeaseIsLostShowsNoPassword) {
  const auto holder = start_tenure(Job{.options = {"--ttl", "1s"}, .command = stay()}.words(url_));
  number_printed(*holder);
  redis_.kill();
  EXPECT_EQ(holder->exit_code(), 79);
  EXPECT_TRUE(has(holder->err(), "is uncertain")) << holder->err();
  EXPECT_FALSE(has(holder->err(), "gehe!m")) << holder->err();
}

// The environment is the user's own: the command gets it as it is. What tenure adds to it holds no secret.
TEST_F(RedisFileTest, TheCommandInheritsTheEnvironmentAndNoSecretFromTenure) {
  const Result flag = run({"--redis", url_}, {}, shell("env"));
  EXPECT_EQ(flag.code, 0) << flag.err;
  EXPECT_FALSE(has(flag.out, "gehe!m")) << flag.out;
  const Result variable = run({}, {"TENURE_REDIS=" + url_}, shell("env"));
  EXPECT_EQ(variable.code, 0) << variable.err;
  EXPECT_TRUE(has(variable.out, "TENURE_REDIS=" + url_)) << variable.out;
}

}  // namespace
}  // namespace tenure::test
