// How much time lay between beliefs that ran out and the next grants (S4): the smallest, and how many of each size.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <optional>

#include "sim/world/clock.hpp"

namespace tenure::sim {

class Slack {
 public:
  static constexpr std::array<std::chrono::milliseconds, 6> bounds{
      std::chrono::milliseconds(1),  std::chrono::milliseconds(3),   std::chrono::milliseconds(10),
      std::chrono::milliseconds(30), std::chrono::milliseconds(100), std::chrono::milliseconds(300)};

  void add(Duration slack) {
    min_ = std::min(min_.value_or(slack), slack);
    const auto above = std::ranges::upper_bound(bounds, slack);
    counts_[static_cast<std::size_t>(above - bounds.begin())] += 1;
  }
  void add(const Slack& other) {
    if (other.min_) min_ = std::min(min_.value_or(*other.min_), *other.min_);
    for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
  }

  const std::optional<Duration>& min() const { return min_; }
  // How many were below each bound but not below the one before, and how many above all.
  const std::array<std::uint64_t, bounds.size() + 1>& counts() const { return counts_; }

 private:
  std::optional<Duration> min_;
  std::array<std::uint64_t, bounds.size() + 1> counts_{};
};

}  // namespace tenure::sim
