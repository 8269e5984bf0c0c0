// How much time lay between the end of one owner's acts and the first of the next: the smallest, and the median.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "core/base/time.hpp"

namespace tenure::faults {

class Slack {
 public:
  void add(core::Duration slack) { all_.push_back(slack); }
  std::size_t count() const { return all_.size(); }

  std::optional<core::Duration> smallest() const {
    if (all_.empty()) return std::nullopt;
    return std::ranges::min(all_);
  }
  std::optional<core::Duration> median() const {
    if (all_.empty()) return std::nullopt;
    auto sorted = all_;
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
    std::ranges::nth_element(sorted, middle);
    return *middle;
  }

 private:
  std::vector<core::Duration> all_;
};

}  // namespace tenure::faults
