#include "runtime/engine.hpp"

#include <sys/eventfd.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "core/check.hpp"
#include "core/text.hpp"
#include "runtime/boot_clock.hpp"

namespace tenure::runtime {

namespace {

constexpr core::Time over{};  // a deadline that has always passed

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
  const std::stop_callback on_stop(stop, [this] { eventfd_write(kick_.get(), 1); });
  Call call;
  core::Actions actions;
  Lock lock(mutex_);
  const core::Time start = boot_now();
  const core::AcquireId id = tenant_.acquire({key, options.timing, options.wait_max}, start, actions);
  acquires_.emplace(id, &call);
  const auto end = [&] {
    if (!call.done) {
      const core::Time now = boot_now();
      tenant_.cancel(id, now, actions);
      perform(actions, now);
      core::must(call.done, "a cancelled acquisition is refused at once");
    }
    acquires_.erase(id);
    pass_on();
  };
  try {
    perform(actions, start);
    wait(lock, call, stop, &options);
  } catch (...) {  // from the user's on_waiting: nothing of this call may be left behind
    if (!lock.owns_lock()) lock.lock();
    end();
    lock.unlock();
    if (call.lease) forget(*call.lease);
    throw;
  }
  end();
  if (!call.lease) return tl::unexpected(std::move(call.refusal));
  return std::move(call.lease);
}

core::Released Engine::release(LeaseState& lease) {
  const std::lock_guard one_at_a_time(lease.releasing);
  if (lease.released && lease.released->outcome != core::ReleaseOutcome::failed) return *lease.released;
  if (forked()) return {lease.id, core::ReleaseOutcome::failed};
  Call call;
  core::Actions actions;
  Lock lock(mutex_);
  const core::Time now = boot_now();
  lease.deadline = over;
  tenant_.release(lease.id, now, actions);
  releases_.emplace(lease.id, &call);
  perform(actions, now);
  wait(lock, call, {}, nullptr);
  releases_.erase(lease.id);
  pass_on();
  lease.released = call.released;
  return call.released;
}

void Engine::forget(const LeaseState& lease) {
  if (forked()) return;
  core::Actions actions;
  const Lock lock(mutex_);
  const core::Time now = boot_now();
  tenant_.forget(lease.id, now, actions);
  leases_.erase(lease.id);
  perform(actions, now);
  pass_on();
}

void Engine::perform(core::Actions& actions, core::Time now) {
  Link::Answers answers;
  core::Actions batch;
  while (!actions.empty()) {
    batch.swap(actions);
    actions.clear();
    for (core::Action& action : batch) act(action, now, answers);
    batch.clear();
    for (Line& line : lines_) line.link.flush(answers);
    for (const auto& [id, reply] : answers) tenant_.on_reply(id, reply, now, actions);
    answers.clear();
  }
  arm_timer();
  if (poller_ != nullptr && polled_ != snapshot()) kick_poller();
}

void Engine::act(core::Action& action, core::Time now, Link::Answers& answers) {
  if (auto* send = std::get_if<core::Send>(&action)) {
    link_for(*send).ask(send->id, std::move(send->request), now, answers);
  } else if (const auto* drop = std::get_if<core::Drop>(&action)) {
    // A connection that has failed since is gone with its requests; the next one is innocent.
    const auto carries = [&](const Line& line) { return line.link.carries(drop->id); };
    const auto line = std::ranges::find_if(lines_, carries);
    if (line != lines_.end()) line->link.drop(core::silence, answers);
  } else if (const auto* acquired = std::get_if<core::Acquired>(&action)) {
    on_acquired(*acquired);
  } else if (auto* refused = std::get_if<core::Refused>(&action)) {
    Call& call = *acquires_.at(refused->acquire);
    call.refusal = std::move(refused->refusal);
    complete(call);
  } else if (const auto* waiting = std::get_if<core::Waiting>(&action)) {
    Call& call = *acquires_.at(waiting->acquire);
    call.waiting = waiting->held;
    call.wake.notify_one();
  } else if (const auto* renewed = std::get_if<core::Renewed>(&action)) {
    on_renewed(*renewed);
  } else if (const auto* uncertain = std::get_if<core::Uncertain>(&action)) {
    on_uncertain(*uncertain);
  } else if (const auto* lost = std::get_if<core::Lost>(&action)) {
    on_lost(*lost);
  } else if (auto* released = std::get_if<core::Released>(&action)) {
    Call& call = *releases_.at(released->lease);
    call.released = std::move(*released);
    complete(call);
  }
}

Link& Engine::link_for(const core::Send& send) {
  const auto milliseconds = std::chrono::ceil<core::Ttl>(send.answer_within).count();
  const auto patience = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(milliseconds)));
  for (Line& line : lines_) {
    if (line.node == send.node && line.patience == patience) return line.link;
  }
  lines_.push_back({send.node, patience, Link(options_.nodes.at(send.node), options_.keyspace)});
  return lines_.back().link;
}

void Engine::on_acquired(const core::Acquired& acquired) {
  Call& call = *acquires_.at(acquired.acquire);
  call.lease = std::make_shared<LeaseState>();
  call.lease->id = acquired.lease;
  call.lease->key = acquired.key;
  call.lease->token = acquired.token;
  call.lease->noted = acquired.deadline;
  call.lease->deadline = acquired.deadline;
  leases_.emplace(acquired.lease, call.lease);
  complete(call);
}

void Engine::on_renewed(const core::Renewed& renewed) {
  LeaseState& lease = *leases_.at(renewed.lease);
  if (lease.extend(lease.noted, renewed.deadline)) {
    lease.noted = renewed.deadline;
    return;
  }
  // This thread was held up between the reply and here, past the old deadline, and the holder has looked.
  tenant_.give_up(renewed.lease);
  on_lost({renewed.lease, core::LossReason::not_renewed, over});
}

void Engine::on_lost(const core::Lost& lost) {
  const auto& lease = leases_.at(lost.lease);
  lease->extend(lease->noted, lost.deadline);  // shorter, in fact; unless it is over already
  lease->loss = lost.reason;
  losses_.post([lease] { lease->lost.request_stop(); }, Herald::Kind::must_arrive);
}

void Engine::on_uncertain(const core::Uncertain& uncertain) {
  if (!options_.log) return;
  const auto& lease = leases_.at(uncertain.lease);
  const core::Duration left = lease->deadline.load() - boot_now();
  log_.post([log = options_.log,
             sentence = lease->key + " is uncertain: its renewal failed (" + uncertain.failure.detail +
                        "); trying again for another " +
                        core::shown(std::chrono::floor<std::chrono::milliseconds>(left))] { log(sentence); },
            Herald::Kind::may_be_dropped);
}

// Seldom a system call: a timer that fires too early is simply set again.
void Engine::arm_timer() {
  const auto wake = tenant_.wake();
  if (!wake || (armed_ && *armed_ <= *wake)) return;
  armed_ = wake;
  timer_.set(wake);
}

}  // namespace tenure::runtime
