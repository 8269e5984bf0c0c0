#include "poll/conductor.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "poll/result_text.hpp"
#include "runtime/boot_clock.hpp"
#include "runtime/engine/thrown.hpp"
#include "runtime/public_time.hpp"
#include "runtime/wall_clock.hpp"

namespace tenure::poll {

namespace {

using runtime::boot_now;

// Strict checks wait for the store of leases; so many of them at once.
constexpr std::size_t askers_max = 8;
// Now and then by itself, to notice that the wall clock was set.
constexpr auto look_around = std::chrono::seconds(1);
constexpr auto write_at_end = std::chrono::seconds(1);

Now now() { return {boot_now(), WallTime(Milliseconds(runtime::wall_now_ms()))}; }

// All other reasons mean that the lease is being lost.
bool drains(std::optional<SessionEnd> reason) {
  using enum SessionEnd;
  return reason == rebalance || reason == removed || reason == released || reason == stopped;
}

Rota::Options rota_options(const Runner& runner, const PollerOptions& options) {
  return {runner.in_flight_max(), runner.abort_takes(), options.backoff_max};
}

PollOutcome without_body(PollOutcome outcome) {
  outcome.body.clear();
  return outcome;
}

}  // namespace

Conductor::Conductor(Fleet& fleet, PollWork work, PollerOptions options, std::unique_ptr<ResultStore> results)
    : fleet_(fleet),
      options_(std::move(options)),
      executor_(std::make_unique<runtime::CallbackExecutor>(1)),
      runner_(std::visit(
          [this](auto& it) {
            return make_runner(std::move(it), [this](PollId id, PollEnd end) {
              post([this, id, end = std::move(end)]() mutable { on_end(id, std::move(end)); });
            });
          },
          work)),
      askers_(std::make_unique<runtime::CallbackExecutor>(askers_max)),
      rota_(rota_options(*runner_, options_)) {
  executor_->make_thread();
  if (options_.strict) askers_->make_thread();
  if (results) {
    using Kind = PollEvent::Kind;
    ledger_ = std::make_unique<Ledger>(
        std::move(results), Ledger::Options{},
        Ledger::Listener{
            [this](const std::string& why) { tell({.kind = Kind::results_dropped, .detail = why}); },
            [this] { tell({.kind = Kind::results_back}); }});
  }
  thread_ = std::thread([this] { run(); });
}

Conductor::~Conductor() {
  finish();
  thread_.join();
}

void Conductor::discover(std::shared_ptr<SessionSource> source) {
  discovery_ =
      std::make_unique<Discovery>(std::move(source), options_.discovery, [this](Discovery::Read read) {
        post([this, read = std::move(read)]() mutable { on_read(std::move(read)); });
      });
}

void Conductor::stop_polls() {
  if (discovery_) discovery_->stop();
  post([this] {
    rota_.stop();
    if (ledger_) ledger_->hurry(boot_now() + write_at_end);
  });
}

bool Conductor::finish(const std::stop_token& give_up) {
  stop_polls();
  post([this] { finishing_ = true; });
  std::unique_lock lock(mutex_);
  return changed_.wait(lock, give_up, [this] { return finished_; });
}

bool Conductor::is_finished() {
  const std::lock_guard lock(mutex_);
  return finished_;
}

void Conductor::run() {
  while (!finishing_) {
    for (auto& letter : mailbox_.wait(wake_time())) letter();
    work_off();
  }
  // In this order: each of them hands on to the next.
  askers_.reset();
  runner_.reset();
  for (auto& letter : mailbox_.take()) letter();
  work_off();
  if (ledger_) ledger_->drain(boot_now() + write_at_end);
  ledger_.reset();
  for (auto& letter : mailbox_.take()) letter();
  work_off();
  {
    const std::lock_guard lock(telling_);
    silent_ = true;
  }
  executor_.reset();
  const std::lock_guard lock(mutex_);
  finished_ = true;
  changed_.notify_all();
}

void Conductor::work_off() {
  rota_.tick(now());
  for (auto actions = rota_.take_actions(); !actions.empty(); actions = rota_.take_actions()) {
    for (const auto& action : actions) std::visit([this](const auto& it) { act(it); }, action);
  }
  in_flight_ = rota_.in_flight();
}

core::Time Conductor::wake_time() const {
  const Now at = now();
  core::Time wake = at.boot + look_around;
  const auto [boot, wall] = rota_.wake();
  if (boot) wake = std::min(wake, *boot);
  if (wall) wake = std::min<core::Time>(wake, at.boot + (*wall - at.wall));
  return wake;
}

void Conductor::on_fleet(const FleetEvent& event) {
  if (is_finished()) {
    // The fleet may be started again by others. Nobody works here any more, so there is nothing to wait for.
    if (event.kind == FleetEvent::Kind::ending) fleet_.ended(event.session, event.token);
    return;
  }
  // First this: what the user is told may take its time, or throw.
  note(event);
  const std::lock_guard lock(telling_);
  if (!silent_ && options_.on_fleet_event) options_.on_fleet_event(event);
}

void Conductor::note(const FleetEvent& event) {
  using Kind = FleetEvent::Kind;
  Tenancy of{event.session, event.token};
  switch (event.kind) {
    case Kind::acquired:
      return post([this, of] { rota_.acquired(of, now()); });
    case Kind::uncertain:
      return post([this, of] { rota_.uncertain(of); });
    case Kind::certain:
      return post([this, of] { rota_.certain(of, now()); });
    case Kind::ending:
      return post([this, of, how = Rota::Ending{drains(event.reason), runtime::to_core(event.deadline)}] {
        rota_.ending(of, how, now());
      });
    case Kind::ended:
      return post([this, of] {
        rota_.ended(of, now());
        failures_.erase(of.session);
        unstorable_.erase(of.session);
      });
    case Kind::sessions:
      if (discovery_) discovery_->hurry();
      return;
    case Kind::instances:
    case Kind::not_open:
    case Kind::open:
      return;
  }
}

void Conductor::pause(const std::string& session) {
  post([this, session] {
    session_list_.pause(session);
    share();
  });
}

void Conductor::resume(const std::string& session) {
  post([this, session] {
    session_list_.resume(session);
    share();
  });
}

void Conductor::remove(const std::string& session) {
  post([this, session] {
    session_list_.remove(session);
    share();
  });
}

PollCounts Conductor::counts() const {
  return {started_, succeeded_, failed_, aborted_, refused_, in_flight_};
}

PollerMetrics Conductor::metrics() const {
  PollerMetrics metrics;
  metrics.succeeded = succeeded_;
  metrics.failed = failed_;
  metrics.aborted = aborted_;
  metrics.in_flight = in_flight_;
  metrics.results_refused = refused_;
  metrics.results_dropped = dropped_;
  const std::lock_guard lock(timing_);
  metrics.lateness = lateness_;
  metrics.latency = latency_;
  return metrics;
}

void Conductor::note_began(WallTime due) {
  started_ += 1;
  const std::lock_guard lock(timing_);
  lateness_.add(now().wall - due);
}

void Conductor::note_took(Milliseconds took) {
  const std::lock_guard lock(timing_);
  latency_.add(took);
}

void Conductor::on_read(Discovery::Read read) {
  if (!read) {
    if (!std::exchange(source_away_, true))
      tell({.kind = PollEvent::Kind::source_away, .detail = read.error()});
    return;
  }
  if (std::exchange(source_away_, false)) tell({.kind = PollEvent::Kind::source_back});
  const SessionList::News news = session_list_.update(std::move(*read));
  for (const auto& [id, why] : news.bad) {
    tell({.kind = PollEvent::Kind::bad_session, .session = id, .detail = why});
  }
  for (const auto& id : news.good) tell({.kind = PollEvent::Kind::good_session, .session = id});
  share();
}

void Conductor::share() {
  auto active = session_list_.active();
  std::vector<std::string> ids;
  ids.reserve(active.size());
  for (const auto& session : active) ids.push_back(session.id);
  rota_.set_sessions(std::move(active), now());
  if (ids == shared_) return;
  shared_ = ids;
  fleet_.share(std::move(ids));
}

void Conductor::act(const ReadSlot& action) {
  if (!ledger_) return rota_.slot_read(action.of, std::nullopt, now());
  ledger_->read_slot(action.of.session, [this, of = action.of](auto slot) {
    post([this, of, slot] { rota_.slot_read(of, slot, now()); });
  });
}

void Conductor::act(const Begin& action) {
  const Tenancy of{action.session.id, action.token};
  auto lease = fleet_.lease_info(of.session);
  if (!runner_ || !lease || !is_ours(of)) {
    rota_.poll_ended(action.id, PollEnd::How::not_begun, false, now());
    return;
  }
  leases_.emplace(action.id, *lease);
  Task task{action.id, action.session, std::move(*lease),
            [this, of, due = action.due] {
              if (!is_ours(of)) return false;
              note_began(due);
              tell({.kind = PollEvent::Kind::started, .session = of.session, .token = of.token},
                   Tell::may_be_dropped);
              return true;
            },
            [this, of] { return deadline_of(of); }};
  if (!options_.strict) return begin(std::move(task));
  askers_->post(
      [this, task = std::move(task)]() mutable {
        if (fleet_.is_owned_strict(task.session.id)) return begin(std::move(task));
        post([this, id = task.id] { on_end(id, {PollEnd::How::not_begun}); });
      },
      Tell::must_arrive);
}

void Conductor::begin(Task task) { runner_->begin(std::move(task)); }

// By this very lease: one that was lost and won again is another.
bool Conductor::is_ours(const Tenancy& of) const {
  const auto lease = fleet_.lease_info(of.session);
  return lease && lease->token == of.token && fleet_.is_owned(of.session);
}

std::optional<core::Time> Conductor::deadline_of(const Tenancy& of) const {
  const auto lease = fleet_.lease_info(of.session);
  // A fleet that a test plays may know of no deadlines.
  if (!lease || lease->token != of.token || lease->deadline == BootClock::time_point{}) return std::nullopt;
  return runtime::to_core(lease->deadline);
}

void Conductor::act(const Abort& action) {
  if (runner_) runner_->abort(action.id, action.by);
}

void Conductor::act(const SayEnded& action) { fleet_.ended(action.of.session, action.of.token); }

void Conductor::on_end(PollId id, PollEnd end) {
  const auto polled = rota_.poll_ended(id, end.how, end.outcome.ok, now());
  auto lease = leases_.extract(id);
  if (end.how == PollEnd::How::aborted) aborted_ += 1;
  if (end.how != PollEnd::How::finished) return;
  (end.outcome.ok ? succeeded_ : failed_) += 1;
  note_took(end.took);
  report(polled, end);
  write(polled, std::move(lease.mapped()), end);
}

void Conductor::report(const Rota::Polled& polled, const PollEnd& end) {
  const auto& [session, token] = polled.of;
  PollEvent event{.session = session, .token = token, .outcome = without_body(end.outcome), .took = end.took};
  event.kind = PollEvent::Kind::polled;
  event.detail = end.outcome.error;
  tell(event, Tell::may_be_dropped);
  if (end.outcome.ok) {
    event.kind = PollEvent::Kind::recovered;
    if (failures_.erase(session) > 0) tell(std::move(event));
    return;
  }
  std::string& told = failures_[session];
  if (std::exchange(told, end.outcome.error) == end.outcome.error) return;
  event.kind = PollEvent::Kind::failed;
  tell(std::move(event));
}

void Conductor::write(const Rota::Polled& polled, SessionLease lease, const PollEnd& end) {
  const auto& [session, token] = polled.of;
  if (!ledger_) return rota_.result_written(polled.of);
  Publish result{.session = session, .slot = polled.slot, .at = now().wall};
  result.text =
      result_text({session, lease.owner, token, result.at, end.took, end.outcome}, options_.body_stored_max);
  result.lease = std::move(lease);
  ledger_->write(std::move(result), [this, of = polled.of](Ledger::Fate fate) {
    post([this, of, fate = std::move(fate)] { on_written(of, fate); });
  });
}

void Conductor::on_written(const Tenancy& of, const Ledger::Fate& fate) {
  using Kind = Ledger::Fate::Kind;
  rota_.result_written(of);
  if (fate.kind == Kind::stored) unstorable_.erase(of.session);
  if (fate.kind == Kind::dropped) dropped_ += 1;
  if (fate.kind == Kind::stored || fate.kind == Kind::dropped) return;
  refused_ += 1;
  // A key that somebody else uses is told once, a lease that has passed on each time.
  if (fate.kind == Kind::failed && std::exchange(unstorable_[of.session], fate.detail) == fate.detail) return;
  tell({.kind = PollEvent::Kind::refused, .session = of.session, .token = of.token, .detail = fate.detail});
}

void Conductor::tell(PollEvent event, Tell how) {
  if (!options_.on_event) return;
  // A poller has no log: there is nobody to tell that it has thrown.
  executor_->post([this, event = std::move(event)] { runtime::thrown_by(options_.on_event, event); }, how);
}

}  // namespace tenure::poll
