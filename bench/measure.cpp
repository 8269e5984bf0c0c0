#include "measure.hpp"

#include <sched.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <map>
#include <thread>

namespace tenure::bench {

namespace {

double now(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

struct Blocks {
  std::vector<double> seconds;
  std::vector<double> cpu;
};

double at(std::vector<double> values, double share) {
  std::ranges::sort(values);
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

}  // namespace

std::vector<Measured> measure(const std::vector<Contestant>& contestants, int rounds) {
  std::map<std::string, Blocks> blocks;
  for (const auto& it : contestants) it.block();  // connections, scripts, caches
  for (int round = 0; round < rounds; ++round) {
    for (const auto& it : contestants) {
      const double cpu = now(CLOCK_PROCESS_CPUTIME_ID);
      const double begun = now(CLOCK_BOOTTIME);
      it.block();
      blocks[it.name].seconds.push_back((now(CLOCK_BOOTTIME) - begun) / it.work);
      blocks[it.name].cpu.push_back((now(CLOCK_PROCESS_CPUTIME_ID) - cpu) / it.work);
    }
  }
  std::vector<Measured> measured;
  for (const auto& it : contestants) {
    const auto& [seconds, cpu] = blocks[it.name];
    const double median = at(seconds, 0.5);
    measured.push_back({it.name, median, (at(seconds, 0.75) - at(seconds, 0.25)) / median, at(cpu, 0.5)});
  }
  return measured;
}

void print(const std::string& title, const std::vector<Measured>& measured) {
  std::printf("\n%s\n", title.c_str());
  for (const auto& it : measured) {
    std::printf("  %-44s %9.2f us  (spread %2.0f %%)  cpu %8.2f us", it.name.c_str(), it.seconds * 1e6,
                it.spread * 100, it.cpu * 1e6);
    for (const auto& other : measured) {
      if (&other == &it) break;
      std::printf("  %.2f of %c", other.seconds / it.seconds,
                  static_cast<char>('A' + (&other - measured.data())));
    }
    std::printf("\n");
  }
  std::fflush(stdout);
}

void pin(bool to_one_core) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  for (unsigned core = 0; core < (to_one_core ? 1 : std::thread::hardware_concurrency()); ++core) {
    CPU_SET(core, &cores);
  }
  sched_setaffinity(0, sizeof cores, &cores);
}

}  // namespace tenure::bench
