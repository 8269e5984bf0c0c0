// What is seen of the hand-overs of one name, by whoever takes part.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <sstream>
#include <string>
#include <vector>

namespace tenure::bench::peers {

class Watch {
 public:
  Watch(int participants, int wanted)
      : wanted_(static_cast<std::size_t>(wanted)),
        owned_(static_cast<std::size_t>(participants)),
        passing_(participants) {}

  bool ended() {
    const std::scoped_lock lock(mutex_);
    return ms_.size() >= wanted_;
  }
  void asks(int who) {
    const std::scoped_lock lock(mutex_);
    waiting_.push_back(who);
  }
  void owns(int who) {
    const auto now = Clock::now();
    const std::scoped_lock lock(mutex_);
    const bool first = waiting_.front() == who;
    std::erase(waiting_, who);
    if (ms_.size() >= wanted_) return;
    owner_ = who;
    changed_.notify_all();
    // All asked at the same moment first: until each could have had its turn no order could be kept.
    if (passing_-- > 0) return;
    ms_.push_back(std::chrono::duration<double, std::milli>(now - released_).count());
    in_order_ += first ? 1 : 0;
    owned_[static_cast<std::size_t>(who)] += 1;
  }
  void releases() {
    const std::scoped_lock lock(mutex_);
    released_ = Clock::now();
  }
  void wait_for_another(int who) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return owner_ != who || ms_.size() >= wanted_; });
  }
  // "MS MS … | KEPT | JAIN"
  std::string answer() {
    const std::scoped_lock lock(mutex_);
    double sum = 0;
    double squares = 0;
    for (const double times : owned_) {
      sum += times;
      squares += times * times;
    }
    std::ostringstream text;
    for (const double ms : ms_) text << ms << ' ';
    text << "| " << in_order_ / static_cast<double>(ms_.size()) << " | "
         << sum * sum / (static_cast<double>(owned_.size()) * squares);
    return text.str();
  }

 private:
  using Clock = std::chrono::steady_clock;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t wanted_;
  std::deque<int> waiting_;  // the one that called acquire first is first
  std::vector<double> owned_;
  std::vector<double> ms_;
  int passing_;
  double in_order_ = 0;
  int owner_ = -1;
  Clock::time_point released_{};
};

}  // namespace tenure::bench::peers
