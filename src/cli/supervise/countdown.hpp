// One line on the terminal that says, once a second, what is waited for and how long it can still take. It is erased when the
// wait is over. It only looks: what is acquired, and when, does not depend on it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "cli/lock/lock_view.hpp"
#include "core/base/time.hpp"
#include "runtime/net/hourglass.hpp"
#include "tenure/refusal.hpp"

namespace tenure::cli {

// "waiting for job: held by web-3 for another 12s (token 5), 2 others wait". Of those that wait, one is us.
std::string waiting_line(const std::string& name, const LockView& lock);
// "waiting for job: no grants for another 41s (quarantine)"
std::string quarantine_line(const std::string& name, core::Duration left);

class Countdown {
 public:
  using Look = std::function<std::optional<LockView>()>;

  // Is stderr a terminal on which a line can be erased, and are we in its foreground?
  static bool can_be_seen();

  // Asks `look` once a second, on a thread of its own, while somebody holds the name.
  Countdown(std::string name, Look look) : name_(std::move(name)), look_(std::move(look)) {}
  ~Countdown();
  Countdown(const Countdown&) = delete;
  Countdown& operator=(const Countdown&) = delete;

  // From now on this is what is waited for. Says nothing of what has no end that could be told.
  void begin(const Refusal& why);
  // Until the next second, or what is waited for changes.
  void erase();

 private:
  enum class Kind { nothing, held, quarantine };

  void count(const std::stop_token& stop);
  std::string line(Kind kind, core::Time opens_at) const;
  void draw(const std::string& line);

  std::string name_;
  Look look_;
  std::mutex mutex_{};
  std::condition_variable_any changed_{};
  Kind kind_ = Kind::nothing;
  std::uint64_t change_ = 0;  // how often that was said
  core::Time opens_at_{};     // of a quarantine
  bool drawn_ = false;
  runtime::Hourglass hourglass_{
      core::Time::max()};  // nobody waits for a node that is silent once the wait is over
  std::jthread thread_{};  // the last: it ends before what it uses
};

}  // namespace tenure::cli
