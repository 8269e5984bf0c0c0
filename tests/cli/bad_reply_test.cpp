// What stands at the address of a Redis answers with what no Redis would: every command says so in one line, or waits for better
// times, in little memory.
#include <gtest/gtest.h>

#include <csignal>
#include <deque>
#include <fstream>

#include "cli/every_command.hpp"
#include "support/bad_replies.hpp"
#include "support/fake_server.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;

Words place_of(const FakeServer& server) { return {"--redis", redis::to_text(server.address())}; }

// The most memory that it has had, in kilobytes; 0 when it is gone.
long memory_of(const Process& process) {
  std::ifstream status("/proc/" + std::to_string(process.pid()) + "/status");
  for (std::string word; status >> word;) {
    long kilobytes = 0;
    if (word == "VmHWM:" && status >> kilobytes) return kilobytes;
  }
  return 0;
}

// In kilobytes; an answer may have 16 megabytes, and who stays has several connections.
#ifdef __SANITIZE_ADDRESS__  // whose own memory is many times ours
constexpr long memory_max = 4'000'000;
constexpr long memory_max_of_who_stays = 4'000'000;
#else
constexpr long memory_max = 60'000;
constexpr long memory_max_of_who_stays = 200'000;
#endif

// All at the same time; how much memory the greediest took is seen while they run.
struct Running {
  Words words;
  std::unique_ptr<Process> process;
};

std::vector<Running> start_all(const std::vector<Words>& commands) {
  std::vector<Running> all;
  for (const auto& words : commands) all.push_back({words, start_tenure(words)});
  return all;
}

long memory_until_all_ended(const std::vector<Running>& all) {
  long most = 0;
  wait_until([&] {
    for (const auto& it : all) most = std::max(most, memory_of(*it.process));
    return std::ranges::none_of(all, [](const Running& it) { return it.process->running(); });
  });
  return most;
}

TEST(BadReplies, AreToldInOneLineByEveryCommandThatAsks) {
  for (const auto& bad : bad_replies()) {
    const FakeServer server(bad.said);
    const auto all = start_all(commands_that_ask(place_of(server)));
    const long memory = memory_until_all_ended(all);
    for (const auto& [words, process] : all) {
      const Result result = result_of(*process);
      const std::string which = joined(words) + "and " + bad.name + ": " + result.out + result.err;
      if (is_doctor(words)) {
        EXPECT_EQ(result.code, 2) << which;
        EXPECT_FALSE(has(result.out, "\x1b")) << which;
      } else {
        EXPECT_EQ(result.code, 69) << which;
        EXPECT_EQ(result.out, "") << which;
        EXPECT_TRUE(is_one_plain_line(result.err)) << which;
      }
    }
    EXPECT_LT(memory, memory_max) << bad.name;
  }
}

TEST(BadReplies, AreWaitedOutInLittleMemoryByCommandsThatStay) {
  std::deque<FakeServer> servers;
  std::vector<Running> all;
  for (const auto& bad : bad_replies()) {
    const auto& server = servers.emplace_back(bad.said);
    // One of each kind for a bad reply, in turn: all of them at once would be too many processes.
    const auto commands = commands_that_stay(place_of(server));
    const auto& words = commands[servers.size() % commands.size()];
    all.push_back({words, start_tenure(words)});
  }
  const auto until = std::chrono::steady_clock::now() + 2s;
  wait_until([&] { return std::chrono::steady_clock::now() > until; });
  for (const auto& [words, process] : all) {
    EXPECT_TRUE(process->running()) << joined(words) << process->err();
    EXPECT_LT(memory_of(*process), memory_max_of_who_stays) << joined(words);
    process->send(SIGTERM);
  }
  for (const auto& [words, process] : all) {
    const Result result = result_of(*process);
    EXPECT_EQ(result.code, 0) << joined(words) << result.err;
    EXPECT_FALSE(has(result.out + result.err, "\x1b")) << joined(words);
    EXPECT_LT(std::ranges::count(result.err, '\n'), 20) << joined(words) << "says it again and again";
  }
}

}  // namespace
}  // namespace tenure::test
