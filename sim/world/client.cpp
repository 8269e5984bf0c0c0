#include "sim/world/client.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/overload.hpp"
#include "redis/cluster/slot.hpp"
#include "redis/grant_text.hpp"

namespace tenure::sim {

namespace {

core::PartOf part_of(const Surroundings& shared) {
  if (shared.cluster == nullptr) return nullptr;
  return [](std::string_view key) -> core::Part { return redis::slot_of(key); };
}

bool is_definite(const core::Reply& reply) {
  const auto* failure = std::get_if<core::Failure>(&reply);
  return failure == nullptr || failure->applied == core::Applied::no;
}

}  // namespace

Client::Client(Surroundings& surroundings, Setup setup, std::size_t index, Clocks clocks, std::string owner,
               core::Random random, Listener listener)
    : shared_(surroundings),
      setup_(std::move(setup)),
      index_(index),
      clock_(clocks.boot),
      wall_(clocks.wall),
      owner_(std::move(owner)),
      random_(random.next()),
      agent_({owner_, setup_.nodes, setup_.keyspace.terms(), {}, part_of(shared_)}, random),
      listener_(std::move(listener)),
      heard_(shared_.cluster != nullptr ? shared_.cluster->slots() : setup_.nodes),
      subscriptions_(shared_.cluster != nullptr ? shared_.cluster->servers() : setup_.nodes),
      subscribed_(subscriptions_.size()) {
  for (std::size_t node = 0; node < setup_.nodes; ++node) seen_.push_back(redis::Conversation::new_seen());
}

// A process that dies believes nothing any more, and its machine closes what it had open.
Client::~Client() {
  for (auto& [id, lease] : leases_) end_belief(lease);
  for (const auto& [id, part] : parts_) shared_.terms.on_death(part.seat);
  for (const Subscription& subscription : subscriptions_) {
    if (subscription.connection) shared_.network.hang_up(subscription.connection);
  }
  if (changes_.connection) shared_.network.hang_up(changes_.connection);
}

core::AcquireId Client::acquire(core::Wish wish) {
  Wished wished{wish.key, shared_.schedule.now(), wish.hold_max};
  const core::AcquireId id = agent_.acquire(std::move(wish), now());
  wished_[id] = std::move(wished);
  perform();
  return id;
}

void Client::cancel(core::AcquireId id) {
  agent_.cancel(id, now());
  perform();
}

void Client::extend(core::LeaseId id) {
  agent_.extend(id, now());
  perform();
}

void Client::release(core::LeaseId id) {
  Believed& lease = leases_.at(id);
  end_belief(lease);
  lease.released = true;
  agent_.release(id, now());
  perform();
}

void Client::forget(core::LeaseId id) {
  end_belief(leases_.at(id));
  leases_.erase(id);
  agent_.forget(id, now());
  perform();
}

void Client::let_go(core::LeaseId id) {
  leases_.at(id).let_go = true;
  release(id);
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
    if (held(id)) {
      shared_.judge.on_belief(lease.key, lease.value, setup_.quorum(), resumed_, clock_.when(lease.deadline));
    }
  }
  // One after the other, or all that has come meanwhile and the timer together, as somebody who polls finds them.
  const bool together = random_.below(2) == 0;
  if (together) performing_ = true;
  for (const auto& event : std::exchange(missed_, {})) event();
  timer_.reset();
  if (together) {
    if (const auto due = agent_.wake(); due && *due <= now()) agent_.on_timer(now());
    performing_ = false;
    perform();
  }
  arm_timer();
}

void Client::when_running(std::function<void()> event) {
  if (paused_) {
    missed_.push_back(std::move(event));
  } else {
    event();
  }
}

void Client::perform() {
  // What a notice leads to at once comes after all that was told before it.
  if (std::exchange(performing_, true)) return;
  for (core::Outcome outcome = agent_.take(); !outcome.empty(); outcome = agent_.take()) {
    for (const core::Notice& notice : outcome.notices) {
      std::visit(core::Overload{
                     [&](const core::ElectionNotice& it) { on_election(it); },
                     [&](const core::FleetNotice& it) { on_fleet(it); },
                     [&](const core::ClockJumped& it) { on(it); },
                     [&](const auto& audience) { std::visit([&](const auto& it) { on(it); }, audience); },
                 },
                 notice);
    }
    perform(outcome.effects);
    look_for_loose_ends();
  }
  performing_ = false;
  arm_timer();
}

void Client::perform(const core::Effects& effects) {
  for (const core::Drop& drop : effects.drops) {
    requests_.erase(drop.id);
    const auto carrier = std::ranges::find_if(
        lines_, [&](const Line& line) { return line.connection && line.conversation->carries(drop.id); });
    if (carrier != lines_.end()) close_line(*carrier, core::silence);
    for (ClusterLine& line : cluster_lines_) {
      if (!line.router.carries(drop.id)) continue;
      redis::Router::Heard heard;
      const auto servers = line.router.give_up(drop.id, core::silence, heard);
      take(line, heard);
      for (const auto server : servers) hang_up(line, server, core::silence);
    }
  }
  for (const core::Send& send : effects.sends) ask(send);
  if (!effects.sends.empty()) flush();
  if (effects.listen && !std::exchange(listening_, true)) {
    for (std::size_t node = 0; node < subscriptions_.size(); ++node) listen(node);
  }
}

// A proposal may be anything: one that somebody else has made, one that is ahead of all clocks, an old one.
core::Token Client::wild_proposal(core::Token proposal) {
  const auto choice = random_.below(4);
  if (choice < 2) {
    const Duration cap = shared_.plan.cap;
    const auto off = random_.between(-cap, choice == 0 ? 4 * cap : cap / 8);
    proposal = static_cast<core::Token>(wall_.read(shared_.schedule.now()).us +
                                        std::chrono::duration_cast<std::chrono::microseconds>(off).count());
  } else if (choice == 2 && shared_.last_proposal != 0) {
    proposal = shared_.last_proposal;
  }
  shared_.last_proposal = proposal;
  return proposal;
}

void Client::ask(core::Send send) {
  if (auto* acquire = std::get_if<core::AcquireRequest>(&send.request);
      acquire != nullptr && shared_.plan.wild_proposals && setup_.nodes > 1) {
    acquire->proposal = wild_proposal(acquire->proposal);
  }
  if (const auto* acquire = std::get_if<core::AcquireRequest>(&send.request)) {
    Asked& asked = asked_[redis::stamp(acquire->grant)];
    asked.key = acquire->key;
    asked.unanswered.emplace(send.id, send.node);
    asked.heard.try_emplace(send.node, heard_.at(counter_of(send.node, acquire->key)));
  } else if (const auto* confirm = std::get_if<core::ConfirmRequest>(&send.request)) {
    const auto asked = asked_.find(redis::stamp(confirm->grant));
    if (asked != asked_.end()) asked->second.confirmed = confirm->token;
  } else if (const auto* release = std::get_if<core::ReleaseRequest>(&send.request)) {
    const auto asked = asked_.find(redis::stamp(release->grant));
    if (asked != asked_.end()) {
      asked->second.granted.erase(send.node);
      std::erase_if(asked->second.unanswered, [&](const auto& entry) { return entry.second == send.node; });
    }
  }
  const auto* look = std::get_if<core::LookRequest>(&send.request);
  if (std::holds_alternative<core::ListsRequest>(send.request) ||
      (look != nullptr && look->keys.front().starts_with(fleet_prefix))) {
    shared_.sharing.on_question();
  }
  const auto number = static_cast<std::uint64_t>(send.id);
  shared_.trace.event(shared_.schedule.now(), "send", index_, number, [&] {
    static constexpr std::array<std::string_view, 10> kinds{
        "acquire", "confirm",       "renew",      "reassert",      "release",
        "open",    "tell the time", "show names", "take its beat", "give lists"};
    return "client " + std::to_string(index_) + " asks node " + std::to_string(send.node) + " to " +
           std::string(kinds.at(send.request.index())) + ", request " + std::to_string(number);
  });
  requests_.emplace(send.id, send.request);
  expect_one_connection(send);
  if (shared_.cluster != nullptr) {
    ClusterLine& line = cluster_line_for(send);
    redis::Router::Heard heard;
    line.router.ask(send.id, send.request, now(), heard);
    tell(heard);
    return;
  }
  Line& line = line_for(send);
  if (!line.connection) open_line(line);
  std::vector<redis::Command> commands;
  line.conversation->ask(send.id, send.request, commands);
  say(line, std::move(commands));
}

void Client::on_answer(const redis::Conversation::Answer& answer) {
  if (const auto request = requests_.extract(answer.id)) note_answer(request.mapped(), answer);
  agent_.on_reply(answer.id, answer.reply, now());
  perform();
}

// Who waits for a lost connection may be told so late that it has given the grant up: then a release has gone out.
void Client::note_answer(const core::Request& request, const redis::Conversation::Answer& answer) {
  const auto* acquire = std::get_if<core::AcquireRequest>(&request);
  if (acquire == nullptr || !is_definite(answer.reply)) return;
  const auto asked = asked_.find(redis::stamp(acquire->grant));
  if (asked == asked_.end()) return;
  const auto found = asked->second.unanswered.find(answer.id);
  if (found == asked->second.unanswered.end()) return;
  if (const auto* granted = std::get_if<core::Granted>(&answer.reply)) {
    const std::size_t node = found->second;
    asked->second.granted.insert(node);
    // An acquire that arrives behind its confirmation is answered with the token that was confirmed, which another node gave.
    const bool repeated = granted->token == asked->second.confirmed;
    if (!repeated && granted->token <= asked->second.heard.at(node)) {
      shared_.judge.violated("S15", shared_.schedule.now(),
                             asked->first + std::to_string(granted->token) +
                                 " was taken from a node that gave " +
                                 std::to_string(asked->second.heard.at(node)) + " to this client before");
    }
    core::Token& heard = heard_[counter_of(node, acquire->key)];
    heard = std::max(heard, granted->token);
  }
  asked->second.unanswered.erase(found);
}

void Client::arm_timer() {
  const auto wake = agent_.wake();
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
  agent_.on_timer(now());
  perform();
}

}  // namespace tenure::sim
