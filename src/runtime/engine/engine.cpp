#include "runtime/engine/engine.hpp"

#include <sys/eventfd.h>

#include <algorithm>
#include <utility>

#include "core/base/check.hpp"
#include "core/base/overload.hpp"
#include "core/base/text.hpp"
#include "runtime/boot_clock.hpp"
#include "runtime/engine/thrown.hpp"
#include "runtime/text/loss_text.hpp"
#include "runtime/wall_clock.hpp"

namespace tenure::runtime {

namespace {

tl::unexpected<NotExtended> not_extended(std::string why) {
  return tl::unexpected(NotExtended{true, std::move(why)});
}

template <class Calls>
auto& taken(Calls& calls, typename Calls::key_type id) {
  const auto call = calls.extract(id);
  core::must(!call.empty(), "what ends is a call that waits");
  return *call.mapped();
}

}  // namespace

bool LeaseState::held() {
  core::Time until = deadline;
  while (boot_now() >= until) {
    if (deadline.compare_exchange_weak(until, over)) return false;
  }
  return true;
}

tl::expected<std::shared_ptr<LeaseState>, core::Refusal> Engine::acquire(const std::string& key,
                                                                         const AcquireOptions& options,
                                                                         const std::stop_token& stop) {
  core::must(!forked(), "a Client is used by the process that made it: make one after fork()");
  core::must(options.timing.ttl >= core::ttl_min && options.timing.ttl <= options_.keyspace.cap,
             "a TTL is made by make_timing, within the cap");
  if (stop.stop_requested()) return tl::unexpected(core::Refusal{core::RefusalCode::cancelled});
  Call call;
  const std::stop_callback on_stop(stop, [&] {
    call.waker.wake(Waker::look);
    eventfd_write(kick_.get(), 1);
  });
  Hold hold(*this);
  if (closed_) return tl::unexpected(core::Refusal{core::RefusalCode::cancelled});
  const core::Time start = boot_now();
  core::Wish wish{
      key, options.timing, options.wait_max, options.retry_delay, options.retries, options.hold_max};
  const core::AcquireId id = agent_.acquire(std::move(wish), start);
  acquires_.emplace(id, &call);
  const auto cancel = [&] {
    const core::Time now = boot_now();
    agent_.cancel(id, now);
    perform(now);
    core::must(call.done, "a cancelled acquisition is refused at once");
  };
  try {
    perform(start);
    if (!wait(hold, call, stop, &options)) cancel();
  } catch (...) {  // from the user's on_waiting: nothing of this call may be left behind
    hold.lock();
    if (!call.done) cancel();
    end(hold, call);
    if (call.lease) forget(*call.lease);
    throw;
  }
  end(hold, call);
  if (!call.lease) return tl::unexpected(std::move(call.refusal));
  return std::move(call.lease);
}

tl::expected<core::Time, NotExtended> Engine::extend(LeaseState& lease) {
  if (forked()) return not_extended("it is held no more");
  Call call;
  Hold hold(*this);
  lease_idle_.wait(hold, [&] { return !extensions_.contains(lease.id); });
  const core::Time now = boot_now();
  if (lease.releasing || !lease.held() || !agent_.extend(lease.id, now)) {
    return not_extended("it is held no more");
  }
  extensions_.emplace(lease.id, &call);
  perform(now);
  wait(hold, call, {}, nullptr);
  end(hold, call);
  return std::move(call.extended);
}

// Whatever becomes of a lease: who waits for its extension goes on.
void Engine::finish_extension(core::LeaseId lease, tl::expected<core::Time, NotExtended> result) {
  const auto found = extensions_.find(lease);
  if (found == extensions_.end()) return;
  Call& call = *found->second;
  extensions_.erase(found);
  call.extended = std::move(result);
  complete(call);
  lease_idle_.notify_all();
}

core::Released Engine::release(LeaseState& lease, After after) {
  if (forked()) return {lease.id, core::ReleaseOutcome::failed};
  Call call;
  Hold hold(*this);
  // One caller at a time; the next finds it done.
  lease_idle_.wait(hold, [&] { return !lease.releasing; });
  const core::Time now = boot_now();
  if (lease.released && lease.released->outcome != core::ReleaseOutcome::failed) {
    if (after == After::forget) forget(lease.id, now);
    perform(now);
    return *lease.released;
  }
  lease.releasing = true;
  finish_extension(lease.id, not_extended("it was given back"));
  lease.deadline = over;
  if (options_.on_event) call.key = agent_.tenant().key_of(lease.id);
  call.after = after;
  agent_.release(lease.id, now);
  releases_.emplace(lease.id, &call);
  perform(now);
  wait(hold, call, {}, nullptr);
  end(hold, call);
  return std::move(call.released);
}

void Engine::on(core::Released& released, core::Time now) {
  Call& call = taken(releases_, released.lease);
  LeaseState& lease = *leases_.at(released.lease);
  lease.released = std::make_unique<core::Released>(released);
  lease.releasing = false;
  lease_idle_.notify_all();
  if (released.outcome != core::ReleaseOutcome::failed) {
    tell({Event::Kind::released, std::move(call.key), lease.token, {}});
  }
  if (call.after == After::forget) forget(released.lease, now);
  call.released = std::move(released);
  complete(call);
}

void Engine::close() {
  if (forked()) return;
  Hold hold(*this);
  if (closed_.exchange(true)) return;
  const core::Time now = boot_now();
  agent_.close_elections(now);
  agent_.close_fleet(now);
  perform(now);
  for (const auto& [id, call] : acquires_) agent_.cancel(id, now);
  for (const auto& [id, lease] : leases_) {
    if (lease->releasing || lease->released) continue;
    lease->released = std::make_unique<core::Released>(core::Released{id, core::ReleaseOutcome::released});
    // One that was lost before keeps its reason.
    if (!lease->loss.load()) on(core::Lost{id, core::LossReason::closed, over}, now);
    lease->deadline = over;
    agent_.forget(id, now);
  }
  perform(now);
  settle(hold);
  // What could not be cleaned up in time goes on in the background, over new connections.
  Link::News news;
  for (Line& line : lines_) {
    line.link.drop({core::Applied::perhaps, core::FailureCode::closed, "the client was closed"}, news);
  }
  for (Subscriber& subscriber : subscribers_) subscriber.close();
  if (changes_) changes_->close();
  hear(news, boot_now());
  perform(boot_now());
}

void Engine::forget(const LeaseState& lease) {
  change([&](core::Time now) { forget(lease.id, now); });
}

void Engine::forget(core::LeaseId lease, core::Time now) {
  agent_.forget(lease, now);
  leases_.erase(lease);
}

// What is told, and what fails at once, may lead to more.
void Engine::perform(core::Time now) {
  for (core::Outcome outcome = agent_.take(); !outcome.empty(); outcome = agent_.take()) {
    for (core::Notice& notice : outcome.notices) {
      std::visit(
          core::Overload{[&](core::FleetNotice& it) { on_fleet(it); },
                         [&](core::ClockJumped& it) { on(it, now); },
                         [&](auto& audience) { std::visit([&](auto& it) { on(it, now); }, audience); }},
          notice);
    }
    perform(outcome.effects, now);
  }
  arm_timer();
  if (poller_ != nullptr && polled_ != snapshot()) kick_poller();
}

void Engine::perform(core::Effects& effects, core::Time now) {
  Link::News news;
  for (const core::Drop& drop : effects.drops) {
    // A connection that has failed since is gone with its requests; the next one is innocent.
    const auto carries = [&](const Line& line) { return line.link.carries(drop.id); };
    const auto line = std::ranges::find_if(lines_, carries);
    if (line != lines_.end()) line->link.drop(core::silence, news);
  }
  for (core::Send& send : effects.sends) {
    // With every beat: is the connection still there by which others tell of changes?
    if (changes_ && std::holds_alternative<core::BeatRequest>(send.request)) changes_->open(now, random_);
    link_for(send).ask(send.id, std::move(send.request), now, news);
  }
  if (effects.listen) listen(now);
  for (Line& line : lines_) line.link.flush(news);
  hear(news, now);
  note_subscriptions(now);
}

void Engine::hear(const Link::News& news, core::Time now) {
  for (const auto& [node, record] : news.admitted) agent_.on_admitted(node, record, now);
  for (const auto& [id, reply] : news.answers) agent_.on_reply(id, reply, now);
}

Link& Engine::link_for(const core::Send& send) {
  const int patience = core::patience_of(send);
  auto seen = std::make_shared<core::Token>(0);
  for (Line& line : lines_) {
    if (line.node != send.node) continue;
    if (line.patience == patience) return line.link;
    seen = line.link.seen();
  }
  const auto introduce = [this] { return redis::Introduction{random_.hex16(), wall_now_ms()}; };
  if (send.node == options_.nodes.size()) {
    lines_.push_back(
        {send.node, patience, Link(send.node, data_->address, options_.keyspace, nullptr, seen, data_->tls)});
  } else {
    lines_.push_back(
        {send.node, patience,
         Link(send.node, options_.nodes.at(send.node), options_.keyspace, introduce, seen, options_.tls)});
  }
  return lines_.back().link;
}

std::shared_ptr<LeaseState> Engine::note_lease(const core::Acquired& acquired) {
  auto lease = std::make_shared<LeaseState>();
  lease->id = acquired.lease;
  lease->token = acquired.token;
  lease->noted = acquired.deadline;
  lease->deadline = acquired.deadline;
  leases_.emplace(acquired.lease, lease);
  tell({Event::Kind::acquired, acquired.key, acquired.token, {}});
  return lease;
}

void Engine::on(const core::Acquired& acquired, core::Time) {
  Call& call = taken(acquires_, acquired.acquire);
  call.lease = note_lease(acquired);
  complete(call);
}

void Engine::on(core::Refused& refused, core::Time) {
  Call& call = taken(acquires_, refused.acquire);
  call.refusal = std::move(refused.refusal);
  complete(call);
}

void Engine::on(const core::Waiting& waiting, core::Time) {
  Call& call = *acquires_.at(waiting.acquire);
  call.waiting = waiting.refusal;
  if (poller_ == &call) {
    kick_poller();
  } else {
    call.waker.wake(Waker::look);
  }
}

void Engine::on(const core::Renewed& renewed, core::Time now) {
  LeaseState& lease = *leases_.at(renewed.lease);
  if (lease.extend(lease.noted, renewed.deadline)) {
    lease.noted = renewed.deadline;
    if (lease.uncertain.exchange(false) && fleet_listener_) {
      fleet_listener_->on_uncertain(leases_.at(renewed.lease), false);
    }
    tell(Event::Kind::renewed, renewed.lease);
    if (renewed.extended) finish_extension(renewed.lease, renewed.deadline);
    return;
  }
  // This thread was held up between the reply and here, past the old deadline, and the holder has looked.
  agent_.give_up(renewed.lease, now);
}

void Engine::on(const core::Lost& lost, core::Time) {
  const auto& lease = leases_.at(lost.lease);
  lease->extend(lease->noted, lost.deadline);  // shorter, in fact; unless it is over already
  lease->loss = lost.reason;
  tell(Event::Kind::lost, lost.lease, loss_text(lost.reason));
  finish_extension(lost.lease, not_extended(loss_text(lost.reason)));
  losses_.post(lease->lost);
}

void Engine::on(const core::Uncertain& uncertain, core::Time now) {
  const auto& lease = leases_.at(uncertain.lease);
  tell(Event::Kind::uncertain, uncertain.lease, uncertain.failure.detail);
  if (!lease->uncertain.exchange(true) && fleet_listener_) fleet_listener_->on_uncertain(lease, true);
  finish_extension(uncertain.lease, tl::unexpected(NotExtended{false, uncertain.failure.detail}));
  const core::Duration left = lease->deadline.load() - now;
  log(agent_.tenant().key_of(uncertain.lease) + " is uncertain: its renewal failed (" +
      uncertain.failure.detail + "); trying again for another " +
      core::to_text(std::chrono::floor<std::chrono::milliseconds>(left)));
}

void Engine::on(const core::ClockJumped& jumped, core::Time) {
  const std::string node = redis::to_text(options_.nodes.at(jumped.node));
  const std::string by = "by " + core::to_text(std::chrono::round<std::chrono::milliseconds>(jumped.by));
  log(node + ": its clock has jumped " + by + "; its grants do not count for " +
      core::to_text(jumped.distrusted_for));
  tell({Event::Kind::clock_jumped, node, 0, by});
}

void Engine::log(std::string sentence) {
  if (!options_.log) return;
  // There is nobody to tell that the log itself has thrown.
  log_.post([log = options_.log, sentence = std::move(sentence)] { thrown_by(log, sentence); },
            CallbackExecutor::Kind::may_be_dropped);
}

void Engine::tell(Event::Kind kind, core::LeaseId lease, std::string detail) {
  if (!options_.on_event) return;
  tell({kind, agent_.tenant().key_of(lease), leases_.at(lease)->token, std::move(detail)});
}

void Engine::tell(Event event) {
  if (!options_.on_event) return;
  log_.post(
      [on_event = options_.on_event, log = options_.log, event = std::move(event)] {
        const auto thrown = thrown_by(on_event, event);
        if (thrown && log) thrown_by(log, "on_event has thrown" + *thrown);
      },
      CallbackExecutor::Kind::may_be_dropped);
}

void Engine::listen(core::Time now) {
  if (subscribers_.empty()) {
    for (const auto& address : options_.nodes) {
      subscribers_.emplace_back(address, options_.keyspace.channels() + options_.owner, options_.tls);
    }
    listening_.assign(options_.nodes.size(), false);
  }
  for (Subscriber& subscriber : subscribers_) subscriber.open(now, random_);
}

// Tells the agent which subscribers have opened or closed.
void Engine::note_subscriptions(core::Time now) {
  for (core::NodeIndex node = 0; node < subscribers_.size(); ++node) {
    if (subscribers_[node].listening() == listening_[node]) continue;
    listening_[node] = subscribers_[node].listening();
    agent_.on_listening(node, listening_[node], now);
  }
}

// Seldom a system call: a timer that fires too early is simply set again.
void Engine::arm_timer() {
  auto first = agent_.wake();
  for (const Subscriber& subscriber : subscribers_) first = core::sooner(first, subscriber.wake());
  if (changes_) first = core::sooner(first, changes_->wake());
  if (!first || (armed_ && *armed_ <= *first)) return;
  armed_ = first;
  timer_.set(first);
}

}  // namespace tenure::runtime
