// What was asked over one connection and not answered yet, with the time: for round trips. Answers come in the order of the
// requests, as a rule, and then neither costs more than a few instructions; memory is used again.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "core/base/time.hpp"
#include "core/message.hpp"

namespace tenure::runtime {

class InFlight {
 public:
  struct Asked {
    core::RequestId id{};
    core::Time at{};
    bool renews = false;
  };

  void add(const Asked& asked) { asked_.push_back(asked); }

  // Nothing: it was not asked here, or answered before.
  std::optional<Asked> take(core::RequestId id) {
    const auto begin = asked_.begin() + static_cast<std::ptrdiff_t>(first_);
    const auto found = std::ranges::find(begin, asked_.end(), id, &Asked::id);
    if (found == asked_.end()) return std::nullopt;
    const Asked taken = *found;
    // Out of turn: those before it move up.
    std::move_backward(begin, found, found + 1);
    first_ += 1;
    if (first_ == asked_.size() || first_ > answered_max) {
      asked_.erase(asked_.begin(), asked_.begin() + static_cast<std::ptrdiff_t>(first_));
      first_ = 0;
    }
    return taken;
  }

  std::size_t size() const { return asked_.size() - first_; }

 private:
  // Where requests never run out, what was answered is cleared away now and then.
  static constexpr std::size_t answered_max = 1'024;

  std::vector<Asked> asked_;
  std::size_t first_ = 0;  // not answered yet
};

}  // namespace tenure::runtime
