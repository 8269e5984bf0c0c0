// client-go and Tenure contend for the same Leases, while whoever leads is killed, paused or stopped: they never lead at the same time.
// A few rounds; TENURE_RIVAL_ROUNDS says how many.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <map>
#include <mutex>
#include <thread>

#include "kubernetes/lease_namespace.hpp"
#include "kubernetes/rival.hpp"
#include "support/wait.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;

// As the other program has it.
constexpr auto length = 6s;
constexpr int lanes_max = 6;

enum class Act : std::uint8_t { kill, pause, stop };
constexpr std::array acts{Act::kill, Act::pause, Act::stop};

const char* name_of(Act act) {
  return act == Act::kill ? "killed" : act == Act::pause ? "paused" : "stopped";
}

struct Report {
  std::mutex mutex{};
  std::map<std::string, std::vector<double>> times{};  // in seconds, by what was done, and who took over
  int rounds = 0;
  int overlaps = 0;
  std::vector<std::string> complaints{};
};

// One Lease, and one candidate of each kind.
class Lane {
 public:
  Lane(int number, LeaseNamespace& space, Report& report)
      : name_("lane-" + std::to_string(number)), space_(space), report_(report) {
    for (std::size_t i = 0; i < rivals_.size(); ++i) make(i);
  }

  void run(int rounds) {
    for (int round = 0; round < rounds; ++round) {
      if (!one_round(acts[static_cast<std::size_t>(round / 2) % acts.size()])) return;
    }
    for (std::size_t i = 0; i < rivals_.size(); ++i) put_away(i);
    judge();
  }

 private:
  // Until they end, each has an id of its own.
  void make(std::size_t i) {
    const std::string id = name_ + (i == 0 ? "-tenure-" : "-go-") + std::to_string(++made_);
    if (i == 0) {
      rivals_[i] = std::make_unique<TenureRival>(name_, id, space_.kubeconfig(), length);
    } else {
      rivals_[i] = std::make_unique<ClientGoRival>(name_, space_.name(), id, space_.kubeconfig());
    }
  }
  void put_away(std::size_t i) {
    if (!rivals_[i]) return;
    for (const Led& led : rivals_[i]->led()) led_[i].push_back(led);
    rivals_[i].reset();
  }
  std::optional<std::size_t> leader() const {
    for (std::size_t i = 0; i < rivals_.size(); ++i) {
      if (rivals_[i]->leads()) return i;
    }
    return std::nullopt;
  }
  bool complain(const std::string& what) {
    const std::lock_guard lock(report_.mutex);
    report_.complaints.push_back(name_ + ": " + what);
    return false;
  }

  bool one_round(Act act) {
    if (!wait_until([&] { return leader().has_value(); }, 40s)) return complain("nobody leads");
    const std::size_t victim = *leader();
    const std::size_t taker = 1 - victim;
    // It is settled, and the other one has seen it.
    std::this_thread::sleep_for(1500ms);
    if (leader() != victim) return complain(rivals_[victim]->kind() + " has lost it for no reason");
    const core::Time at = runtime::boot_now();
    rivals_[victim]->act(act == Act::kill ? SIGKILL : act == Act::pause ? SIGSTOP : SIGTERM);
    if (!wait_until([&] { return rivals_[taker]->leads(); }, 40s))
      return complain(rivals_[taker]->kind() + " does not take over from one that was " + name_of(act));
    const double took = std::chrono::duration<double>(runtime::boot_now() - at).count();
    if (act == Act::pause) {
      // Both are awake for a while.
      rivals_[victim]->process().send(SIGCONT);
      std::this_thread::sleep_for(1s);
    }
    if (!rivals_[taker]->leads()) return complain("what was awoken has taken it back");
    // Tenure goes on as a candidate; client-go ends when it has lost.
    const bool goes_on = act == Act::pause && victim == 0;
    if (!goes_on) {
      put_away(victim);
      make(victim);
    }
    const std::lock_guard lock(report_.mutex);
    report_.rounds += 1;
    report_.times[std::string(name_of(act)) + ", " + rivals_[taker]->kind() + " takes over"].push_back(took);
    return true;
  }

  void judge() {
    int overlaps = 0;
    for (const Led& one : led_[0]) {
      for (const Led& other : led_[1]) overlaps += one.from > other.from && one.until < other.until ? 1 : 0;
    }
    const std::lock_guard lock(report_.mutex);
    report_.overlaps += overlaps;
    if (led_[0].empty() || led_[1].empty()) report_.complaints.push_back(name_ + ": somebody never led");
  }

  std::string name_;
  LeaseNamespace& space_;
  Report& report_;
  std::array<std::unique_ptr<Rival>, 2> rivals_{};
  std::array<std::vector<Led>, 2> led_{};
  int made_ = 0;
};

TEST(Rivals, ClientGoAndTenureNeverLeadAtTheSameTime) {
  const char* wanted = std::getenv("TENURE_RIVAL_ROUNDS");
  const int rounds = wanted != nullptr ? std::stoi(wanted) : 12;
  const int lanes = std::min(lanes_max, std::max(rounds / 6, 1));
  LeaseNamespace space;
  Report report;
  {
    // What is started by a thread ends with it.
    std::vector<std::jthread> threads;
    for (int lane = 0; lane < lanes; ++lane) {
      threads.emplace_back([&, lane] {
        try {
          Lane(lane, space, report).run((rounds - lane + lanes - 1) / lanes);
        } catch (const std::exception& error) {
          const std::lock_guard lock(report.mutex);
          report.complaints.emplace_back(error.what());
        }
      });
    }
  }
  for (const auto& complaint : report.complaints) ADD_FAILURE() << complaint;
  EXPECT_EQ(report.rounds, rounds);
  EXPECT_EQ(report.overlaps, 0);
  std::printf("%d rounds, %d overlaps\n", report.rounds, report.overlaps);
  for (auto& [what, times] : report.times) {
    std::ranges::sort(times);
    std::printf("%-36s %3zu rounds, p50 %.2f s, max %.2f s\n", what.c_str(), times.size(),
                times[times.size() / 2], times.back());
  }
}

TEST(Rivals, ATokenOutlastsClientGoWhichKnowsNothingOfIt) {
  LeaseNamespace space;
  const Client client = space.client("web-1");
  // The Lease of an election is what its name says, with no prefix.
  auto before = client.election("shared", {.lease = length}).value();
  ASSERT_TRUE(before.start());
  ASSERT_TRUE(wait_until([&] { return before.is_leader(); }));
  const auto term = before.term().value();
  ASSERT_TRUE(before.stop());
  {
    ClientGoRival rival("shared", space.name(), "go-1", space.kubeconfig());
    ASSERT_TRUE(wait_until([&] { return rival.leads(); }, 20s));
    const auto shown = space.lease("shared");
    EXPECT_EQ(shown.at("spec").at("holderIdentity"), "go-1");
    EXPECT_EQ(shown.at("metadata").at("annotations").at("tenure/token").as_string(), std::to_string(term));
    rival.act(SIGTERM);
    // It gives the Lease back, unless it is just about to renew it: then that has to run out.
    EXPECT_EQ(rival.process().exit_code(), 0);
  }
  auto after = client.election("shared", {.lease = length}).value();
  ASSERT_TRUE(after.start());
  ASSERT_TRUE(wait_until([&] { return after.is_leader(); }, 20s));
  EXPECT_GT(after.term().value(), term);
}

}  // namespace
}  // namespace tenure::test
