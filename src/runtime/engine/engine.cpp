#include "runtime/engine/engine.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "core/base/check.hpp"
#include "core/base/overload.hpp"
#include "runtime/boot_clock.hpp"
#include "runtime/engine/change.hpp"
#include "runtime/engine/cork.hpp"
#include "runtime/engine/process_mark.hpp"
#include "runtime/instance_id.hpp"

namespace tenure::runtime {

namespace {

// A client that closes waits at most this long for its last releases to be answered.
constexpr core::Duration settle_max = std::chrono::seconds(1);
// And this long for a minority that is silent: what it holds is no lease, and lapses by itself.
constexpr core::Duration settle_minority_max = std::chrono::milliseconds(100);

// What nobody waits for is read by whoever polls next, or after so long: a connection that has died is noticed then.
constexpr core::Duration unread_max = std::chrono::milliseconds(10);
// And so much later where somebody polls, whose thread must be held up then.
constexpr core::Duration poller_late_max = std::chrono::milliseconds(500);

tl::unexpected<NotExtended> not_extended(std::string why) {
  return tl::unexpected(NotExtended{true, std::move(why)});
}

// What all of them can take.
core::BatchMax batch_max_of(const std::vector<std::shared_ptr<Node>>& nodes) {
  core::BatchMax all{};
  for (const auto& node : nodes) all.leases = std::min(all.leases, node->batch_max().leases);
  return all;
}

}  // namespace

Engine::Engine(ClientOptions options)
    : process_(process_mark()),
      owner_(std::move(options.owner)),
      terms_(std::move(options.terms)),
      agent_({owner_, options.nodes.size(), terms_, batch_max_of(options.nodes),
              options.nodes.front()->part_of()},
             random_from_kernel()),
      lines_(std::move(options.nodes), owner_, random_from_kernel()),
      meter_(lines_.data_index()),
      teller_(std::move(options.on_log), options.log_level, std::move(options.on_event)),
      reactor_(*this, options.spin) {
  reactor_.add_to_descriptor(completions_.fd());
}

// In a child its mutexes may be locked for ever, and its thread is not there: nothing of it can be taken apart.
std::shared_ptr<Engine> Engine::make(ClientOptions options) {
  return {new Engine(std::move(options)), [](Engine* engine) {
            if (!engine->forked()) delete engine;
          }};
}

// After fork() there is no hidden thread in the child, and both would draw the same nonces.
bool Engine::forked() const { return process_mark() != process_; }

Engine::~Engine() {
  const Cork uncorked(nullptr);
  Completions::Queue never_run;
  {
    Hold hold(reactor_);
    const core::Time now = boot_now();
    for (const core::AcquireId id : calls_.acquires()) agent_.cancel(id, now);
    for (const Deferred& it : std::exchange(deferred_, {})) finish(*it.call);
    perform(now);
    give_up_completed(now);
    perform(now);
    settle(hold);
    never_run = completions_.take();
  }
  // With nothing locked: somebody may just be about to cancel one of them.
  never_run.clear();
  under_way_.clear();
}

// A release that was sent but not read by the store could be lost with the connection.
void Engine::settle(Hold& hold) {
  Waiter waiter;
  const core::Time begin = boot_now();
  while (!agent_.tenant().idle() && lines_.waiting()) {
    const core::Time end = begin + (lines_.majority_waits() ? settle_max : settle_minority_max);
    const core::Duration left = end - boot_now();
    if (left <= core::Duration::zero()) return;
    reactor_.wait(hold, waiter, left);
  }
}

void Engine::wait_until_done(Hold& hold, Waiter& waiter) {
  while (!waiter.done()) reactor_.wait(hold, waiter);
  reactor_.leave(hold, waiter);
}

Calls::Acquisition Engine::acquire(const std::string& key, const AcquireOptions& options,
                                   const std::stop_token& stop) {
  core::must(!forked(), "a Client is used by the process that made it: make one after fork()");
  core::must(options.timing.ttl >= core::ttl_min && options.timing.ttl <= terms_.cap,
             "a TTL is made by make_timing, within the cap");
  if (stop.stop_requested()) return tl::unexpected(core::Refusal{core::RefusalCode::cancelled});
  struct Call : Waiter {
    Calls::Acquisition end{};
    std::optional<core::Refusal> waits{};
  } call;
  const std::stop_callback on_stop(stop, [&] { reactor_.interrupt(call); });
  const Cork uncorked(nullptr);
  Hold hold(reactor_);
  const int patience = core::patience_of(options.timing.node_timeout);
  while (!closed_ && !stop.stop_requested() && leaves_elsewhere(key, patience)) {
    held_back_ += 1;
    reactor_.wait(hold, call, unread_max);
    held_back_ -= 1;
  }
  if (closed_ || stop.stop_requested()) {
    return tl::unexpected(core::Refusal{core::RefusalCode::cancelled});
  }
  const core::Time start = boot_now();
  const core::AcquireId id = agent_.acquire(
      {key, options.timing, options.wait_max, options.retry_delay, options.retries, options.hold_max}, start);
  calls_.add(id, {.done =
                      [this, &call](Calls::Acquisition end) {
                        call.end = std::move(end);
                        reactor_.complete(call);
                      },
                  .waits =
                      [this, &call](const core::Refusal& why) {
                        call.waits = why;
                        reactor_.nudge(call);
                      },
                  .began = start});
  const auto cancel = [&] {
    const core::Time now = boot_now();
    agent_.cancel(id, now);
    perform(now);
    core::must(call.done(), "a cancelled acquisition is refused at once");
  };
  try {
    perform(start);
    while (!call.done()) {
      if (stop.stop_requested()) {
        cancel();
      } else if (const auto why = std::exchange(call.waits, std::nullopt); why && options.on_waiting) {
        hold.unlock();
        options.on_waiting(*why);
        hold.lock();
      } else {
        reactor_.wait(hold, call);
      }
    }
  } catch (...) {  // from the user's on_waiting: nothing of this call may be left behind
    hold.lock();
    if (!call.done()) cancel();
    reactor_.leave(hold, call);
    if (call.end) let_go(**call.end);
    throw;
  }
  reactor_.leave(hold, call);
  if (call.end) (*call.end)->patience = static_cast<std::int8_t>(patience);
  return std::move(call.end);
}

// What is asked with the same patience goes behind the release, on its connection. What is not could overtake it, and find the
// name held by ourselves.
bool Engine::leaves_elsewhere(const std::string& key, int patience) const {
  return std::ranges::any_of(leaving_, [&](const auto& lease) {
    return lease.second != patience && agent_.tenant().key_of(lease.first) == key;
  });
}

Calls::Extension Engine::extend(LeaseState& lease) {
  if (forked()) return not_extended("it is held no more");
  struct Call : Waiter {
    Calls::Extension end{};
  } call;
  const Cork uncorked(nullptr);
  Hold hold(reactor_);
  lease_idle_.wait(hold, [&] { return !calls_.extends(lease.id); });
  const core::Time now = boot_now();
  if (lease.releasing || !lease.held() || !agent_.extend(lease.id, now)) {
    return not_extended("it is held no more");
  }
  calls_.add_extension(lease.id, [this, &call](Calls::Extension end) {
    call.end = std::move(end);
    reactor_.complete(call);
  });
  perform(now);
  wait_until_done(hold, call);
  return std::move(call.end);
}

void Engine::finish_extension(core::LeaseId lease, Calls::Extension result) {
  if (!calls_.end(lease, std::move(result))) return;
  lease_idle_.notify_all();
  while (!calls_.extends(lease)) {
    const auto next = extensions_.extract(lease);
    if (next.empty()) return;
    extend(*leases_.at(lease), *next.mapped(), boot_now());
  }
}

core::Released Engine::release(LeaseState& lease) {
  if (forked()) return {lease.id, core::ReleaseOutcome::failed};
  struct Call : Waiter {
    core::Released end{};
  } call;
  const Cork uncorked(nullptr);
  Hold hold(reactor_);
  // One caller at a time; the next finds it done.
  lease_idle_.wait(hold, [&] { return !lease.releasing; });
  if (lease.given_back()) return *lease.released;
  const core::Time now = boot_now();
  calls_.add(lease.id, [this, &call](const core::Released& released) {
    call.end = released;
    reactor_.complete(call);
  });
  begin_release(lease, now);
  perform(now);
  wait_until_done(hold, call);
  return std::move(call.end);
}

// Nobody may believe in the lease any more when its release leaves (S8).
void Engine::begin_release(LeaseState& lease, core::Time now) {
  lease.releasing = true;
  if (calls_.extends(lease.id)) finish_extension(lease.id, not_extended("it was given back"));
  leases_.end(lease);
  if (teller_.wanted(Event::Kind::released)) releasing_[lease.id] = agent_.tenant().key_of(lease.id);
  agent_.release(lease.id, now);
}

void Engine::let_go(LeaseState& lease) {
  if (forked()) return;
  const Hold hold(reactor_);
  const core::Time now = boot_now();
  lease.let_go = true;
  if (lease.releasing) return;
  if (lease.given_back()) {
    forget(lease.id, now);
  } else {
    leaving_.emplace(lease.id, lease.patience);
    begin_release(lease, now);
  }
  perform(now, Pace::relaxed);
}

void Engine::close() {
  if (forked()) return;
  const Cork uncorked(nullptr);
  Hold hold(reactor_);
  if (closed_.exchange(true)) return;
  const core::Time now = boot_now();
  agent_.close_elections(now);
  agent_.close_fleet(now);
  perform(now);
  for (const core::AcquireId id : calls_.acquires()) agent_.cancel(id, now);
  for (const Deferred& it : std::exchange(deferred_, {})) finish(*it.call);
  perform(now);
  give_up_completed(now);
  for (const auto& [id, lease] : leases_.all()) {
    if (lease->releasing || lease->released) continue;
    lease->released = std::make_unique<core::Released>(core::Released{id, core::ReleaseOutcome::released});
    // One that was lost before keeps its reason.
    if (!lease->loss.load()) on(core::Lost{id, core::LossReason::closed, over}, now);
    leases_.end(*lease);
    agent_.forget(id, now);
  }
  perform(now);
  settle(hold);
  // What could not be cleaned up in time goes on in the background, over new connections.
  hear(lines_.drop({core::Applied::perhaps, core::FailureCode::closed, "the client was closed"}, boot_now()),
       boot_now());
  perform(boot_now());
}

void Engine::on_ready(std::span<const Awaited> ready, core::Time now) {
  hear(lines_.on_ready(ready, now), now);
  // What a message made due is done here, and not by the hidden thread, whose wake-up takes longer.
  if (const auto due = agent_.wake(); due && *due <= now) agent_.on_timer(now);
  perform(now, Pace::relaxed);
}

void Engine::on_timer(core::Time now) {
  if (look_back_at_ && *look_back_at_ <= now) {
    lines_.look_back();
    look_back_at_.reset();
  }
  agent_.on_timer(now);
  hear(lines_.on_timer(now), now);
  perform(now);
}

// A candidate waits for its turn without a thread of its own, and so does an instance of a fleet.
bool Engine::busy() const {
  return lines_.pressing() || agent_.elections().campaigning() || agent_.fleet() != nullptr;
}

// What is told, and what fails at once, may lead to more.
void Engine::perform(core::Time now, Pace releases) {
  do {
    for (core::Outcome outcome; agent_.take(outcome);) {
      for (core::Notice& notice : outcome.notices) {
        std::visit(
            core::Overload{[&](core::FleetNotice& it) { on_fleet(it, now); },
                           [&](core::ClockJumped& it) { on(it, now); },
                           [&](auto& audience) { std::visit([&](auto& it) { on(it, now); }, audience); }},
            notice);
      }
      hear(lines_.perform(outcome.effects, now, releases), now);
    }
    if (lines_.unsent() && !Cork::of(&reactor_)) hear(lines_.flush(now), now);
  } while (agent_.stirred());
  if (lines_.waiting() || lines_.unsent()) {
    look_back_soon(now);
  } else {
    look_back_at_.reset();
  }
}

// Whoever polls reads what comes, unless its thread is held up: then the timer does, later.
std::optional<core::Time> Engine::wake(bool polled) const {
  const auto due = core::sooner(agent_.wake(), lines_.wake());
  if (!look_back_at_) return due;
  return core::sooner(due, polled ? *look_back_at_ + poller_late_max : *look_back_at_);
}

// While somebody polls the timer is later, so that its time may have passed.
void Engine::look_back_soon(core::Time now) {
  if (look_back_at_ && now < *look_back_at_) return;
  lines_.look_back();
  look_back_at_ = now + unread_max;
}

void Engine::hear(const Lines::Heard& heard, core::Time now) {
  for (const auto& [node, it] : heard.wake_ups) agent_.on_wake_up(node, it.ticket, it.after, now);
  for (const core::FleetChange change : heard.changes) agent_.on_change(change, now);
  for (const auto& it : heard.news.admitted) agent_.on_admitted(it.node, it.record, now, it.part);
  for (const auto& [id, reply] : heard.news.answers) agent_.on_reply(id, reply, now);
  for (const auto& [node, listening] : heard.listening) agent_.on_listening(node, listening, now);
}

}  // namespace tenure::runtime
