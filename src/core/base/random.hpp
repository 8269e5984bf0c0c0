// A seeded generator of random numbers: the same seed gives the same decisions (S14).
// Not for secrets. Nonces need only be unlikely to repeat, so production seeds all 256 bits.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "core/base/time.hpp"

namespace tenure::core {

class Random {
 public:
  using State = std::array<std::uint64_t, 4>;

  explicit Random(const State& state);
  // Spreads one number over the whole state; for all but nonces.
  explicit Random(std::uint64_t seed);

  std::uint64_t next();
  // Uniform in [0, bound); bound > 0.
  std::uint64_t below(std::uint64_t bound);
  // Uniform in [from, to].
  Duration between(Duration from, Duration to);
  // Uniform in [0, 1).
  double fraction();
  // 64 random bits as 16 hexadecimal digits.
  std::string hex16();

 private:
  State state_;
};

}  // namespace tenure::core
