// A client of a store that acquires and keeps leases. Calls block; whoever waits drives the I/O itself, and
// one hidden thread renews what is held when nobody waits.
// Safe to use from many threads. Leases keep it alive. Not to be used after fork(): a child makes its own.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "core/election/election_plan.hpp"
#include "core/lease/timing.hpp"
#include "core/notice.hpp"
#include "runtime/engine/async_call.hpp"
#include "runtime/engine/calls.hpp"
#include "runtime/engine/log_events.hpp"
#include "runtime/store/node.hpp"
#include "tenure/event.hpp"
#include "tenure/log.hpp"
#include "tenure/metrics.hpp"

namespace tenure {
struct FleetEvent;
}
namespace tenure::core {
struct FleetPlan;
}

namespace tenure::runtime {

struct ClientOptions {
  std::vector<std::shared_ptr<Node>> nodes{};  // one, or several of which a quorum decides
  std::string owner{};                         // unlike that of any other process: make_instance_id()
  core::Terms terms{};                         // what all clients of these nodes agree on
  core::Duration
      spin{};  // a caller looks for its answer for so long before it sleeps, while answers do come meanwhile
  // Told in lines of a log what happens beside the calls, and of events what happens to which key; on a thread of
  // their own.
  std::function<void(const LogLine&)> on_log{};
  LogLevel log_level = LogLevel::info;  // lower ones are not made
  std::function<void(const Event&)> on_event{};
};

struct AcquireOptions {
  core::Timing timing{};
  // How long to wait: zero is one try, nothing is for ever. What it waits for is said in core::Wish.
  std::optional<core::Duration> wait_max = core::Duration::zero();
  std::optional<unsigned> retries{};
  core::Duration retry_delay = std::chrono::milliseconds(200);
  std::optional<core::Duration> hold_max{};
  // Told on the calling thread why it waits: when the wait begins, and when the reason changes.
  std::function<void(const core::Refusal&)> on_waiting{};
};

// Why nodes give no new leases, as users are told it; and when they will, if that is known.
using DescribeNotOpen =
    std::function<FleetEvent(const core::Refusal& refusal, std::optional<core::Duration> opens_in)>;

class Engine;
class Election;
class Membership;

// The right to a name until a deadline that moves on by itself. Gives it back when destroyed, without waiting for the answer.
class Lease {
 public:
  Lease(std::shared_ptr<Engine> engine, std::shared_ptr<LeaseState> state);
  ~Lease();
  Lease(Lease&&) noexcept;
  Lease& operator=(Lease&&) noexcept;

  core::Token token() const;
  // Compares the deadline with the clock at the call: right also after the process was stopped.
  bool held() const;
  core::Time deadline() const;
  // Stops a grace before the deadline, or at once when the store says that the lease is gone.
  std::stop_token lost() const;
  // Why, once lost() has stopped.
  std::optional<core::LossReason> loss() const;
  // Renews it now: the new deadline.
  tl::expected<core::Time, NotExtended> extend();
  // Gives it back now, and says how that went. After ReleaseOutcome::failed it may be called again.
  core::Released release();
  // The same without waiting. It may go meanwhile.
  void async_extend(std::shared_ptr<AsyncExtend> call);
  void async_release(std::shared_ptr<AsyncRelease> call);

 private:
  friend class Client;
  std::shared_ptr<Engine> engine_;
  std::shared_ptr<LeaseState> state_;
  bool lent_ = false;  // somebody else gives it back
};

class Client {
 public:
  // Throws std::system_error where the kernel gives no descriptor or thread.
  explicit Client(ClientOptions options);

  // A lease of this key, or why not. Stopping the token ends the wait, and leaves nothing behind.
  tl::expected<Lease, core::Refusal> acquire(const std::string& key, const AcquireOptions& options,
                                             std::stop_token stop = {});
  // The same without waiting: ends in poll(). Whether somebody is to be told why it waits, on_waiting says; it is not called.
  void async_acquire(std::shared_ptr<AsyncAcquire> call, const std::string& key, AcquireOptions options,
                     const std::stop_token& stop) const;
  void post(std::shared_ptr<AsyncCall> call) const;
  // Readable when poll() has something to do; which runs the calls that have ended, as long as it should go on.
  int descriptor() const;
  std::size_t poll(const std::function<bool()>& goes_on) const;
  // An election that is not started yet.
  std::shared_ptr<Election> election(core::ElectionPlan plan) const;
  // A part in a fleet that it has not joined yet, with its heartbeats on that node, if not on the first.
  std::shared_ptr<Membership> membership(core::FleetPlan plan, std::shared_ptr<Node> data,
                                         DescribeNotOpen describe) const;
  // A handle of its term, which the election gives back.
  Lease lend(std::shared_ptr<LeaseState> term) const;
  // Says this where the client's log goes.
  void log(const LogEvent& event, std::string message, std::vector<LogField> fields = {}) const;
  Metrics metrics() const;
  // Ends all waits and elections, gives back all leases and closes the connections, within a second. What is asked for later is
  // refused as cancelled.
  void close();
  bool closed() const;

 private:
  std::shared_ptr<Engine> engine_;
};

}  // namespace tenure::runtime
