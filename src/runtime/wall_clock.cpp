#include "runtime/wall_clock.hpp"

#include <chrono>

namespace tenure::runtime {

std::int64_t wall_now_ms() {
  using namespace std::chrono;
  return floor<milliseconds>(system_clock::now().time_since_epoch()).count();
}

}  // namespace tenure::runtime
