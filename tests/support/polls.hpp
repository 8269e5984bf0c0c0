// Polls that a test begins by hand, and what came of them. For tests that link the polling worker.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "poll/runner.hpp"
#include "support/wait.hpp"

namespace tenure::test {

class Polls {
 public:
  template <class Work>
  explicit Polls(Work work)
      : runner_(poll::make_runner(std::move(work), [this](poll::PollId id, poll::PollEnd end) {
          const std::lock_guard lock(mutex_);
          ends_[id] = std::move(end);
        })) {}

  poll::PollId begin(const std::string& session, const std::string& address, bool ours = true) {
    const auto id = static_cast<poll::PollId>(++last_);
    runner_->begin({id,
                    {.id = session, .address = address},
                    {.session = session, .owner = "here", .token = last_},
                    [ours] { return ours; }});
    return id;
  }
  void abort(poll::PollId id, core::Time by) { runner_->abort(id, by); }

  std::optional<poll::PollEnd> ended(poll::PollId id) const {
    const std::lock_guard lock(mutex_);
    const auto found = ends_.find(id);
    return found != ends_.end() ? std::optional(found->second) : std::nullopt;
  }
  // Waits for it. One that does not end has ended as nothing would.
  poll::PollEnd end(poll::PollId id) const {
    wait_until([&] { return ended(id).has_value(); });
    return ended(id).value_or(poll::PollEnd{poll::PollEnd::How::finished, {.error = "it did not end"}, {}});
  }
  PollOutcome outcome(poll::PollId id) const { return end(id).outcome; }
  // Aborts what is in flight.
  void stop() { runner_.reset(); }

 private:
  mutable std::mutex mutex_;
  std::map<poll::PollId, poll::PollEnd> ends_;
  std::uint64_t last_ = 0;
  std::unique_ptr<poll::Runner> runner_;  // goes first
};

}  // namespace tenure::test
