// One of several processes leads; the others stand by. A term of leadership is a lease that renews itself, and its
// token is the number of the term.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "tenure/clock.hpp"
#include "tenure/lease.hpp"

namespace tenure {

namespace detail {
struct Running;
}

/// What does not fit into the lease together is refused by Client::election(): renew, the node timeout (a fifteenth of
/// the lease, at most a second), grace, drain and a margin for clocks (a tenth of the lease, and 2 ms).
struct ElectionOptions {
  /// How long a leader that has died stays leader to the others.
  std::chrono::milliseconds lease{15'000};
  /// From one renewal to the next. Unset: a third of the lease.
  std::optional<std::chrono::milliseconds> renew{};
  /// A leader whose renewals fail goes on trying so long before it gives up: zero, or at least 10 ms. Unset: a third of
  /// the lease.
  std::optional<std::chrono::milliseconds> grace{};
  /// How long its work gets to end before another can lead: at least 10 ms. Unset: two fifteenths of the lease.
  std::optional<std::chrono::milliseconds> drain{};
  /// Only sees who leads, and is never elected.
  bool observe = false;
};

struct Leader {
  std::string id{};  // ClientOptions::id of who leads
  std::uint64_t term = 0;

  bool operator==(const Leader&) const = default;
};

/// How a term of ours has ended.
struct TermEnd {
  Loss reason{};
  std::uint64_t term = 0;
  /// The work, and the handlers before this one, ended before the deadline, and it had not come when on_lost was called.
  /// Else another may have led meanwhile.
  bool drained = true;
  std::string message{};  // the reason as a sentence
};

/// Made by Client::election(). Many elections share their client's connections and threads. All calls may be made from
/// any thread; handlers are set before start().
///
/// Handlers are called one after the other, on threads of their own (at most 64 for one client), and never for one term
/// after those of the next. A leader's name is given back only after its handlers have returned, so they should not take
/// long: what a leader does belongs into run(), which may begin before on_elected has returned. What they throw is logged.
/// In on_lost nothing can be waited for that comes after it, like leadership. Nothing may be called after fork(). One that
/// was moved from takes no part: it never leads, start() is false, and run() returns at once.
class Election {
 public:
  /// Stops it, like stop(), and waits as long as the work takes.
  ~Election();
  Election(Election&&) noexcept;
  Election& operator=(Election&&) noexcept;

  void on_elected(std::function<void(const Lease& term)> handler);
  /// Called only where on_elected was, when the work of that term has ended or its deadline has come.
  void on_lost(std::function<void(const TermEnd& end)> handler);
  /// Nothing: there is no leader, or none that can be seen from here.
  void on_leader_changed(
      std::function<void(const std::optional<Leader>& before, const std::optional<Leader>& now)> handler);

  /// Begins to campaign, and goes on until it is stopped: a Redis that cannot be reached is waited for, and the reason
  /// goes to ClientOptions::log. False: it is still being stopped, the client is closed, or this machine has no thread
  /// left.
  bool start();
  /// The work is told to end and drains, handlers run, then the name is given back and the next leader is there at
  /// once. Waits for all of it, unless it is called by the work or a handler. False: the wait was given up, and it goes
  /// on in the background.
  bool stop(const std::stop_token& give_up = {});
  /// Does this work while it leads, again and again, on this thread; starts the election and stops it. The work ends
  /// when term.lost() stops. Returns after stop was requested, or when the work returned by itself: then it is done.
  /// What the work throws comes out here, after the name was given back.
  void run(const std::stop_token& stop, const std::function<void(const Lease& term)>& work);
  /// Gives leadership up, if it has it, and campaigns again after a second or a renewal's time, whichever is shorter.
  void step_down();

  /// Compares the deadline with the clock, now. False also from the moment on that the work was told to end.
  [[nodiscard]] bool is_leader() const;
  /// Waits until it leads. False at the deadline, when stopped, or when the election is not running: start() it first.
  [[nodiscard]] bool wait_for_leadership(BootClock::time_point deadline = BootClock::time_point::max(),
                                         const std::stop_token& stop = {}) const;
  /// Ours, while we lead.
  [[nodiscard]] std::optional<std::uint64_t> term() const;
  /// As last seen. Nothing: no leader, or none that can be seen from here.
  [[nodiscard]] std::optional<Leader> current_leader() const;
  [[nodiscard]] const std::string& candidate_id() const;
  [[nodiscard]] const std::string& name() const;

 private:
  friend class Client;
  explicit Election(std::unique_ptr<detail::Running> running);
  std::unique_ptr<detail::Running> running_;
};

}  // namespace tenure
