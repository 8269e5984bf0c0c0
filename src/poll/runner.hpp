// What makes polls: begins one when told, ends it early when told, and says what came of it.
// Whether and when to poll is decided elsewhere.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "core/base/time.hpp"
#include "poll/schedule.hpp"
#include "tenure/poller.hpp"

namespace tenure::poll {

// One poll, never used again.
enum class PollId : std::uint64_t {};

struct Task {
  PollId id{};
  Session session{};
  SessionLease lease{};
  // Asked at the last moment, on the runner's own thread: is it still ours?
  std::function<bool()> may_begin{};
  // Until when is it ours, as of now? Nothing: that is not known any more. On the runner's own thread.
  std::function<std::optional<core::Time>()> deadline{};
};

struct PollEnd {
  enum class How : std::uint8_t {
    finished,   // well or not: there is an outcome
    aborted,    // as it was told
    not_begun,  // it was not ours any more
  };
  How how{};
  PollOutcome outcome{};
  Milliseconds took{};
};

// Calls may come from any thread.
class Runner {
 public:
  // Called on a thread of the runner, once for every poll that was begun. Does not block.
  using Done = std::function<void(PollId, PollEnd)>;

  Runner() = default;
  virtual ~Runner() = default;  // aborts what is in flight, and waits for it
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  // How many at once; nobody begins more.
  virtual std::size_t in_flight_max() const = 0;
  // How long before a deadline an abort must be asked for, so that it is done in time.
  virtual Milliseconds abort_takes() const = 0;
  virtual void begin(Task task) = 0;
  // By then nothing of it may be under way. One that has ended meanwhile is left alone.
  virtual void abort(PollId id, core::Time by) = 0;
};

std::unique_ptr<Runner> make_runner(CallbackPoll work, Runner::Done done);
std::unique_ptr<Runner> make_runner(HttpPoll work, Runner::Done done);
std::unique_ptr<Runner> make_runner(CommandPoll work, Runner::Done done);

}  // namespace tenure::poll
