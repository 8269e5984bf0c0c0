#include "runtime/engine/election.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

#include "runtime/boot_clock.hpp"
#include "runtime/engine/thrown.hpp"

namespace tenure::runtime {

tl::expected<Election::Run, Election::NotStarted> Election::start() {
  Lock lock(mutex_);
  if (running_ && stopping_) return tl::unexpected(NotStarted::still_stopping);
  if (running_) return started_;
  running_ = true;
  stopping_ = false;
  const Run run = ++started_;
  kept_alive_ = engine();
  lock.unlock();
  auto why_not = NotStarted::closed;
  try {
    if (engine()->start(plan_, shared_from_this())) return run;
  } catch (const std::system_error& error) {
    engine()->log(log_event::no_thread, plan_.key + ": no thread for its handlers: " + error.what(),
                  {{"name", plan_.key}, {"detail", error.what()}});
    why_not = NotStarted::no_thread;
  }
  lock.lock();
  running_ = false;
  kept_alive_.reset();
  notify();
  return tl::unexpected(why_not);
}

void Election::on_started(core::ElectionId id) {
  const Lock lock(mutex_);
  id_ = id;
  notify();
}

void Election::request_stop() {
  if (engine()->forked()) return;
  Lock lock(mutex_);
  ask_to_stop(lock);
}

void Election::ask_to_stop(Lock& lock) {
  // Another thread may be in the middle of start().
  changed_.wait(lock, [&] { return !running_ || id_; });
  stopping_ = running_;
  notify();
  const auto id = id_;
  lock.unlock();
  if (id) engine()->stop(*id);
  lock.lock();
}

bool Election::stop(const std::stop_token& give_up) {
  if (engine()->forked()) return true;
  Lock lock(mutex_);
  const auto mine = started_;
  ask_to_stop(lock);
  // Whoever must end first cannot wait for it.
  const auto me = std::this_thread::get_id();
  if (tells_ == me || (term_ && term_->worker == me)) return false;
  // Whoever starts it again may be quicker than we are.
  return changed_.wait(lock, give_up, [&] {
    return started_ != mine || (!running_ && !telling_ && !(term_ && term_->worker));
  });
}

void Election::step_down() {
  Lock lock(mutex_);
  const auto id = id_;
  lock.unlock();
  if (id) engine()->step_down(*id);
}

// The lease hears that its term ends before we do, and the work by it.
bool Election::leading() const {
  return term_ && !term_->ending && !term_->lease->loss.load() && term_->lease->held();
}

std::shared_ptr<LeaseState> Election::leads() const {
  const Lock lock(mutex_);
  return leading() ? term_->lease : nullptr;
}

std::optional<core::Holder> Election::leader() const {
  const Lock lock(mutex_);
  return leader_;
}

Election::Waited Election::wait(core::Time deadline, const std::stop_token& stop) {
  using End = Waited::End;
  Lock lock(mutex_);
  if (!running_) return {End::not_started};
  const auto mine = started_;
  const auto stopped = [&] { return !running_ || stopping_ || started_ != mine; };
  while (true) {
    if (stop.stop_requested()) return {End::given_up};
    if (stopped()) return {End::stopped};
    if (leading()) return {End::leads, term_->lease};
    const core::Time now = boot_now();
    if (now >= deadline) return {End::too_long, nullptr, leader_, hindrance_};
    const core::Duration left = deadline - now;
    // Waits are counted by a clock that stands still in suspend: look again now and then.
    changed_.wait_for(lock, stop, std::min<core::Duration>(left, std::chrono::minutes(1)),
                      [&] { return stopped() || leading(); });
  }
}

void Election::AsyncWait::Cancel::operator()() const {
  const auto it = election.lock();
  if (!it) return;
  const Lock lock(it->mutex_);
  const auto found = std::ranges::find(it->waits_, call, [](const auto& wait) { return wait.get(); });
  if (found == it->waits_.end()) return;
  const auto ended = *found;
  it->waits_.erase(found);
  it->finish_wait(ended, {Waited::End::given_up});
}

void Election::async_wait(const std::shared_ptr<AsyncWait>& call, const std::stop_token& stop) {
  {
    const Lock lock(mutex_);
    if (stop.stop_requested()) return finish_wait(call, {Waited::End::given_up});
    if (!running_) return finish_wait(call, {Waited::End::not_started});
    waits_.push_back(call);
    notify();
  }
  // Called back here if it was stopped meanwhile.
  if (stop.stop_possible()) {
    call->on_stop_.emplace(stop, AsyncWait::Cancel{weak_from_this(), call.get()});
  }
}

// On a thread of the client's: whoever calls this may have locked the engine.
void Election::finish_wait(const std::shared_ptr<AsyncWait>& call, Waited end) {
  call->end_ = std::move(end);
  if (const auto it = engine()) it->run_for_user([it, call] { it->post(call); });
}

// Whoever waits looks again; who does so without a thread is told here.
void Election::notify() {
  changed_.notify_all();
  if (waits_.empty()) return;
  const bool stopped = !running_ || stopping_;
  if (!stopped && !leading()) return;
  for (const auto& call : std::exchange(waits_, {})) {
    finish_wait(call, stopped ? Waited{Waited::End::stopped} : Waited{Waited::End::leads, term_->lease});
  }
}

std::shared_ptr<LeaseState> Election::begin_work(Run run, const std::stop_token& stop) {
  Lock lock(mutex_);
  const auto stopped = [&] { return !running_ || stopping_ || started_ != run; };
  changed_.wait(lock, stop, [&] { return stopped() || (leading() && !term_->worked); });
  if (stop.stop_requested() || stopped()) return nullptr;
  term_->worker = std::this_thread::get_id();
  term_->worked = true;
  return term_->lease;
}

bool Election::end_work() {
  Lock lock(mutex_);
  term_->worker.reset();
  notify();
  if (!term_->ending) return leading();
  // Closing the client waits for no work: the name may have been given back before.
  tell_loss(term_->lease->held());
  end_term_if_drained(lock);
  return false;
}

template <class Handler, class... News>
void Election::run_handler(const char* name, const Handler& handler, const News&... news) {
  if (!handler) return;
  if (const auto thrown = thrown_by(handler, news...)) {
    engine()->log(log_event::callback_threw, plan_.key + ": " + name + " has thrown" + *thrown,
                  {{"name", plan_.key}, {"callback", name}});
  }
}

void Election::on_elected(std::shared_ptr<LeaseState> lease) {
  const Lock lock(mutex_);
  term_ = Term{std::move(lease)};
  hindrance_.reset();
  notify();
  // A lease that has run out before its handler's turn has come is no leadership (T58).
  post([this] {
    Lock inner(mutex_);
    if (!term_->lease->held()) return;
    term_->told = true;
    const auto term = term_->lease;
    inner.unlock();
    run_handler("on_elected", handlers.on_elected, term);
  });
}

void Election::on_ending(const core::TermEnding& ending) {
  const Lock lock(mutex_);
  term_->ending = ending.reason;
  notify();
  if (!term_->worker) tell_loss(true);
}

void Election::on_overran() {
  const Lock lock(mutex_);
  tell_loss(false);
}

// Once for a term, when its work has ended, or its time.
void Election::tell_loss(bool work_ended) {
  if (std::exchange(term_->lost_due, true)) return;
  post([this, work_ended] {
    Lock lock(mutex_);
    const bool told = term_->told;
    const auto reason = *term_->ending;
    const core::Token token = term_->lease->token;
    // Handlers before this one may have taken until after the deadline.
    const bool drained = work_ended && term_->lease->held();
    lock.unlock();
    if (told) run_handler("on_lost", handlers.on_lost, reason, token, drained);
    lock.lock();
    term_->lost_told = true;
    end_term_if_drained(lock);
  });
}

void Election::end_term_if_drained(Lock& lock) {
  if (!term_->lost_told || term_->worker) return;
  const core::LeaseId lease = term_->lease->id;
  const auto id = id_;
  lock.unlock();
  if (id) engine()->drained(*id, lease);
  lock.lock();
}

void Election::on_leader_changed(const core::LeaderChanged& changed) {
  const Lock lock(mutex_);
  leader_ = changed.now;
  if (leader_) hindrance_.reset();
  post([this, before = changed.before, now = changed.now] {
    run_handler("on_leader_changed", handlers.on_leader_changed, before, now);
  });
}

void Election::on_hindered(const core::Refusal& refusal) {
  const Lock lock(mutex_);
  hindrance_ = refusal;
  post([this, refusal] { run_handler("on_hindered", handlers.on_hindered, refusal); });
}

void Election::on_stopped() {
  const Lock lock(mutex_);
  running_ = false;
  id_.reset();
  leader_.reset();
  hindrance_.reset();
  notify();
  post([] {});  // the last, after which the engine is let go
}

void Election::post(std::function<void()> task) {
  tasks_.push_back(std::move(task));
  if (std::exchange(telling_, true)) return;
  engine()->run_for_user([self = shared_from_this()] { self->run_tasks(); });
}

void Election::run_tasks() {
  Lock lock(mutex_);
  tells_ = std::this_thread::get_id();
  while (!tasks_.empty()) {
    auto task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    task();
    task = nullptr;
    lock.lock();
    if (!tasks_.empty() || running_) continue;
    auto last = std::move(kept_alive_);
    lock.unlock();
    last.reset();
    lock.lock();
  }
  tells_.reset();
  telling_ = false;
  notify();
}

}  // namespace tenure::runtime
