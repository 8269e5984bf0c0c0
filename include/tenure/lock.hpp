// A name that at most one holds at a time.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <tl/expected.hpp>

#include "tenure/handler.hpp"
#include "tenure/lease.hpp"
#include "tenure/options.hpp"
#include "tenure/refusal.hpp"

namespace tenure {

namespace detail {
struct Context;
struct LockPlan;
}  // namespace detail

/// Made by Client::lock(); costs nothing until it is acquired. May be copied, and used from many threads: each
/// acquisition is separate, also within one process. Moving one copies it.
class Lock {
 public:
  Lock(const Lock&) = default;
  Lock& operator=(const Lock&) = default;

  /// One try: the lease, or who has it.
  [[nodiscard]] tl::expected<Lease, Refusal> try_acquire() const;
  /// Waits. Stopping the token ends the wait, and leaves nothing behind.
  [[nodiscard]] tl::expected<Lease, Refusal> acquire(const Wait& wait = {},
                                                     const std::stop_token& stop = {}) const;

  /// The same without blocking: the handler is called once, by Client::poll() on the thread that calls it, with what
  /// acquire() would return; never inside of this call. So is Wait::on_waiting; what that throws comes out of poll(), and the
  /// handler is then refused (cancelled). Stopping the token does that, too.
  void async_acquire(const Wait& wait, Handler<tl::expected<Lease, Refusal>> handler,
                     const std::stop_token& stop = {}) const;

  /// Who holds the name now, as a majority of the nodes shows it. Nothing: nobody does; the name may still be kept for a
  /// moment for a waiter, or show something that Tenure did not write. Refused (no_quorum) where too few nodes answer to
  /// tell, or those that do show different things; where the lock is wrong (usage), the client is closed (closed), or this
  /// machine has no thread left (system). Only reads, over connections of its own, for at most the node timeout. It is for people and for metrics: the answer
  /// may be outdated when it is given, so decide by acquiring the name.
  [[nodiscard]] tl::expected<std::optional<Holder>, Refusal> holder() const;

  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  friend class Client;
  Lock(std::shared_ptr<detail::Context> context, std::string name, const LockOptions& options);

  std::shared_ptr<detail::Context> context_;
  std::string name_;
  std::shared_ptr<const detail::LockPlan> plan_;
};

}  // namespace tenure
