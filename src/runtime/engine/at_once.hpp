// The same for several nodes at the same time, each on a thread of its own: one that does not answer costs the
// others nothing.
#pragma once

#include <cstddef>
#include <thread>
#include <vector>

#include "runtime/net/hourglass.hpp"

namespace tenure::runtime {

// Returns when each has been done.
template <class Work>
void at_once(std::size_t count, const Work& work) {
  const Hourglass* const hourglass = Hourglass::here();
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < count; ++i) {
    threads.emplace_back([&work, hourglass, i] {
      const Hourglass::Scope scope(hourglass);
      work(i);
    });
  }
}

}  // namespace tenure::runtime
