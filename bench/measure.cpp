#include "measure.hpp"

#include <algorithm>
#include <ctime>
#include <exception>
#include <utility>

namespace tenure::bench {

namespace {

double now(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

struct Blocks {
  std::vector<double> seconds{};
  std::vector<double> cpu{};
  std::string failure{};
};

void run_block(const Contestant& contestant, Blocks& blocks) {
  if (!blocks.failure.empty()) return;
  try {
    const Took took = contestant.block();
    blocks.seconds.push_back(took.seconds / contestant.work);
    blocks.cpu.push_back(took.cpu / contestant.work);
  } catch (const std::exception& error) {
    if (contestant.kind != Kind::peer) throw;
    blocks.failure = error.what();
  }
}

Figure median(const char* label, const std::vector<double>& values) {
  const double middle = quantile(values, 0.5);
  const double spread = middle > 0 ? (quantile(values, 0.75) - quantile(values, 0.25)) / middle : 0;
  return {label, middle, Unit::seconds, spread};
}

}  // namespace

Took timed(const std::function<void()>& work) {
  const double cpu = now(CLOCK_PROCESS_CPUTIME_ID);
  const double begun = now(CLOCK_BOOTTIME);
  work();
  return {now(CLOCK_BOOTTIME) - begun, now(CLOCK_PROCESS_CPUTIME_ID) - cpu};
}

std::vector<Entry> measure(const std::vector<Contestant>& contestants, int rounds) {
  std::vector<Blocks> blocks(contestants.size());
  for (std::size_t i = 0; i < contestants.size(); ++i) {
    // Connections, scripts, caches; and some peers are compiled while they run. Not counted.
    for (int k = 0; k < (contestants[i].kind == Kind::peer ? 5 : 1); ++k)
      run_block(contestants[i], blocks[i]);
    blocks[i].seconds.clear();
    blocks[i].cpu.clear();
  }
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < contestants.size(); ++i) run_block(contestants[i], blocks[i]);
  }
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < contestants.size(); ++i) {
    Entry entry{contestants[i].name, contestants[i].kind, {}, blocks[i].failure};
    if (entry.remark.empty())
      entry.figures = {median(time_column, blocks[i].seconds), median(cpu_column, blocks[i].cpu)};
    entries.push_back(std::move(entry));
  }
  return entries;
}

std::vector<Figure> latencies(const std::vector<double>& seconds) {
  return {{"p50", quantile(seconds, 0.5)}, {"p99", quantile(seconds, 0.99)}};
}

double quantile(std::vector<double> values, double share) {
  std::ranges::sort(values);
  return values.at(static_cast<std::size_t>(share * static_cast<double>(values.size() - 1)));
}

}  // namespace tenure::bench
