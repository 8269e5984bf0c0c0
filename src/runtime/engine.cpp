#include "runtime/engine.hpp"

#include <sys/eventfd.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "core/check.hpp"
#include "core/text.hpp"
#include "runtime/boot_clock.hpp"
#include "runtime/loss_text.hpp"
#include "runtime/thrown.hpp"
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
    call.bell.ring(Bell::look);
    eventfd_write(kick_.get(), 1);
  });
  core::Actions actions;
  Hold hold(*this);
  if (closed_) return tl::unexpected(core::Refusal{core::RefusalCode::cancelled});
  const core::Time start = boot_now();
  core::Wish wish{
      key, options.timing, options.wait_max, options.retry_delay, options.retries, options.hold_max};
  const core::AcquireId id = tenant_.acquire(std::move(wish), start, actions);
  acquires_.emplace(id, &call);
  const auto cancel = [&] {
    const core::Time now = boot_now();
    tenant_.cancel(id, now, actions);
    perform(actions, now);
    core::must(call.done, "a cancelled acquisition is refused at once");
  };
  try {
    perform(actions, start);
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
  core::Actions actions;
  Hold hold(*this);
  lease_idle_.wait(hold, [&] { return !extensions_.contains(lease.id); });
  const core::Time now = boot_now();
  if (lease.releasing || !lease.held() || !tenant_.extend(lease.id, now, actions)) {
    return not_extended("it is held no more");
  }
  extensions_.emplace(lease.id, &call);
  perform(actions, now);
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
  core::Actions actions;
  Hold hold(*this);
  // One caller at a time; the next finds it done.
  lease_idle_.wait(hold, [&] { return !lease.releasing; });
  const core::Time now = boot_now();
  if (lease.released && lease.released->outcome != core::ReleaseOutcome::failed) {
    if (after == After::forget) forget(lease.id, now, actions);
    perform(actions, now);
    return *lease.released;
  }
  lease.releasing = true;
  finish_extension(lease.id, not_extended("it was given back"));
  lease.deadline = over;
  if (options_.on_event) call.key = tenant_.key_of(lease.id);
  call.after = after;
  tenant_.release(lease.id, now, actions);
  releases_.emplace(lease.id, &call);
  perform(actions, now);
  wait(hold, call, {}, nullptr);
  end(hold, call);
  return std::move(call.released);
}

void Engine::on_released(core::Released released, core::Time now, core::Actions& more) {
  Call& call = taken(releases_, released.lease);
  LeaseState& lease = *leases_.at(released.lease);
  lease.released = std::make_unique<core::Released>(released);
  lease.releasing = false;
  lease_idle_.notify_all();
  if (released.outcome != core::ReleaseOutcome::failed) {
    tell({Event::Kind::released, std::move(call.key), lease.token, {}});
  }
  if (call.after == After::forget) forget(released.lease, now, more);
  call.released = std::move(released);
  complete(call);
}

void Engine::close() {
  if (forked()) return;
  core::Actions actions;
  Hold hold(*this);
  if (closed_.exchange(true)) return;
  const core::Time now = boot_now();
  elections_.close(now, actions);
  if (fleet_) fleet_->close(now, actions);
  perform(actions, now);
  for (const auto& [id, call] : acquires_) tenant_.cancel(id, now, actions);
  for (const auto& [id, lease] : leases_) {
    if (lease->releasing || lease->released) continue;
    lease->released = std::make_unique<core::Released>(core::Released{id, core::ReleaseOutcome::released});
    // One that was lost before keeps its reason.
    if (!lease->loss.load()) on_lost({id, core::LossReason::closed, over});
    lease->deadline = over;
    tenant_.forget(id, now, actions);
  }
  perform(actions, now);
  settle(hold);
  // What could not be cleaned up in time goes on in the background, over new connections.
  Link::News news;
  for (Line& line : lines_) {
    line.link.drop({core::Applied::perhaps, core::FailureCode::closed, "the client was closed"}, news);
  }
  for (Ear& ear : ears_) ear.close();
  if (changes_) changes_->close();
  core::Actions rest;
  hear(news, boot_now(), rest);
  perform(rest, boot_now());
}

void Engine::forget(const LeaseState& lease) {
  change([&](core::Time now, core::Actions& actions) { forget(lease.id, now, actions); });
}

void Engine::forget(core::LeaseId lease, core::Time now, core::Actions& actions) {
  tenant_.forget(lease, now, actions);
  leases_.erase(lease);
}

void Engine::perform(core::Actions& actions, core::Time now) {
  core::Actions batch;
  while (!actions.empty()) {
    Link::News news;
    elections_.digest(actions, now);
    if (fleet_) fleet_->digest(actions, now);
    batch.swap(actions);
    actions.clear();
    for (core::Action& action : batch) act(action, now, news, actions);
    batch.clear();
    for (Line& line : lines_) line.link.flush(news);
    hear(news, now, actions);
    note_ears(now);
  }
  end_fleet_if_stopped();
  arm_timer();
  if (poller_ != nullptr && polled_ != snapshot()) kick_poller();
}

void Engine::hear(const Link::News& news, core::Time now, core::Actions& actions) {
  for (const auto& [node, record] : news.admitted) tenant_.on_admitted(node, record, now);
  for (const auto& [id, reply] : news.answers) tenant_.on_reply(id, reply, now, actions);
}

void Engine::act(core::Action& action, core::Time now, Link::News& news, core::Actions& more) {
  if (auto* send = std::get_if<core::Send>(&action)) {
    // With every beat: is the connection still there by which others tell of changes?
    if (changes_ && std::holds_alternative<core::BeatRequest>(send->request)) changes_->open(now, random_);
    link_for(*send).ask(send->id, std::move(send->request), now, news);
  } else if (const auto* drop = std::get_if<core::Drop>(&action)) {
    // A connection that has failed since is gone with its requests; the next one is innocent.
    const auto carries = [&](const Line& line) { return line.link.carries(drop->id); };
    const auto line = std::ranges::find_if(lines_, carries);
    if (line != lines_.end()) line->link.drop(core::silence, news);
  } else if (std::holds_alternative<core::Listen>(action)) {
    listen(now);
  } else if (const auto* jumped = std::get_if<core::ClockJumped>(&action)) {
    on_clock_jumped(*jumped);
  } else if (const auto* acquired = std::get_if<core::Acquired>(&action)) {
    on_acquired(*acquired);
  } else if (auto* refused = std::get_if<core::Refused>(&action)) {
    Call& call = taken(acquires_, refused->acquire);
    call.refusal = std::move(refused->refusal);
    complete(call);
  } else if (const auto* waiting = std::get_if<core::Waiting>(&action)) {
    Call& call = *acquires_.at(waiting->acquire);
    call.waiting = waiting->refusal;
    if (poller_ == &call) {
      kick_poller();
    } else {
      call.bell.ring(Bell::look);
    }
  } else if (const auto* renewed = std::get_if<core::Renewed>(&action)) {
    on_renewed(*renewed, more);
  } else if (const auto* uncertain = std::get_if<core::Uncertain>(&action)) {
    on_uncertain(*uncertain);
  } else if (const auto* lost = std::get_if<core::Lost>(&action)) {
    on_lost(*lost);
  } else if (auto* released = std::get_if<core::Released>(&action)) {
    on_released(std::move(*released), now, more);
  } else if (!act_in_election(action)) {
    act_in_fleet(action);
  }
}

Link& Engine::link_for(const core::Send& send) {
  const auto milliseconds = std::chrono::ceil<core::Ttl>(send.answer_within).count();
  const auto patience = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(milliseconds)));
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

void Engine::on_acquired(const core::Acquired& acquired) {
  Call& call = taken(acquires_, acquired.acquire);
  call.lease = note_lease(acquired);
  complete(call);
}

void Engine::on_renewed(const core::Renewed& renewed, core::Actions& more) {
  LeaseState& lease = *leases_.at(renewed.lease);
  if (lease.extend(lease.noted, renewed.deadline)) {
    lease.noted = renewed.deadline;
    if (lease.uncertain.exchange(false)) tell_fleet(renewed, renewed.lease);
    tell(Event::Kind::renewed, renewed.lease);
    if (renewed.extended) finish_extension(renewed.lease, renewed.deadline);
    return;
  }
  // This thread was held up between the reply and here, past the old deadline, and the holder has looked.
  tenant_.give_up(renewed.lease);
  more.push_back(core::Lost{renewed.lease, core::LossReason::not_renewed, over});
}

void Engine::on_lost(const core::Lost& lost) {
  const auto& lease = leases_.at(lost.lease);
  lease->extend(lease->noted, lost.deadline);  // shorter, in fact; unless it is over already
  lease->loss = lost.reason;
  tell(Event::Kind::lost, lost.lease, loss_text(lost.reason));
  finish_extension(lost.lease, not_extended(loss_text(lost.reason)));
  losses_.post(lease->lost);
}

void Engine::on_uncertain(const core::Uncertain& uncertain) {
  tell(Event::Kind::uncertain, uncertain.lease, uncertain.failure.detail);
  if (!leases_.at(uncertain.lease)->uncertain.exchange(true)) tell_fleet(uncertain, uncertain.lease);
  finish_extension(uncertain.lease, tl::unexpected(NotExtended{false, uncertain.failure.detail}));
  const core::Duration left = leases_.at(uncertain.lease)->deadline.load() - boot_now();
  log(tenant_.key_of(uncertain.lease) + " is uncertain: its renewal failed (" + uncertain.failure.detail +
      "); trying again for another " + core::shown(std::chrono::floor<std::chrono::milliseconds>(left)));
}

void Engine::on_clock_jumped(const core::ClockJumped& jumped) {
  const std::string node = redis::shown(options_.nodes.at(jumped.node));
  const std::string by = "by " + core::shown(std::chrono::round<std::chrono::milliseconds>(jumped.by));
  log(node + ": its clock has jumped " + by + "; its grants do not count for " +
      core::shown(jumped.distrusted_for));
  tell({Event::Kind::clock_jumped, node, 0, by});
}

void Engine::log(std::string sentence) {
  if (!options_.log) return;
  // There is nobody to tell that the log itself has thrown.
  log_.post([log = options_.log, sentence = std::move(sentence)] { thrown_by(log, sentence); },
            Herald::Kind::may_be_dropped);
}

void Engine::tell(Event::Kind kind, core::LeaseId lease, std::string detail) {
  if (!options_.on_event) return;
  tell({kind, tenant_.key_of(lease), leases_.at(lease)->token, std::move(detail)});
}

void Engine::tell(Event event) {
  if (!options_.on_event) return;
  log_.post(
      [on_event = options_.on_event, log = options_.log, event = std::move(event)] {
        const auto thrown = thrown_by(on_event, event);
        if (thrown && log) thrown_by(log, "on_event has thrown" + *thrown);
      },
      Herald::Kind::may_be_dropped);
}

void Engine::listen(core::Time now) {
  if (ears_.empty()) {
    for (const auto& address : options_.nodes) {
      ears_.emplace_back(address, options_.keyspace.channels() + options_.owner, options_.tls);
    }
    listening_.assign(options_.nodes.size(), false);
  }
  for (Ear& ear : ears_) ear.open(now, random_);
}

// Tells the tenant which ears have opened or closed.
void Engine::note_ears(core::Time now) {
  for (core::NodeIndex node = 0; node < ears_.size(); ++node) {
    if (ears_[node].listening() == listening_[node]) continue;
    listening_[node] = ears_[node].listening();
    tenant_.on_listening(node, listening_[node], now);
  }
}

// When the core has something to do by itself.
std::optional<core::Time> Engine::wake() const {
  const auto first = core::sooner(tenant_.wake(), elections_.wake());
  return fleet_ ? core::sooner(first, fleet_->wake()) : first;
}

void Engine::on_timer(core::Time now, core::Actions& actions) {
  tenant_.on_timer(now, actions);
  elections_.on_timer(now, actions);
  if (fleet_) fleet_->on_timer(now, actions);
  // What is dropped was sent before; nothing that is sent now may go down with that connection.
  const auto is_drop = [](const core::Action& action) { return std::holds_alternative<core::Drop>(action); };
  core::Actions drops;
  for (auto& action : actions) {
    if (is_drop(action)) drops.push_back(std::move(action));
  }
  if (drops.empty()) return;
  std::erase_if(actions, is_drop);
  actions.insert(actions.begin(), std::make_move_iterator(drops.begin()),
                 std::make_move_iterator(drops.end()));
}

// Seldom a system call: a timer that fires too early is simply set again.
void Engine::arm_timer() {
  auto first = wake();
  for (const Ear& ear : ears_) first = core::sooner(first, ear.wake());
  if (changes_) first = core::sooner(first, changes_->wake());
  if (!first || (armed_ && *armed_ <= *first)) return;
  armed_ = first;
  timer_.set(first);
}

}  // namespace tenure::runtime
