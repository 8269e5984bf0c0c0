// The right to a name until a deadline that moves on by itself.
// It does not promise that work stops: that is yours to do when lost() stops. Let what cannot be stopped in time be
// refused by its token.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "tenure/clock.hpp"
#include "tenure/handler.hpp"
#include "tenure/refusal.hpp"

namespace tenure {

namespace detail {
struct Held;
}

/// Why a lease was lost.
enum class Loss : std::uint8_t {
  not_renewed,   // the deadline came near without an answer
  missing,       // its key is gone: deleted by hand, or evicted
  taken,         // its key shows another grant
  hold_over,     // it was held as long as LockOptions::hold_max says
  closed,        // Client::close()
  stepped_down,  // Election::step_down()
  stopped,       // Election::stop()
};
std::string_view to_string(Loss loss);
/// The reason as a part of a sentence for a person: "it could not be renewed in time".
[[nodiscard]] std::string describe(Loss loss);

/// How a lease was given back.
enum class Released : std::uint8_t {
  released,
  expired,  // it had run out before
  taken,    // it had run out, and another has the name; that one was left alone
};
std::string_view to_string(Released how);

/// Gives the name back when it is destroyed, which waits for no answer and never throws. The release goes ahead of everything that
/// this client asks for later, so that the same name can be acquired again at once; another client finds it free when the
/// release has arrived. It is repeated until it is answered, or the name must have lapsed; Client::close(), and the end of the
/// client, wait for that for at most a second. Who wants to know how it went calls release().
/// All calls may be made from any thread; none after fork(). One that was moved from holds nothing, and all calls on it are
/// safe: held() is false, the token, ttl() and grace() are 0, the name is empty, the deadline long ago, lost() has stopped,
/// loss() gives nothing, and extend() (lost) and release() (usage) are refused. It may be assigned again.
class Lease {
 public:
  ~Lease();
  Lease(Lease&&) noexcept;
  Lease& operator=(Lease&&) noexcept;

  [[nodiscard]] const std::string& name() const;
  /// Larger than that of every grant of any name before, on these nodes. Hand it to what you write to, and let
  /// that refuse a smaller one than it has seen.
  [[nodiscard]] std::uint64_t token() const;
  /// Compares the deadline with the clock, now. Right also after the process was stopped or the machine slept.
  [[nodiscard]] bool held() const;
  /// Until when it is held, as far as is known now.
  [[nodiscard]] BootClock::time_point deadline() const;
  /// How long each renewal makes it last, of which the holder gives a margin away for clocks.
  [[nodiscard]] BootClock::duration ttl() const;
  /// How long before the deadline lost() stops: LockOptions::grace, and of a term ElectionOptions::drain.
  [[nodiscard]] BootClock::duration grace() const;
  /// Stops a grace before the deadline, or at once when the nodes say that the lease is gone. A std::stop_callback that is
  /// registered with it runs on a thread of the client. It may block, and delays the loss of no other lease, but costs a
  /// thread until it returns. It may not throw: the standard library ends the process then.
  [[nodiscard]] std::stop_token lost() const;
  /// Why, once lost() has stopped.
  [[nodiscard]] std::optional<Loss> loss() const;

  /// Renews it now, and gives the new deadline. It renews itself: this is for who wants to know that a majority
  /// still stands by it, before a step that cannot be undone. Refused, it is still held until its deadline,
  /// unless the code is lost.
  [[nodiscard]] tl::expected<BootClock::time_point, Refusal> extend();
  /// Gives the name back now. Refused (no_quorum) it may be called again; the lease runs out by itself anyway.
  tl::expected<Released, Refusal> release();

  /// The same two without blocking: the handler is called once, by Client::poll(), with what the call would return. The lease may
  /// be destroyed meanwhile; an extension under way is refused (lost) then. Of a lease that was moved from the handler is
  /// called at once: there is no client to poll.
  void async_extend(Handler<tl::expected<BootClock::time_point, Refusal>> handler);
  void async_release(Handler<tl::expected<Released, Refusal>> handler);

 private:
  friend struct detail::Held;
  explicit Lease(std::unique_ptr<detail::Held> held);
  std::unique_ptr<detail::Held> held_;
};

}  // namespace tenure
