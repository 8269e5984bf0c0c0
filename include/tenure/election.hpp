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
#include <tl/expected.hpp>

#include "tenure/handler.hpp"
#include "tenure/lease.hpp"
#include "tenure/refusal.hpp"

namespace tenure {

namespace detail {
struct Running;
}

/// What does not fit into the lease together is refused by Client::election(): renew, the node timeout (a fifteenth of
/// the lease, at most a second), grace, drain and a margin for clocks (a tenth of the lease, and 2 ms).
struct ElectionOptions {
  /// How long a leader that has died stays leader to the others. Unset: 15 s, or ttl_max where that is shorter.
  std::optional<std::chrono::milliseconds> lease{};
  /// From one renewal to the next. Unset: a third of the lease.
  std::optional<std::chrono::milliseconds> renew{};
  /// A leader whose renewals fail keeps trying this long before it gives up: zero, or at least 10 ms. Unset: a third of
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
/// any thread; handlers are set before start(), and an empty one takes the last away.
///
/// Handlers are called one after the other, on threads of their own (at most 64 for one client), and never for one term
/// after those of the next. A leader's name is given back only after its handlers have returned, so they should not take
/// long: what a leader does belongs into run(), which may begin before on_elected has returned. What they throw is logged.
/// In on_lost nothing can be waited for that comes after it, like leadership. Nothing may be called after fork(). One that
/// was moved from takes no part: it never leads, has no name, id or term, stop() has nothing to do, and start(), run() and
/// wait_for_leadership() are refused (usage).
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
  /// Called when nobody can be elected from here, though no other leads, and when the reason changes: too few nodes answer,
  /// or they give no new leases. It goes on trying also where that is in vain (Refusal::denied). Without this handler the
  /// message goes to ClientOptions::on_log.
  void on_hindered(std::function<void(const Refusal& why)> handler);

  /// Begins to campaign, and goes on until it is stopped: a store that cannot be reached is waited for, and the reason
  /// goes to on_hindered. Refused while it is still being stopped (usage), when the client is closed (closed), or this
  /// machine has no thread left (system). What runs is started.
  [[nodiscard]] tl::expected<void, Refusal> start();
  /// The work is told to end and drains, handlers run, then the name is given back and the next leader is there at
  /// once. Waits for all of it, unless it is called by the work or a handler, where it is refused at any time. Refused
  /// (cancelled): it was not waited for, or the wait was given up, and it goes on in the background. What does not run is stopped.
  tl::expected<void, Refusal> stop(const std::stop_token& give_up = {});
  /// Does this work while it leads, again and again, on this thread; starts the election and stops it. The work ends
  /// when term.lost() stops. Returns after stop was requested, or when the work returned by itself: then it is done.
  /// What the work throws comes out here, after the name was given back. Refused as start() is, and (closed) when the client is
  /// closed before that.
  [[nodiscard]] tl::expected<void, Refusal> run(const std::stop_token& stop,
                                                const std::function<void(const Lease& term)>& work);
  /// Gives leadership up, if it has it, and campaigns again after a second or a renewal's time, whichever is shorter.
  void step_down();

  /// Compares the deadline with the clock, now. False also from the moment on that the work was told to end.
  [[nodiscard]] bool is_leader() const;
  /// Waits until it leads, at most so long, and gives the term. Unset: for ever. Refused when that time is over (waited), the
  /// token or the election was stopped meanwhile (cancelled), the client is closed (closed), or the election does not run
  /// (usage): start() it first. Only after waited is there anything to wait for again: the others come back at once.
  [[nodiscard]] tl::expected<std::uint64_t, Refusal> wait_for_leadership(
      std::optional<std::chrono::milliseconds> wait_max = {}, const std::stop_token& stop = {}) const;
  /// The same without blocking, and for ever unless the token is stopped: the handler is called once, by Client::poll(). Of an
  /// election that was moved from it is called at once: there is no client to poll.
  void async_wait_for_leadership(Handler<tl::expected<std::uint64_t, Refusal>> handler,
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
