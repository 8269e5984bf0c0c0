// On which cores the servers run and on which everybody else. A row that leaves this to the kernel is none: two processes
// land together or apart by chance, and a wake-up across cores costs more than most of what is measured.
#pragma once

#include <sched.h>

#include "row.hpp"
#include "support/nodes.hpp"

namespace tenure::bench {

// Are there as many as that takes?
bool available(Cores cores);
// Puts this process, and what it starts from now on, where clients belong.
void pin(Cores cores);

// What is started while one of these lives runs where servers belong.
class AmongServers {
 public:
  AmongServers();
  ~AmongServers();
  AmongServers(const AmongServers&) = delete;
  AmongServers& operator=(const AmongServers&) = delete;

 private:
  cpu_set_t before_;
};

// While one of these lives, this thread may run on a core more than where clients belong: one that nobody uses, or else
// the servers'. A client looks for its answers only if its thread has more than one core; and since a thread that looks
// does not sleep, it stays where it is.
class OneCoreMore {
 public:
  OneCoreMore();
  ~OneCoreMore();
  OneCoreMore(const OneCoreMore&) = delete;
  OneCoreMore& operator=(const OneCoreMore&) = delete;

 private:
  cpu_set_t before_;
};

// Private Redis servers, where servers belong.
inline test::Nodes start_nodes(std::size_t count) {
  const AmongServers here;
  return test::Nodes(count);
}

}  // namespace tenure::bench
