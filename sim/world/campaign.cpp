#include "sim/world/campaign.hpp"

#include <algorithm>
#include <atomic>
#include <ctime>
#include <mutex>
#include <thread>
#include <vector>

namespace tenure::sim {

namespace {

Duration thread_cpu() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

void add(Tally& tally, const Outcome& outcome, std::uint64_t seed, bool stops) {
  tally.worlds += 1;
  tally.calls += outcome.calls;
  tally.grants += outcome.grants;
  tally.terms += outcome.terms;
  tally.sessions += outcome.sessions;
  tally.rounds.one += outcome.rounds.one;
  tally.rounds.two += outcome.rounds.two;
  for (std::size_t i = 0; i < tally.faults.size(); ++i) tally.faults[i] += outcome.faults[i];
  tally.slack.add(outcome.slack);
  if (!outcome.violation) return;
  const Found found{seed, *outcome.violation};
  if (!stops) {
    tally.noted.push_back(found);
  } else if (!tally.violation || seed < tally.violation->seed) {
    tally.violation = found;
  }
}

}  // namespace

Tally run_campaign(const CampaignOptions& options,
                   const std::function<void(std::uint64_t worlds)>& progress) {
  Tally tally;
  std::mutex mutex;
  std::atomic<std::uint64_t> next = 0;
  std::atomic<bool> stop = false;
  const auto work = [&] {
    ScriptHost host(options.scripts);
    const Duration begin = thread_cpu();
    while (!stop) {
      const std::uint64_t number = next++;
      if (number >= options.runs) break;
      const std::uint64_t seed = options.first_seed + number;
      Outcome outcome = run_world({seed, options.faults, options.profile, false}, host);
      if (number % 100 == 0 && !outcome.violation) {
        const Outcome again = run_world({seed, options.faults, options.profile, false}, host);
        if (again.hash != outcome.hash) outcome.violation = {"S14", "two runs of one seed differ", {}};
      }
      const bool stops = outcome.violation && (options.stop_at_liveness || !is_liveness(*outcome.violation));
      if (stops) stop = true;
      const std::lock_guard lock(mutex);
      add(tally, outcome, seed, stops);
      progress(tally.worlds);
    }
    const std::lock_guard lock(mutex);
    tally.cpu += thread_cpu() - begin;
  };
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < options.jobs; ++i) threads.emplace_back(work);
  work();
  for (auto& thread : threads) thread.join();
  std::ranges::sort(tally.noted, {}, &Found::seed);
  return tally;
}

}  // namespace tenure::sim
