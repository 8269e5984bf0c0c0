// Where the kernel gives no more descriptors: whatever their limit, the program works or says why not, ends with a
// code that its help names, and leaves neither a process nor a key behind.
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "cli/tenure_program.hpp"

namespace tenure::test {
namespace {

constexpr int limit_min = 3;
constexpr int limit_max = 40;

class DescriptorsTest : public testing::Test {
 protected:
  std::unique_ptr<Process> start(int limit, const Words& words) const {
    const Words limited{"sh", "-c", "ulimit -n " + std::to_string(limit) + "; exec \"$@\"", "sh",
                        paths::program};
    return std::make_unique<Process>(
        limited + words, Process::Options{.environment = plain_environment({mark()}), .own_group = true});
  }

  // Where the limit is high enough it ends with this code; elsewhere it says why not.
  void expect_a_decent_end(const Process& process, int code) {
    ASSERT_TRUE(process.wait(std::chrono::seconds(30)).has_value())
        << "it hangs, and said: " << process.err();
    const Result result = result_of(process);
    EXPECT_TRUE(wait_until([&] { return !somebody_is_left(); })) << result.err;
    // The very smallest limits end in the loader, which has to open libraries.
    if (has(result.err, "error while loading shared libraries")) return;
    for (const std::string crash : {"terminate called", "broken invariant", "internal error"}) {
      EXPECT_FALSE(has(result.err, crash)) << result.err;
    }
    if (result.code == code) {
      worked = true;
    } else {
      EXPECT_EQ(result.code, 125) << result.err;
      EXPECT_TRUE(has(result.err, "ulimit -n")) << result.err;
    }
  }

  // For every limit: starts these words, waits until they are about to stay, and ends them.
  void expect_that_a_signal_ends(const Words& words, const std::string& said, int code) {
    for (int limit = limit_min; limit <= limit_max; ++limit) {
      SCOPED_TRACE(limit);
      const auto process = start(limit, words);
      EXPECT_TRUE(
          wait_until([&] { return !process->running() || has(process->out() + process->err(), said); },
                     std::chrono::seconds(30)));
      process->send(SIGTERM);
      expect_a_decent_end(*process, code);
    }
    EXPECT_TRUE(worked);
  }

  std::string mark() const { return "STARTED_FOR=" + redis.url(); }

  bool somebody_is_left() const {
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      std::ifstream file(entry.path() / "environ");
      if (has(std::string(std::istreambuf_iterator<char>(file), {}), mark())) return true;
    }
    return false;
  }

  ReadyRedis redis;
  bool worked = false;
};

TEST_F(DescriptorsTest, RunWorksOrSaysWhyNot) {
  for (int limit = limit_min; limit <= limit_max; ++limit) {
    SCOPED_TRACE(limit);
    expect_a_decent_end(*start(limit, Job{.options = {"--wait", "20s"}}.words(redis.url())), 0);
    EXPECT_EQ(keys(redis), only_record);
  }
  EXPECT_TRUE(worked);
}

// To raise the limit would only bring up the next complaint.
TEST_F(DescriptorsTest, AWrongOptionIsToldBeforeWhatTheSystemLacks) {
  constexpr int too_few = 64;
  const auto said_with = [&](const Words& options) {
    const auto process = start(too_few, Job{.options = options}.words(redis.url()));
    EXPECT_TRUE(process->wait(std::chrono::seconds(30)).has_value()) << process->err();
    return result_of(*process);
  };
  const Result right = said_with({"--http", "127.0.0.1:0"});
  EXPECT_EQ(right.code, 125) << right.err;
  EXPECT_TRUE(has(right.err, "ulimit -n")) << right.err;
  const Result no_file = said_with({"--http", "127.0.0.1:0", "--http-token-file", "/nonexistent"});
  EXPECT_EQ(no_file.code, 64) << no_file.err;
  EXPECT_TRUE(has(no_file.err, "--http-token-file: ")) << no_file.err;
  // An address for documents, which no machine has.
  const Result elsewhere = said_with({"--http", "192.0.2.1:0", "--http-open"});
  EXPECT_EQ(elsewhere.code, 64) << elsewhere.err;
  EXPECT_TRUE(has(elsewhere.err, "--http: ")) << elsewhere.err;
}

TEST_F(DescriptorsTest, RunWaitsNoLongerThanItWasTold) {
  const auto holder = start_tenure(Job{.command = stay()}.words(redis.url()));
  number_printed(*holder);
  for (int limit = limit_min; limit <= limit_max; ++limit) {
    SCOPED_TRACE(limit);
    expect_a_decent_end(*start(limit, Job{.options = {"--wait", "50ms"}}.words(redis.url())), 124);
  }
  EXPECT_TRUE(worked);
}

TEST_F(DescriptorsTest, ASignalEndsRunThatWaits) {
  const auto holder = start_tenure(Job{.command = stay()}.words(redis.url()));
  number_printed(*holder);
  expect_that_a_signal_ends(Job{}.words(redis.url()), "waiting for job", 128 + SIGTERM);
}

TEST_F(DescriptorsTest, RunKillsWhatItsCommandLeavesBehind) {
  const Words command = shell("setsid sh -c 'sleep 600 & sleep 600' & sleep 0.01");
  for (int limit = limit_min; limit <= limit_max; ++limit) {
    SCOPED_TRACE(limit);
    expect_a_decent_end(*start(limit, Job{.command = command}.words(redis.url())), 0);
  }
  EXPECT_TRUE(worked);
}

TEST_F(DescriptorsTest, ElectWithACommandWorksOrSaysWhyNot) {
  for (int limit = limit_min; limit <= limit_max; ++limit) {
    SCOPED_TRACE(limit);
    expect_a_decent_end(*start(limit, {"elect", "leader", "--redis", redis.url(), "--", "true"}), 0);
    EXPECT_EQ(keys(redis), only_record);
  }
  EXPECT_TRUE(worked);
}

TEST_F(DescriptorsTest, ASignalEndsElect) {
  expect_that_a_signal_ends({"elect", "leader", "--redis", redis.url()}, "elected term=", 0);
}

TEST_F(DescriptorsTest, ASignalEndsPoll) {
  EXPECT_EQ(tenure({"sessions", "add", "s-1", "http://127.0.0.1:1/", "--redis", redis.url()}).code, 0);
  expect_that_a_signal_ends({"poll", "--redis", redis.url()}, "lease_acquired", 0);
}

TEST_F(DescriptorsTest, CommandsThatAskWorkOrSayWhyNot) {
  for (const Words& words : {Words{"lock", "ls"}, {"lock", "show", "job"}, {"doctor"}, {"status"}}) {
    worked = false;
    for (int limit = limit_min; limit <= limit_max; limit += 2) {
      SCOPED_TRACE(words.front() + " " + std::to_string(limit));
      const auto process = start(limit, words + redis_options({redis.url()}));
      ASSERT_TRUE(process->wait(std::chrono::seconds(30)).has_value()) << process->err();
      const Result result = result_of(*process);
      EXPECT_TRUE(result.code >= 0 && result.code <= 127) << result.code;
      EXPECT_FALSE(has(result.err, "terminate called")) << result.err;
      EXPECT_NE(result.out + result.err, "");
    }
  }
}

}  // namespace
}  // namespace tenure::test
