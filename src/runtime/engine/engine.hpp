// Performs what the core decides, for many threads at once: users' wishes go to the agent, what it wants done to the lines,
// and what it tells to calls, leases, elections and the fleet. Who drives it is the reactor's business.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/agent.hpp"
#include "runtime/engine/callback_executor.hpp"
#include "runtime/engine/calls.hpp"
#include "runtime/engine/client.hpp"
#include "runtime/engine/completions.hpp"
#include "runtime/engine/leases.hpp"
#include "runtime/engine/lines.hpp"
#include "runtime/engine/meter.hpp"
#include "runtime/engine/reactor.hpp"
#include "runtime/engine/teller.hpp"

namespace tenure::runtime {

// Hears of one election, on whatever thread drives the engine and with its mutex locked: takes note, and returns.
class ElectionListener {
 public:
  virtual ~ElectionListener() = default;
  virtual void on_started(core::ElectionId id) = 0;
  virtual void on_elected(std::shared_ptr<LeaseState> term) = 0;
  virtual void on_ending(const core::TermEnding& ending) = 0;
  virtual void on_overran() = 0;
  virtual void on_leader_changed(const core::LeaderChanged& changed) = 0;
  virtual void on_hindered(const core::Refusal& refusal) = 0;
  virtual void on_stopped() = 0;
};

// Hears of the fleet, like that.
class FleetListener {
 public:
  virtual ~FleetListener() = default;
  // The last that it hears, with the engine's handle of it. That may keep the engine itself alive, so it is let go later, by
  // another thread.
  virtual void on_stopped(std::shared_ptr<FleetListener> self) = 0;
  // With the lease that it is about, if it is about one.
  virtual void hear(const core::FleetNotice& notice, const std::shared_ptr<LeaseState>& lease) = 0;
  // Of any lease of this client: why its renewals fail; nothing: they do so no more.
  virtual void on_uncertain(const std::shared_ptr<LeaseState>& lease,
                            const std::optional<std::string>& why) = 0;
};

class Engine final : private Reactor::Handler {
 public:
  // Throws std::system_error where the kernel gives no descriptor or thread.
  static std::shared_ptr<Engine> make(ClientOptions options);
  // Without close(): what has not ended, or was not run, never is.
  ~Engine() override;

  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  Calls::Acquisition acquire(const std::string& key, const AcquireOptions& options,
                             const std::stop_token& stop);
  Calls::Extension extend(LeaseState& lease);
  core::Released release(LeaseState& lease);
  // Its handle goes. What was not given back is, and nobody waits for that: the release leaves behind everything that was
  // asked before, ahead of everything that is asked later, and is repeated until it is answered or the name must have lapsed.
  void let_go(LeaseState& lease);

  // The same without waiting: each ends in the queue that poll() takes it from.
  void async_acquire(std::shared_ptr<AsyncAcquire> call, const std::string& key, AcquireOptions options,
                     const std::stop_token& stop);
  void async_extend(LeaseState& lease, std::shared_ptr<AsyncExtend> call);
  void async_release(LeaseState& lease, std::shared_ptr<AsyncRelease> call);
  // One that has ended before it began.
  void post(std::shared_ptr<AsyncCall> call);
  // Readable when poll() has something to do.
  int descriptor() const { return reactor_.descriptor(); }
  // Reads what has come, and runs what has ended, as long as it should go on; how many it has run. What they ask for leaves
  // at the end, together. What one of them throws comes out, and the others are left for the next time.
  static std::size_t poll(const std::shared_ptr<Engine>& engine, const std::function<bool()>& goes_on);

  // False when the engine is closed. Throws std::system_error where the kernel gives no thread. The listener is known from
  // on_started() until on_stopped().
  bool start(core::ElectionPlan plan, std::shared_ptr<ElectionListener> listener);
  void stop(core::ElectionId election);
  void step_down(core::ElectionId election);
  void drained(core::ElectionId election, core::LeaseId term);

  // Takes part in a fleet, whose heartbeats are on the first node or on that one. False when the engine is closed, or takes
  // part in one already. The listener is known until on_stopped().
  bool join(core::FleetPlan plan, std::shared_ptr<Node> data, std::shared_ptr<FleetListener> listener);
  // Only in the fleet of that listener: by now another may be the engine's.
  void leave(const FleetListener& of);
  void share(const FleetListener& of, const std::vector<std::string>& sessions);
  void take(const FleetListener& of, const std::string& session);
  bool give_back(const FleetListener& of, const std::string& session);
  std::vector<core::Member> members(const FleetListener& of);
  std::optional<std::string> preferred(const FleetListener& of, const std::string& session);
  void session_drained(core::LeaseId lease);

  // Runs what is the user's, on a thread of its own.
  void run_for_user(std::function<void()> task) {
    handlers_.post(std::move(task), CallbackExecutor::Kind::must_arrive);
  }
  void log(const LogEvent& event, std::string message, std::vector<LogField> fields = {}) {
    teller_.log(event, std::move(message), std::move(fields));
  }

  // A snapshot. Empty after fork().
  Metrics metrics();
  const std::string& owner() const { return owner_; }
  // What the store shows for a lease while it stands.
  std::string shown(const core::Grant& grant, core::Token token) const {
    return lines_.node(0).shown(grant, token);
  }
  bool forked() const;
  void close();
  bool closed() const { return closed_; }

 private:
  using Hold = Reactor::Hold;
  using Waiter = Reactor::Waiter;
  friend struct AsyncAcquire::Cancel;
  // An acquisition that waits for a release which it must not overtake.
  struct Deferred {
    AsyncAcquire* call;
    core::Wish wish;
    int patience;
    bool tells;
  };

  explicit Engine(ClientOptions options);

  std::vector<Awaited> awaited() const override { return lines_.awaited(); }
  void on_ready(std::span<const Awaited> ready, core::Time now) override;
  void on_timer(core::Time now) override;
  bool awaits(std::span<const Awaited> polled) const override { return lines_.awaits(polled); }
  std::optional<core::Time> wake(bool polled) const override;
  bool busy() const override;
  bool asked() const override { return lines_.waiting(); }

  void perform(core::Time now, Pace releases = Pace::prompt);
  void look_back_soon(core::Time now);
  void begin_release(LeaseState& lease, core::Time now);
  void add(std::shared_ptr<AsyncCall> call);
  void finish(AsyncCall& call);
  void put(Completions::Completion completion);
  void begin(Deferred acquisition, core::Time now);
  void begin_deferred(core::Time now);
  void cancel(AsyncAcquire& call);
  void extend(LeaseState& lease, AsyncExtend& call, core::Time now);
  void give_up_completed(core::Time now);
  bool leaves_elsewhere(const std::string& key, int patience) const;
  void hear(const Lines::Heard& heard, core::Time now);
  void settle(Hold& hold);
  void wait_until_done(Hold& hold, Waiter& waiter);

  // One for each notice of the core.
  void on(const core::Acquired& acquired, core::Time now);
  void on(core::Refused& refused, core::Time now);
  void on(const core::Waiting& waiting, core::Time now);
  void on(const core::Released& released, core::Time now);
  void on(const core::Renewed& renewed, core::Time now);
  void on(const core::Uncertain& uncertain, core::Time now);
  void on(const core::Lost& lost, core::Time now);
  void on(const core::ClockJumped& jumped, core::Time now);
  void on(const core::Elected& elected, core::Time now);
  void on(const core::TermEnding& ending, core::Time now);
  void on(const core::TermOverran& overran, core::Time now);
  void on(const core::TermOver& ended, core::Time now);
  void on(const core::LeaderChanged& changed, core::Time now);
  void on(const core::CampaignHindered& hindered, core::Time now);
  void on(const core::ElectionStopped& stopped, core::Time now);
  void on_fleet(const core::FleetNotice& notice, core::Time now);
  std::shared_ptr<LeaseState> on_session_taken(const core::SessionTaken& taken);
  std::shared_ptr<LeaseState> on_session_ending(const core::SessionEnding& ending, core::Time now);
  std::shared_ptr<LeaseState> on_session_ended(const core::SessionEnded& ended, core::Time now);

  NodeMetrics node_metrics(core::NodeIndex index, const Node& node) const;
  std::shared_ptr<LeaseState> note_lease(const core::Acquired& acquired);
  void forget(core::LeaseId lease, core::Time now);
  void finish_extension(core::LeaseId lease, Calls::Extension result);
  void tell(Event::Kind kind, core::LeaseId lease, std::string detail = {});
  void tell_loss(core::LeaseId lease, core::LossReason reason);
  // Something that nobody waits for: what becomes of it is performed at once.
  template <class Change>
  void change(const Change& change);

  const std::int64_t process_;  // the one that made it
  const std::string owner_;
  const core::Terms terms_;
  std::atomic<bool> closed_ = false;
  core::Agent agent_;
  Lines lines_;
  Calls calls_;
  Leases leases_;
  Meter meter_;
  std::unordered_map<core::LeaseId, std::string> releasing_;  // the keys, where somebody is told
  std::unordered_map<core::LeaseId, int> leaving_;            // let go, and not answered: with which patience
  std::optional<core::Time> look_back_at_;                    // for answers that nobody has read
  std::vector<std::shared_ptr<AsyncCall>> under_way_;
  std::vector<Deferred> deferred_;
  std::size_t held_back_ = 0;                                        // callers that block for the same reason
  std::unordered_multimap<core::LeaseId, AsyncExtend*> extensions_;  // that wait for an earlier one
  Completions completions_;
  std::condition_variable_any lease_idle_;  // a release or an extension has ended
  std::unordered_map<core::ElectionId, std::shared_ptr<ElectionListener>> listeners_;
  std::shared_ptr<FleetListener> fleet_listener_;
  Teller teller_;
  CallbackExecutor handlers_{64};
  Reactor reactor_;  // the last: it drives all of them
};

}  // namespace tenure::runtime
