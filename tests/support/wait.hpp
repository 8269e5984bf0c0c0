// Waits in a test for something that another process or thread brings about.
#pragma once

#include <chrono>
#include <thread>

namespace tenure::test {

// Whether the condition came true in time. Only for what cannot be waited for by an event.
template <class Condition>
bool wait_until(Condition condition, std::chrono::milliseconds timeout = std::chrono::seconds(10)) {
  const auto end = std::chrono::steady_clock::now() + timeout;
  while (!condition()) {
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

}  // namespace tenure::test
