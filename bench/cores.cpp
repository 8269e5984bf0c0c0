#include "cores.hpp"

#include <vector>

namespace tenure::bench {

namespace {

// Those that this process was given at its start.
const std::vector<int>& given() {
  static const std::vector<int> all = [] {
    cpu_set_t set;
    CPU_ZERO(&set);
    sched_getaffinity(0, sizeof set, &set);
    std::vector<int> cores;
    for (int core = 0; core < CPU_SETSIZE; ++core) {
      if (CPU_ISSET(core, &set) != 0) cores.push_back(core);
    }
    return cores;
  }();
  return all;
}

void use(int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(core, &set);
  sched_setaffinity(0, sizeof set, &set);
}

}  // namespace

bool available(Cores cores) { return cores == Cores::one || given().size() > 1; }

void pin(Cores cores) { use(given().at(cores == Cores::one ? 0 : 1)); }

AmongServers::AmongServers() {
  CPU_ZERO(&before_);
  sched_getaffinity(0, sizeof before_, &before_);
  use(given().at(0));
}

AmongServers::~AmongServers() { sched_setaffinity(0, sizeof before_, &before_); }

OneCoreMore::OneCoreMore() {
  CPU_ZERO(&before_);
  sched_getaffinity(0, sizeof before_, &before_);
  cpu_set_t more = before_;
  CPU_SET(given().at(given().size() > 2 ? 2 : 0), &more);
  sched_setaffinity(0, sizeof more, &more);
}

OneCoreMore::~OneCoreMore() { sched_setaffinity(0, sizeof before_, &before_); }

}  // namespace tenure::bench
