// What is going to happen in a world, in the order of true time; at the same moment, in the order in
// which it was planned.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "sim/world/clock.hpp"

namespace tenure::sim {

class Schedule {
 public:
  using Event = std::function<void()>;

  TrueTime now() const { return now_; }

  void at(TrueTime when, Event event) {
    heap_.push_back({std::max(when, now_), ++planned_, std::move(event)});
    std::ranges::push_heap(heap_, later);
  }
  void in(Duration delay, Event event) { at(now_ + delay, std::move(event)); }

  // Runs the next event no later than that; false when there is none.
  bool step(TrueTime until) {
    if (heap_.empty() || heap_.front().when > until) return false;
    std::ranges::pop_heap(heap_, later);
    Entry entry = std::move(heap_.back());
    heap_.pop_back();
    now_ = entry.when;
    entry.event();
    return true;
  }
  void skip_to(TrueTime when) { now_ = std::max(now_, when); }

 private:
  struct Entry {
    TrueTime when;
    std::uint64_t order = 0;
    Event event;
  };
  static bool later(const Entry& a, const Entry& b) {
    return std::pair(a.when, a.order) > std::pair(b.when, b.order);
  }

  TrueTime now_{};
  std::uint64_t planned_ = 0;
  std::vector<Entry> heap_;
};

}  // namespace tenure::sim
