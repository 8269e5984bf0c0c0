#include "sim/client.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "core/check.hpp"

namespace tenure::sim {

namespace {

// Is this command, as the node got it, that request? By content, since the wire has no ids.
bool same_request(const core::Request& request, const redis::Command& command) {
  const ScriptArgs args(command);
  if (const auto* acquire = std::get_if<core::AcquireRequest>(&request)) {
    return args.kind == ScriptArgs::Kind::acquire && command[3] == acquire->key &&
           command[7] == acquire->grant.stamp();
  }
  if (const auto* renew = std::get_if<core::RenewRequest>(&request)) {
    if (args.kind != ScriptArgs::Kind::renew || args.keys != renew->items.size()) return false;
    for (std::size_t i = 0; i < args.keys; ++i) {
      if (command[3 + i] != renew->items[i].key || command[4 + args.keys + i] != renew->items[i].value)
        return false;
    }
    return true;
  }
  const auto& release = std::get<core::ReleaseRequest>(request);
  return args.kind == ScriptArgs::Kind::release && command[3] == release.key &&
         command[4] == release.grant.stamp();
}

bool is_definite(const core::Reply& reply) {
  const auto* failure = std::get_if<core::Failure>(&reply);
  return failure == nullptr || failure->applied == core::Applied::no;
}

}  // namespace

Client::Client(Surroundings& surroundings, std::size_t index, LocalClock clock, std::string owner,
               core::Random random, Listener listener)
    : shared_(surroundings),
      index_(index),
      clock_(clock),
      tenant_({std::move(owner), 1}, random),
      listener_(std::move(listener)) {}

// A process that dies believes nothing any more.
Client::~Client() {
  for (auto& [id, lease] : leases_) end_belief(lease);
}

core::AcquireId Client::acquire(core::Wish wish) {
  core::Actions actions;
  const core::AcquireId id = tenant_.acquire(std::move(wish), now(), actions);
  const auto& request = std::get<core::AcquireRequest>(std::get<core::Send>(actions.at(0)).request);
  asked_[id].stamp = request.grant.stamp();
  perform(actions);
  return id;
}

void Client::cancel(core::AcquireId id) {
  core::Actions actions;
  tenant_.cancel(id, now(), actions);
  perform(actions);
}

void Client::release(core::LeaseId id) {
  Believed& lease = leases_.at(id);
  end_belief(lease);
  lease.released = true;
  core::Actions actions;
  tenant_.release(id, now(), actions);
  perform(actions);
}

void Client::forget(core::LeaseId id) {
  end_belief(leases_.at(id));
  leases_.erase(id);
  core::Actions actions;
  tenant_.forget(id, now(), actions);
  perform(actions);
}

bool Client::held(core::LeaseId id) const {
  const auto found = leases_.find(id);
  return found != leases_.end() && !found->second.released && now() < found->second.deadline;
}

bool Client::holds(const std::string& key) const {
  return std::ranges::any_of(leases_,
                             [&](const auto& entry) { return entry.second.key == key && held(entry.first); });
}

void Client::pause() { paused_ = true; }

void Client::resume(Duration slept) {
  paused_ = false;
  resumed_ = shared_.schedule.now();
  clock_.slept(slept);
  // Whatever its clock did meanwhile, this is what held() says from now on.
  for (const auto& [id, lease] : leases_) {
    if (held(id)) shared_.judge.on_belief(lease.key, lease.value, resumed_, clock_.when(lease.deadline));
  }
  for (const auto& event : std::exchange(missed_, {})) event();
  timer_.reset();
  arm_timer();
}

void Client::when_running(std::function<void()> event) {
  if (paused_) {
    missed_.push_back(std::move(event));
  } else {
    event();
  }
}

void Client::perform(core::Actions& actions) {
  for (core::Action& action : actions) act(action, actions);
  arm_timer();
}

void Client::act(core::Action& action, const core::Actions& all) {
  if (const auto* send = std::get_if<core::Send>(&action)) {
    ask(*send);
  } else if (const auto* drop = std::get_if<core::Drop>(&action)) {
    const bool carried = connection_ && conversation_->carries(drop->id);
    requests_.erase(drop->id);
    if (carried) close_connection();
  } else if (const auto* acquired = std::get_if<core::Acquired>(&action)) {
    on_acquired(*acquired);
  } else if (const auto* refused = std::get_if<core::Refused>(&action)) {
    on_refused(*refused, all);
  } else if (const auto* renewed = std::get_if<core::Renewed>(&action)) {
    on_renewed(*renewed);
  } else if (const auto* lost = std::get_if<core::Lost>(&action)) {
    on_lost(*lost);
  } else if (const auto* released = std::get_if<core::Released>(&action)) {
    if (released->outcome != core::ReleaseOutcome::failed) leases_.erase(released->lease);
    listener_.released(*released);
  }
}

void Client::ask(const core::Send& send) {
  if (const auto* acquire = std::get_if<core::AcquireRequest>(&send.request)) {
    for (auto& [id, asked] : asked_) {
      if (asked.stamp == acquire->grant.stamp()) asked.unanswered.insert(send.id);
    }
  }
  const auto number = static_cast<std::uint64_t>(send.id);
  shared_.trace.event(shared_.schedule.now(), "send", index_, number, [&] {
    static constexpr std::array<std::string_view, 3> kinds{"acquire", "renew", "release"};
    return "client " + std::to_string(index_) + " asks to " + std::string(kinds.at(send.request.index())) +
           ", request " + std::to_string(number);
  });
  requests_.emplace(send.id, send.request);
  if (!connection_) open_connection();
  std::vector<redis::Command> commands;
  conversation_->ask(send.id, send.request, commands);
  say(std::move(commands));
}

void Client::open_connection() {
  conversation_.emplace(redis::Greeting{"", shared_.plan.password ? "secret" : "", 0}, shared_.keyspace);
  const std::uint64_t number = ++connections_;
  connection_ = shared_.network.connect(index_, [this, number, alive = std::weak_ptr(alive_)] {
    if (alive.expired()) return;
    when_running([this, number] {
      if (number != connections_ || !connection_) return;
      std::vector<redis::Command> commands;
      conversation_->open(commands);
      say(std::move(commands));
    });
  });
}

void Client::say(std::vector<redis::Command> commands) {
  for (auto& command : commands) {
    shared_.network.send(connection_, std::move(command),
                         [this, number = connections_, alive = std::weak_ptr(alive_)](
                             const redis::Command& sent, const redis::Value& value) {
                           if (alive.expired()) return;
                           if (!paused_) return hear(number, sent, value);
                           missed_.push_back([this, number, sent, value] { hear(number, sent, value); });
                         });
  }
}

void Client::hear(std::uint64_t connection, const redis::Command& command, const redis::Value& value) {
  if (connection != connections_ || !connection_) return;
  std::vector<redis::Command> commands;
  const auto answer = conversation_->hear(value, commands);
  say(std::move(commands));
  core::must(answer.has_value(), "a simulated node speaks the protocol");
  if (!*answer) return;
  const auto request = requests_.find((*answer)->id);
  if (request != requests_.end() && !same_request(request->second, command)) {
    shared_.judge.violated("S13", shared_.schedule.now(), "a reply was matched to another request");
  }
  shared_.trace.event(
      shared_.schedule.now(), "reply", index_, static_cast<std::uint64_t>((*answer)->id), [&] {
        return "client " + std::to_string(index_) + " hears of request " +
               std::to_string(static_cast<std::uint64_t>((*answer)->id)) + " for " + command.at(3) + ": " +
               (value.items.empty() || value.items[0].text.empty() ? "answered" : value.items[0].text);
      });
  on_answer(**answer);
}

void Client::on_answer(const redis::Conversation::Answer& answer) {
  requests_.erase(answer.id);
  for (auto& [id, asked] : asked_) {
    if (asked.unanswered.contains(answer.id) && is_definite(answer.reply)) {
      asked.unanswered.erase(answer.id);
      asked.granted = asked.granted || std::holds_alternative<core::Granted>(answer.reply);
    }
  }
  core::Actions actions;
  tenant_.on_reply(answer.id, answer.reply, now(), actions);
  perform(actions);
}

// Everything on it has failed, as the runtime reports it.
void Client::close_connection() {
  if (!connection_) return;
  connection_.reset();
  for (const auto& [id, applied] : conversation_->close()) {
    on_answer({id, core::Failure{applied, core::FailureCode::closed, "closed"}});
  }
}

void Client::on_closed() {
  when_running([this, number = connections_] {
    if (number == connections_) close_connection();
  });
}

void Client::arm_timer() {
  const auto wake = tenant_.wake();
  if (!wake) return;
  const TrueTime when = std::max(clock_.when(*wake), shared_.schedule.now());
  if (timer_ && *timer_ <= when) return;
  timer_ = when;
  shared_.schedule.at(when, [this, when, alive = std::weak_ptr(alive_)] {
    if (alive.expired() || timer_ != when) return;
    timer_.reset();
    when_running([this] { on_timer(); });
  });
}

void Client::on_timer() {
  core::Actions actions;
  tenant_.on_timer(now(), actions);
  perform(actions);
}

void Client::on_acquired(const core::Acquired& acquired) {
  const TrueTime at = shared_.schedule.now();
  const auto asked = asked_.find(acquired.acquire);
  if (!asked->second.granted)
    shared_.judge.violated("S10", at, acquired.grant.stamp() + " is held without an answer");
  asked_.erase(asked);
  Believed lease{acquired.key, acquired.grant.value(acquired.token), acquired.deadline};
  shared_.trace.mix_text(lease.value);
  shared_.trace.event(at, "acquired", index_, acquired.token, [&] { return lease.key + " " + lease.value; });
  shared_.judge.on_belief(lease.key, lease.value, at, clock_.when(lease.deadline));
  leases_.emplace(acquired.lease, std::move(lease));
  listener_.acquired(acquired);
}

void Client::on_renewed(const core::Renewed& renewed) {
  Believed& lease = leases_.at(renewed.lease);
  if (lease.lost || now() >= lease.deadline) {
    shared_.judge.violated("S6", shared_.schedule.now(), lease.value + " is held again after it was not");
  }
  lease.deadline = renewed.deadline;
  shared_.judge.on_belief(lease.key, lease.value, shared_.schedule.now(), clock_.when(lease.deadline));
}

void Client::on_lost(const core::Lost& lost) {
  const TrueTime at = shared_.schedule.now();
  const core::Timing& timing = shared_.plan.timing;
  Believed& lease = leases_.at(lost.lease);
  shared_.trace.event(at, "lost", index_, static_cast<std::uint64_t>(lost.reason),
                      [&] { return lease.value; });
  if (lost.reason != core::LossReason::not_renewed) {
    // Nobody deletes keys by hand here: while a client holds a lease, Redis must show it.
    if (now() < lease.deadline)
      shared_.judge.violated("S4", at, lease.value + " was gone while it was believed held");
  } else {
    const core::Time due = lease.deadline - timing.grace;
    if (now() > due + std::chrono::microseconds(1) && resumed_ < clock_.when(due)) {
      shared_.judge.violated("S11", at,
                             lease.value + " was told to end later than its grace before the deadline");
    }
    // Once the node answers again, a renewal must come through long before the lease is lost (T19).
    const Duration recovery = timing.ttl * 2 / 5 + shared_.plan.delay_usual * 20;
    if (shared_.network.last_trouble(index_) + recovery < at && resumed_ + recovery < at) {
      shared_.judge.violated("L5", at, lease.value + " was lost with nothing in its way");
    }
  }
  lease.lost = true;
  if (lost.deadline < lease.deadline) {
    lease.deadline = lost.deadline;
    end_belief(lease);
  }
  listener_.lost(lost);
}

void Client::on_refused(const core::Refused& refused, const core::Actions& all) {
  const auto asked = asked_.find(refused.acquire);
  if (!asked->second.unanswered.empty() || asked->second.granted) {
    const bool cleans_up = std::ranges::any_of(all, [&](const core::Action& action) {
      const auto* send = std::get_if<core::Send>(&action);
      const auto* release = send != nullptr ? std::get_if<core::ReleaseRequest>(&send->request) : nullptr;
      return release != nullptr && release->grant.stamp() == asked->second.stamp;
    });
    if (!cleans_up) {
      shared_.judge.violated("S10", shared_.schedule.now(),
                             asked->second.stamp + " may be held, and was given up without a release");
    }
  }
  asked_.erase(asked);
  listener_.refused(refused);
}

void Client::end_belief(Believed& lease) {
  if (!lease.released) shared_.judge.on_disbelief(lease.key, lease.value, shared_.schedule.now());
}

}  // namespace tenure::sim
