#include "core/base/random.hpp"

#include <bit>

#include "core/base/check.hpp"
#include "core/base/text.hpp"

namespace tenure::core {

namespace {

// SplitMix64: turns consecutive numbers into unrelated ones.
std::uint64_t mix(std::uint64_t& x) {
  x += 0x9e3779b97f4a7c15U;
  std::uint64_t z = x;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

}  // namespace

Random::Random(const State& state) : state_(state) {
  must((state[0] | state[1] | state[2] | state[3]) != 0, "a generator's state is not all zero");
}

Random::Random(std::uint64_t seed) : state_{} {
  for (auto& word : state_) word = mix(seed);
}

// xoshiro256**: four words of state, a few operations a number.
std::uint64_t Random::next() {
  const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const std::uint64_t shifted = state_[1] << 17U;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

std::uint64_t Random::below(std::uint64_t bound) {
  must(bound > 0, "a random number is drawn from a range that is not empty");
  // The bias is under bound / 2^64: of no concern for jitter and simulations.
  return next() % bound;
}

Duration Random::between(Duration from, Duration to) {
  must(from <= to, "a random duration is drawn from a range in order");
  const auto width = static_cast<std::uint64_t>((to - from).count()) + 1;
  return from + Duration(static_cast<Duration::rep>(below(width)));
}

double Random::fraction() { return static_cast<double>(next() >> 11U) * 0x1.0p-53; }

std::string Random::hex16() { return core::hex16(next()); }

}  // namespace tenure::core
