// Elections on a real Consul: candidates are processes, which are killed, stopped and ended.
#include <csignal>
#include <memory>
#include <sstream>
#include <thread>

#include "consul/consul_client.hpp"
#include "runtime/boot_clock.hpp"
#include "support/oracle.hpp"
#include "support/paths.hpp"
#include "support/process.hpp"
#include "support/wait.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;

constexpr auto lease = 10s;

class Elections : public OnConsul {
 protected:
  std::unique_ptr<Process> candidate(const std::string& id) {
    return std::make_unique<Process>(std::vector<std::string>{
        paths::candidate_process, id, "leader", std::to_string(lease / 1ms), "60000", server.url(prefix)});
  }
  static bool has_said(const Process& process, const std::string& text) {
    return ("\n" + process.out()).find("\n" + text) != std::string::npos;
  }
  static core::Token term_of(const Process& process) {
    const std::string said = "\n" + process.out();
    const auto at = said.rfind("\nelected ");
    return at == std::string::npos ? 0 : std::stoull(said.substr(at + 9));
  }
  static void note(Oracle& oracle, const std::string& id, const Process& process) {
    std::map<core::Token, Oracle::Term> terms;
    std::istringstream lines(process.out());
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with("leads ")) continue;
      std::istringstream words(line.substr(6));
      core::Token token = 0;
      std::int64_t before = 0;
      std::int64_t after = 0;
      if (!(words >> token >> before >> after)) continue;
      const core::Time from{core::Duration(after)};
      const auto [it, first] = terms.try_emplace(token, Oracle::Term{id, token, from, from});
      it->second.until = std::max(it->second.until, core::Time{core::Duration(before)});
    }
    for (auto& [token, term] : terms) oracle.note(std::move(term));
  }
};

TEST_F(Elections, ALeaderThatEndsIsFollowedAtOnceAndOneThatIsKilledWithinThreeTimesItsLease) {
  Oracle oracle;
  const auto first = candidate("a");
  ASSERT_TRUE(wait_until([&] { return has_said(*first, "elected"); }));
  const auto second = candidate("b");
  const auto third = candidate("c");
  ASSERT_TRUE(wait_until([&] { return has_said(*second, "leader a") && has_said(*third, "leader a"); }));

  const core::Time ended = runtime::boot_now();
  first->send(SIGTERM);
  ASSERT_TRUE(wait_until([&] { return has_said(*second, "elected") || has_said(*third, "elected"); }, 5s));
  RecordProperty("clean_ms", std::to_string((runtime::boot_now() - ended) / 1ms));
  EXPECT_EQ(first->exit_code(), 0);

  const bool is_second = has_said(*second, "elected");
  const Process& leader = is_second ? *second : *third;
  const Process& other = is_second ? *third : *second;
  const core::Time killed = runtime::boot_now();
  leader.send(SIGKILL);
  ASSERT_TRUE(wait_until([&] { return has_said(other, "elected"); }, 3 * lease + 4s));
  const auto took = runtime::boot_now() - killed;
  EXPECT_GE(took, 5s) << "before its lease could be over";
  RecordProperty("killed_ms", std::to_string(took / 1ms));
  EXPECT_GT(term_of(other), term_of(leader));
  note(oracle, "a", *first);
  note(oracle, "b", *second);
  note(oracle, "c", *third);
  oracle.judge();
}

TEST_F(Elections, ALeaderThatWasStoppedForLongerThanItsLeaseSeesThatItLeadsNoMore) {
  Oracle oracle;
  const auto first = candidate("a");
  ASSERT_TRUE(wait_until([&] { return has_said(*first, "elected"); }));
  const auto second = candidate("b");
  ASSERT_TRUE(wait_until([&] { return has_said(*second, "leader a"); }));
  first->send(SIGSTOP);
  ASSERT_TRUE(wait_until([&] { return has_said(*second, "elected"); }, 3 * lease + 4s));
  first->send(SIGCONT);
  ASSERT_TRUE(wait_until([&] { return has_said(*first, "woke"); }));
  EXPECT_TRUE(has_said(*first, "woke leads=0"));
  ASSERT_TRUE(wait_until([&] { return has_said(*first, "leader b"); }, 5s));
  note(oracle, "a", *first);
  note(oracle, "b", *second);
  oracle.judge();
}

}  // namespace
}  // namespace tenure::test
