// A wall clock that a test sets forward and back, for the redis-server that is started with its environment(): its TIME
// and its expiry follow, the test's own clocks and those of other servers do not.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace tenure::test {

class ClockShim {
 public:
  ClockShim();
  ~ClockShim();
  ClockShim(const ClockShim&) = delete;
  ClockShim& operator=(const ClockShim&) = delete;

  // For RedisServer::Options, or for a Process: only ever for a server, which is built without sanitizers.
  std::vector<std::string> environment() const;

  // From now on the clock shows this much more than before, or less.
  void step(std::chrono::milliseconds by);

 private:
  int file_ = -1;
  std::int64_t* offset_ = nullptr;
};

}  // namespace tenure::test
