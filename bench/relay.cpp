#include "relay.hpp"

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

#include "tenure/clock.hpp"

namespace tenure::bench {

namespace {

using Clock = BootClock;

class Relay {
 public:
  Relay(std::size_t participants, std::size_t times) : times_(times), counts_(participants) {}

  void run(std::size_t self, const Participant& participant) {
    while (const auto place = ask()) {
      participant.acquire();
      acquired(self, *place, Clock::now());
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      note_release();
      participant.release();
      wait_for_another(self);
    }
  }
  HandOvers result() const {
    return {seconds_, static_cast<double>(kept_) / static_cast<double>(seconds_.size()), jain(counts_)};
  }

 private:
  bool over() const { return seconds_.size() == times_; }
  std::optional<std::uint64_t> ask() {
    const std::lock_guard lock(mutex_);
    if (over()) return std::nullopt;
    waiting_.insert(++last_place_);
    return last_place_;
  }
  void acquired(std::size_t self, std::uint64_t place, Clock::time_point now) {
    const std::lock_guard lock(mutex_);
    const bool first = *waiting_.begin() == place;
    waiting_.erase(place);
    owner_ = self;
    if (!over() && ++owners_ > counts_.size()) {
      counts_[self] += 1;
      seconds_.push_back(std::chrono::duration<double>(now - released_).count());
      kept_ += first ? 1U : 0U;
    }
    changed_.notify_all();
  }
  void wait_for_another(std::size_t self) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return owner_ != self || over(); });
  }
  void note_release() {
    const std::lock_guard lock(mutex_);
    released_ = Clock::now();
  }

  std::size_t times_;
  std::mutex mutex_;
  std::uint64_t last_place_ = 0;
  std::set<std::uint64_t> waiting_;  // by when they asked
  Clock::time_point released_;
  std::size_t owner_ = 0;
  std::size_t owners_ = 0;  // one after the other
  std::condition_variable changed_;
  std::vector<double> seconds_;
  std::size_t kept_ = 0;
  std::vector<std::size_t> counts_;
};

}  // namespace

HandOvers pass_on(const std::vector<Participant>& participants, std::size_t times) {
  Relay relay(participants.size(), times);
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < participants.size(); ++i)
      threads.emplace_back([&, i] { relay.run(i, participants[i]); });
  }
  return relay.result();
}

double jain(const std::vector<std::size_t>& counts) {
  double sum = 0;
  double squares = 0;
  for (const std::size_t count : counts) {
    sum += static_cast<double>(count);
    squares += static_cast<double>(count) * static_cast<double>(count);
  }
  return sum * sum / (static_cast<double>(counts.size()) * squares);
}

}  // namespace tenure::bench
