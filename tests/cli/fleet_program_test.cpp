// tenure links nothing that only polling or PostgreSQL needs, and becomes tenure-fleet for the commands that do: as the same process, with
// the same words, and no password in sight. Where there is no tenure-fleet, it says so.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <system_error>

#include "cli/every_command.hpp"
#include "support/directory.hpp"

namespace tenure::test {
namespace {

namespace fs = std::filesystem;

// All libraries that the loader would load, each a line.
std::string libraries_of(const std::string& program) {
  const Process process({"ldd", program});
  EXPECT_EQ(process.exit_code(), 0) << process.err();
  return process.out();
}

TEST(FleetProgram, AloneLinksWhatOnlyPollingAndPostgresqlNeed) {
  for (const char* library : {"libcurl", "libpq"}) {
    EXPECT_FALSE(has(libraries_of(paths::program), library));
    EXPECT_TRUE(has(libraries_of(paths::fleet_program), library)) << "so that the look above means something";
  }
}

// A copy of tenure alone in a folder.
class ElsewhereTest : public testing::Test {
 protected:
  ElsewhereTest() {
    fs::create_directories(bin);
    fs::copy_file(paths::program, bin / "tenure");
  }

  Result run(Words words, Words environment = {}) {
    words.insert(words.begin(), (bin / "tenure").string());
    const Process process(std::move(words), {.environment = plain_environment(std::move(environment))});
    return result_of(process);
  }

  // Tells what it was started with, in the place of the real one.
  void put_teller() {
    std::ofstream(bin / "tenure-fleet") << "#!/bin/sh\necho \"pid $$\"\nprintf 'argument %s\\n' \"$@\"\nenv\n"
                                           "tr '\\0' '\\n' </proc/$$/fd/${TENURE_WORDS%% *} "
                                           ">\"$0.words\"\ntr '\\0' ' ' <\"/proc/$$/cmdline\"\n";
    fs::permissions(bin / "tenure-fleet", fs::perms::owner_all);
  }
  // What was handed over to it, a word a line.
  Words words_told() const {
    std::ifstream file(bin / "tenure-fleet.words");
    Words words;
    for (std::string line; std::getline(file, line);) words.push_back(line);
    return words;
  }

  // It has begun when its file is removed.
  Result run_removed(const std::string& words) {
    const Process process({"sh", "-c", "exec 9<\"$0\" && rm \"$0\" && exec /proc/self/fd/9 " + words,
                           (bin / "tenure").string()},
                          {.environment = plain_environment()});
    return result_of(process);
  }

  Directory folder{"elsewhere"};
  fs::path bin = folder.path() / "bin";
};

TEST_F(ElsewhereTest, ThatItIsMissingIsSaidByEveryCommandThatNeedsIt) {
  const Words place{"--redis", "redis://:gehe!m@127.0.0.1:1"};
  std::vector<Words> all{{"demo"}, Words{"poll"} + place};
  for (const auto& words : commands_that_ask(place)) {
    if (words[0] == "sessions" || words[0] == "status" || words[0] == "explain") all.push_back(words);
  }
  ASSERT_GE(all.size(), 9U);
  for (const auto& words : all) {
    const Result result = run(words);
    EXPECT_EQ(result.code, 125) << joined(words);
    EXPECT_EQ(result.out, "");
    EXPECT_TRUE(is_one_plain_line(result.err)) << result.err;
    EXPECT_TRUE(has(result.err, "the program tenure-fleet, which does this command, is neither in " +
                                    bin.string() + " nor in " + folder.path().string()))
        << result.err;
    EXPECT_TRUE(has(result.err, "install Tenure again")) << result.err;
    EXPECT_FALSE(has(result.err, "gehe!m")) << result.err;
  }
}

TEST_F(ElsewhereTest, AllElseWorksWithoutIt) {
  EXPECT_EQ(run({"--version"}).out, tenure({"--version"}).out);
  EXPECT_EQ(run({"help", "poll"}).out, tenure({"help", "poll"}).out);
  EXPECT_EQ(run({"poll", "--nonsense"}).err, tenure({"poll", "--nonsense"}).err);
  EXPECT_EQ(run({"poll", "--nonsense"}).code, 64);
  const ReadyRedis redis;
  EXPECT_EQ(run(Job{.command = shell("exit 7")}.words(redis.url())).code, 7);
}

TEST_F(ElsewhereTest, OneThatCannotBeRunIsSaid) {
  std::ofstream(bin / "tenure-fleet") << "nothing";
  const Result result = run({"status"});
  EXPECT_EQ(result.code, 125);
  EXPECT_TRUE(has(result.err, "tenure-fleet, which does this command, cannot be run: Permission denied"))
      << result.err;
}

TEST_F(ElsewhereTest, ATenureThatWasRemovedWhileItStartedFindsItOrSaysSo) {
  fs::copy_file(paths::fleet_program, bin / "tenure-fleet");
  const Result found = run_removed("sessions ls --redis unix:///nonexistent");
  EXPECT_EQ(found.code, 69) << found.err;
  fs::copy_file(paths::program, bin / "tenure");
  fs::remove(bin / "tenure-fleet");
  const Result missing = run_removed("sessions ls --redis unix:///nonexistent");
  EXPECT_EQ(missing.code, 125);
  EXPECT_TRUE(has(missing.err, "removed or replaced while it started: try again")) << missing.err;
}

TEST_F(ElsewhereTest, ItGetsAllWordsInTheSameProcessAndNoPasswordIsSeen) {
  put_teller();
  const Words words{"poll",   "--redis", "redis://:gehe!m@127.0.0.1:1",
                    "--id",   "web 1",   "--data=redis://:gehe!m@h",
                    "--exec", "a\tb; c"};
  const Process process(Words{(bin / "tenure").string()} + words, {.environment = plain_environment()});
  EXPECT_EQ(process.exit_code(), 0) << process.err();
  EXPECT_TRUE(has(process.out(), "pid " + std::to_string(process.pid()) + "\n")) << process.out();
  EXPECT_EQ(words_told(), words);
  EXPECT_FALSE(has(process.out(), "gehe!m"))
      << "neither in arguments nor in the environment: " << process.out();
  EXPECT_TRUE(has(process.out(), "argument redis://*******@127.0.0.1:1\n")) << process.out();
}

TEST_F(ElsewhereTest, AnotherVersionOfItIsRefused) {
  const Process process({paths::fleet_program, "status"},
                        {.environment = plain_environment({"TENURE_WORDS=9 0.0.0-other"})});
  EXPECT_EQ(process.exit_code(), 125);
  EXPECT_TRUE(has(process.err(), "tenure is version 0.0.0-other, and its program tenure-fleet is "))
      << process.err();
}

TEST(FleetProgram, KeepsNothingOfHowItWasStarted) {
  const ReadyRedis redis;
  const auto poll = start_tenure({"poll", "--redis", redis.url(), "--ttl", "1s", "--json"});
  ASSERT_TRUE(prints(*poll, "\n")) << poll->err();
  const fs::path proc = "/proc/" + std::to_string(poll->pid());
  for (const auto& entry : fs::directory_iterator(proc / "fd")) {
    std::error_code ignored;
    EXPECT_FALSE(has(fs::read_symlink(entry.path(), ignored).string(), "tenure words"));
  }
  std::string name;
  std::getline(std::ifstream(proc / "comm") >> std::ws, name);
  EXPECT_EQ(name, "tenure");
}

// Who starts it directly loses nothing but the short name.
TEST(FleetProgram, WorksWhenStartedDirectly) {
  const ReadyRedis redis;
  const Process direct({paths::fleet_program, "sessions", "ls", "--redis", redis.url()},
                       {.environment = plain_environment()});
  EXPECT_EQ(direct.exit_code(), 0) << direct.err();
  EXPECT_EQ(direct.out(), tenure({"sessions", "ls", "--redis", redis.url()}).out);
  const Process other({paths::fleet_program, "init"}, {.environment = plain_environment()});
  EXPECT_EQ(other.exit_code(), 64);
  EXPECT_TRUE(has(other.err(), "start tenure instead")) << other.err();
}

}  // namespace
}  // namespace tenure::test
