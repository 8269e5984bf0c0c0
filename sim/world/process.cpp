#include "sim/world/process.hpp"
#include "redis/grant_text.hpp"

#include <algorithm>

namespace tenure::sim {

Process::Process(Surroundings& surroundings, std::size_t index, Clocks clocks, core::Random random)
    : shared_(surroundings), index_(index), clocks_(clocks), random_(random) {
  for (const auto& name : shared_.plan.names) {
    Task task;
    task.key = name;
    tasks_.push_back(task);
  }
  for (const auto& election : shared_.plan.elections) {
    candidacies_.emplace_back(shared_, election, core::Random(random_.next()));
  }
  const auto& fleet = shared_.plan.fleet;
  if (fleet && index < fleet->weights.size()) {
    membership_.emplace(shared_, fleet->weights[index], core::Random(random_.next()));
  }
  start_client();
}

void Process::start_client() {
  lives_ += 1;
  const std::string owner = "c" + std::to_string(index_) + "." + std::to_string(lives_);
  Client::Listener listener{
      [this](const core::Acquired& acquired) { on_acquired(acquired); },
      [this](const core::Refused& refused) {
        Task* task = task_of(refused.acquire);
        if (task == nullptr) return;
        rest(*task);
        // A connection that died unnoticed is no reason not to wait.
        if (only_a_turn_) wish_once(task->key, std::nullopt);
      },
      [this](const core::Lost& lost) { on_lost(lost); },
      [this](const core::Released& released) { on_released(released); },
      [this](core::ElectionId election, const core::ElectionNotice& notice) {
        for (Candidacy& candidacy : candidacies_) candidacy.hear(election, notice);
      },
      [this](const core::FleetNotice& notice) {
        if (membership_) membership_->hear(notice);
      },
  };
  // Some are started with what was right before.
  const auto& setups = shared_.setups;
  const Setup& setup = setups.size() > 1 && chance(40) ? setups[random_.below(setups.size())] : setups.back();
  client_ = std::make_unique<Client>(shared_, setup, index_, clocks_, owner, core::Random(random_.next()),
                                     std::move(listener));
  for (Candidacy& candidacy : candidacies_) candidacy.boot(*client_);
  if (membership_) membership_->boot(*client_);
}

void Process::work() {
  working_ = shared_.plan.locks;
  for (Task& task : tasks_) rest(task);
  for (Candidacy& candidacy : candidacies_) candidacy.begin();
  if (membership_) membership_->begin();
}

void Process::retire() {
  working_ = false;
  only_a_turn_ = false;
  for (Task& task : tasks_) {
    if (task.acquire) client_->cancel(*task.acquire);
    if (task.lease) give_back(task);
  }
  for (Candidacy& candidacy : candidacies_) candidacy.end();
  if (membership_) membership_->end();
}

void Process::pause(Duration length, bool machine_sleeps) {
  client_->pause();
  shared_.schedule.in(length, [this, length, machine_sleeps, life = lives_] {
    // It may have been killed while it stood still.
    if (life == lives_) client_->resume(machine_sleeps ? length : Duration::zero());
  });
}

void Process::crash() {
  shared_.trace.event(shared_.schedule.now(), "crash", index_, lives_,
                      [&] { return "client " + std::to_string(index_); });
  start_client();
  for (Task& task : tasks_) {
    const std::string key = task.key;
    const std::uint64_t episode = task.episode;
    task = {};
    task.key = key;
    task.episode = episode;
    rest(task);
  }
}

void Process::forget_all() {
  for (Task& task : tasks_) {
    if (!task.lease) continue;
    client_->forget(*task.lease);
    rest(task);
  }
}

void Process::wish_once(const std::string& key, std::optional<Duration> wait_max) {
  Task& task = *std::ranges::find(tasks_, key, &Task::key);
  core::Wish wish{key, client_->timing(), wait_max};
  task.acquire = client_->acquire(std::move(wish));
}

void Process::take_a_turn(const std::string& key) {
  only_a_turn_ = true;
  wish_once(key, std::nullopt);
}

void Process::join_elections(bool candidate) {
  for (Candidacy& candidacy : candidacies_) candidacy.begin_calmly(candidate);
}

Candidacy& Process::candidacy(const std::string& key) {
  return *std::ranges::find(candidacies_, key, &Candidacy::key);
}

// A step of a task, unless the task has moved on by then. A process that stands still takes it later.
void Process::later(Task& task, Duration delay, void (Process::*step)(Task&)) {
  const std::size_t which = static_cast<std::size_t>(&task - tasks_.data());
  shared_.schedule.in(delay, [this, which, step, episode = task.episode] {
    Task& it = tasks_[which];
    if (it.episode != episode) return;
    if (client_->paused()) {
      later(it, shared_.plan.timing.ttl / 10, step);
    } else {
      (this->*step)(it);
    }
  });
}

void Process::rest(Task& task) {
  task.acquire.reset();
  task.lease.reset();
  task.episode += 1;
  if (working_)
    later(task, up_to(chance(80) ? shared_.plan.timing.ttl / 20 : shared_.plan.timing.ttl), &Process::wish);
}

void Process::wish(Task& task) {
  if (!working_) return;
  const Duration ttl = shared_.plan.timing.ttl;
  core::Wish wish{task.key, client_->timing(), std::nullopt};
  const auto kind = random_.below(10);
  if (kind < 3) wish.wait_max = Duration::zero();
  if (kind >= 5) wish.wait_max = up_to(ttl * 3);
  wish.retry_delay = ttl / 5;
  if (chance(10)) wish.retries = static_cast<unsigned>(random_.below(4));
  if (chance(10)) wish.hold_max = ttl + up_to(ttl);
  task.episode += 1;
  // The answer cannot come before this returns: the network takes its time.
  task.acquire = client_->acquire(std::move(wish));
  if (chance(15)) later(task, up_to(chance(50) ? shared_.plan.delay_usual * 4 : ttl), &Process::change_mind);
}

void Process::change_mind(Task& task) {
  if (task.acquire) client_->cancel(*task.acquire);
}

void Process::on_acquired(const core::Acquired& acquired) {
  Task* task = task_of(acquired.acquire);
  if (task == nullptr) return;
  const Duration ttl = shared_.plan.timing.ttl;
  task->acquire.reset();
  task->lease = acquired.lease;
  task->token = acquired.token;
  task->value = redis::value(acquired.grant, acquired.token);
  task->release_tries = 0;
  task->episode += 1;
  if (only_a_turn_) {
    only_a_turn_ = false;
    turns_ += 1;
    last_turn_ = shared_.schedule.now();
    later(*task, shared_.plan.delay_usual, &Process::give_back);
  }
  if (!working_) return;
  const Duration short_hold = shared_.plan.short_holds ? shared_.plan.timing.node_timeout / 4 : ttl / 20;
  const Duration hold = up_to(shared_.plan.short_holds || chance(75) ? short_hold : ttl * 2);
  for (auto writes = random_.below(3); writes > 0; --writes) later(*task, up_to(hold), &Process::write);
  if (chance(20)) later(*task, up_to(hold), &Process::extend);
  // Some hold on until they lose it.
  if (!chance(10)) later(*task, hold, &Process::give_back);
}

void Process::write(Task& task) {
  if (!task.lease || !client_->held(*task.lease)) return;
  shared_.network.send_elsewhere(
      [this, key = task.key, value = task.value, token = task.token, lease = *task.lease, life = lives_] {
        const bool still_held = life == lives_ && client_->held(lease);
        const bool taken = shared_.judge.on_write(key, value, token, still_held, shared_.schedule.now());
        shared_.trace.event(shared_.schedule.now(), "write", token, taken ? 1 : 0, [&] { return value; });
      });
}

void Process::extend(Task& task) {
  if (task.lease) client_->extend(*task.lease);
}

void Process::on_lost(const core::Lost& lost) {
  Task* task = task_of(lost.lease);
  if (task == nullptr) return;
  task->episode += 1;
  // The work drains within its grace, then the name is given back; or it is still at it when its time runs out.
  const Duration grace = shared_.plan.timing.grace;
  later(*task, up_to(chance(50) ? grace / 2 : grace * 2), &Process::give_back);
}

void Process::give_back(Task& task) {
  // A scope that ends, and often one that begins behind it: the same name again, at once.
  if (working_ && task.release_tries == 0 && chance(40)) {
    client_->let_go(*task.lease);
    rest(task);
    if (chance(50)) wish(task);
    return;
  }
  task.episode += 1;
  task.release_tries += 1;
  client_->release(*task.lease);
}

void Process::on_released(const core::Released& released) {
  Task* task = task_of(released.lease);
  if (task == nullptr) return;
  if (released.outcome == core::ReleaseOutcome::failed) {
    if (task->release_tries < 3) {
      later(*task, shared_.plan.timing.node_timeout, &Process::give_back);
      return;
    }
    client_->forget(released.lease);
  }
  rest(*task);
}

Process::Task* Process::task_of(core::AcquireId id) {
  const auto found = std::ranges::find(tasks_, std::optional(id), &Task::acquire);
  return found == tasks_.end() ? nullptr : &*found;
}

Process::Task* Process::task_of(core::LeaseId id) {
  const auto found = std::ranges::find(tasks_, std::optional(id), &Task::lease);
  return found == tasks_.end() ? nullptr : &*found;
}

}  // namespace tenure::sim
