#include "sim/world/client.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/check.hpp"
#include "core/base/overload.hpp"
#include "redis/grant_text.hpp"

namespace tenure::sim {

namespace {

// Is this command, as the node got it, that request? By content, since the wire has no ids.
bool same_request(const core::Request& request, const redis::Command& command,
                  const redis::Keyspace& keyspace) {
  // All but the epoch of the connection, which is not the request's.
  if (const auto* acquire = std::get_if<core::AcquireRequest>(&request); acquire != nullptr) {
    if (!ScriptArgs::is_script(command)) return false;
    const ScriptArgs args(command);
    return args.kind == ScriptArgs::Kind::acquire && args.key(command, 0) == acquire->key &&
           args.argument(command, 1) == redis::stamp(acquire->grant);
  }
  redis::Command wanted = redis::script_call(request, keyspace, "", redis::CallBy::sha1);
  if (!ScriptArgs::is_script(wanted) || !ScriptArgs::is_script(command)) return wanted == command;
  const bool epoch = std::holds_alternative<core::ReassertRequest>(request);
  if (epoch) wanted.push_back(command.back());  // what was seen there until it was sent
  if (wanted.size() != command.size() || ScriptArgs(wanted).kind != ScriptArgs(command).kind) return false;
  const std::size_t admission = 3 + ScriptArgs(command).keys;
  for (std::size_t i = 2; i < wanted.size(); ++i) {
    if (wanted[i] != command[i] && !(epoch && i == admission)) return false;
  }
  return true;
}

const core::Failure closed{core::Applied::perhaps, core::FailureCode::closed, "closed"};

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
      agent_({owner_, setup_.nodes, setup_.keyspace.terms()}, random),
      listener_(std::move(listener)),
      heard_(setup_.nodes),
      subscriptions_(setup_.nodes) {
  for (std::size_t node = 0; node < setup_.nodes; ++node) seen_.push_back(std::make_shared<core::Token>(0));
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
  }
  for (const core::Send& send : effects.sends) ask(send);
  if (effects.listen && !std::exchange(listening_, true)) {
    for (std::size_t node = 0; node < subscriptions_.size(); ++node) listen(node);
  }
}

void Client::ask(const core::Send& send) {
  if (const auto* acquire = std::get_if<core::AcquireRequest>(&send.request)) {
    Asked& asked = asked_[redis::stamp(acquire->grant)];
    asked.key = acquire->key;
    asked.unanswered.emplace(send.id, send.node);
    asked.heard.try_emplace(send.node, heard_.at(send.node));
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
  const auto number = static_cast<std::uint64_t>(send.id);
  shared_.trace.event(shared_.schedule.now(), "send", index_, number, [&] {
    static constexpr std::array<std::string_view, 9> kinds{"acquire",       "confirm",    "renew",
                                                           "reassert",      "release",    "open",
                                                           "tell the time", "show names", "take its beat"};
    return "client " + std::to_string(index_) + " asks node " + std::to_string(send.node) + " to " +
           std::string(kinds.at(send.request.index())) + ", request " + std::to_string(number);
  });
  requests_.emplace(send.id, send.request);
  Line& line = line_for(send);
  if (!line.connection) open_line(line);
  std::vector<redis::Command> commands;
  line.conversation->ask(send.id, send.request, commands);
  say(line, std::move(commands));
}

Client::Line& Client::line_for(const core::Send& send) {
  const int patience = core::patience_of(send);
  for (Line& line : lines_) {
    if (line.node == send.node && line.patience == patience) return line;
  }
  return lines_.emplace_back(Line{send.node, patience});
}

void Client::open_line(Line& line) {
  line.conversation.emplace(
      redis::Greeting{"", shared_.plan.password ? "secret" : "", 0}, setup_.keyspace,
      [this] { return redis::Introduction{random_.hex16(), wall_.read(shared_.schedule.now()).ms()}; },
      seen_.at(line.node));
  const std::uint64_t number = ++line.number;
  line.connection =
      shared_.network.connect(index_, line.node, [this, &line, number, alive = std::weak_ptr(alive_)] {
        if (alive.expired()) return;
        when_running([this, &line, number] {
          if (number != line.number || !line.connection) return;
          std::vector<redis::Command> commands;
          line.conversation->open(commands);
          say(line, std::move(commands));
        });
      });
}

void Client::say(Line& line, std::vector<redis::Command> commands) {
  for (auto& command : commands) {
    shared_.network.send(
        line.connection, std::move(command),
        [this, &line, number = line.number, alive = std::weak_ptr(alive_)](const redis::Command& sent,
                                                                           const redis::Value& value) {
          if (alive.expired()) return;
          if (!paused_) return hear(line, number, sent, value);
          missed_.push_back([this, &line, number, sent, value] { hear(line, number, sent, value); });
        });
  }
}

void Client::hear(Line& line, std::uint64_t connection, const redis::Command& command,
                  const redis::Value& value) {
  if (connection != line.number || !line.connection) return;
  const std::size_t node = line.node;
  std::vector<redis::Command> commands;
  auto heard = line.conversation->hear(value, commands);
  say(line, std::move(commands));
  if (!heard) {  // the admission was refused
    core::must(value.kind == redis::Value::Kind::error, "a simulated node speaks the protocol");
    close_line(line, closed);
    return;
  }
  if (heard->admitted) {
    shared_.trace.event(shared_.schedule.now(), "admitted", index_, node, [&] { return value.text; });
    agent_.on_admitted(static_cast<core::NodeIndex>(node), *heard->admitted, now());
    arm_timer();
  }
  if (!heard->answer) return;
  const auto request = requests_.find(heard->answer->id);
  if (request != requests_.end() && !same_request(request->second, command, setup_.keyspace)) {
    shared_.judge.violated("S13", shared_.schedule.now(), "a reply was matched to another request");
  }
  shared_.trace.event(
      shared_.schedule.now(), "reply", index_, static_cast<std::uint64_t>(heard->answer->id), [&] {
        std::string said =
            value.kind == redis::Value::Kind::integer ? std::to_string(value.integer) : value.text;
        for (const auto& item : value.items) {
          said += " " + (item.text.empty() ? std::to_string(item.integer) : item.text);
        }
        return "client " + std::to_string(index_) + " hears node " + std::to_string(node) + " on request " +
               std::to_string(static_cast<std::uint64_t>(heard->answer->id)) + ": " + said;
      });
  if (request != requests_.end() && std::holds_alternative<core::ReassertRequest>(request->second)) {
    const auto* answers = std::get_if<core::KeyAnswers>(&heard->answer->reply);
    const auto any = [&](core::KeyAnswer answer) {
      return answers != nullptr && std::ranges::find(*answers, answer) != answers->end();
    };
    // What was deleted by hand is taken back only where a majority has it still.
    const bool deleted = has(shared_.plan.faults, Fault::remove) && any(core::KeyAnswer::missing);
    if (any(core::KeyAnswer::foreign) || deleted) shared_.network.on_hindrance(index_, node);
  }
  on_answer(*heard->answer);
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
    heard_[node] = std::max(heard_[node], granted->token);
  }
  asked->second.unanswered.erase(found);
}

// Everything on it has failed, as the runtime reports it.
void Client::close_line(Line& line, const core::Failure& why) {
  if (!line.connection) return;
  line.connection.reset();
  for (const auto& [id, applied] : line.conversation->close()) {
    on_answer({id, core::Failure{applied, why.code, why.detail}});
  }
}

void Client::listen(std::size_t node) {
  attend(
      subscriptions_[node], node, setup_.keyspace.channels() + owner_,
      [this, node] {
        agent_.on_listening(static_cast<core::NodeIndex>(node), true, now());
        arm_timer();
      },
      [this, node](const std::string& message) { on_message(node, message); });
}

void Client::attend(Subscription& subscription, std::size_t node, std::string channel,
                    std::function<void()> on_subscribed, std::function<void(const std::string&)> on_message) {
  const auto mine = [this, &subscription, number = ++subscription.number,
                     alive = std::weak_ptr(alive_)](auto then) {
    return [this, &subscription, number, alive, then = std::move(then)](auto&&... said) {
      if (alive.expired()) return;
      when_running([&subscription, number, then, said...] {
        if (subscription.number == number && subscription.connection) then(said...);
      });
    };
  };
  subscription.connection = shared_.network.connect(
      index_, node,
      mine([this, &subscription, channel = std::move(channel), subscribed = mine(std::move(on_subscribed)),
            heard = mine(std::move(on_message))] {
        shared_.network.subscribe(subscription.connection, channel, subscribed, heard);
      }));
}

void Client::on_message(std::size_t node, const std::string& message) {
  shared_.trace.event(shared_.schedule.now(), "message", index_, node, [&] { return message; });
  const auto wake_up = redis::read_wake_up(message);
  core::must(wake_up.has_value(), "a message of a script can be read");
  agent_.on_wake_up(static_cast<core::NodeIndex>(node), wake_up->ticket, wake_up->after, now());
  arm_timer();
}

// Deaf until it listens again, a little later.
void Client::close_subscription(std::size_t node) {
  if (!subscriptions_[node].connection) return;
  shared_.network.hang_up(std::exchange(subscriptions_[node].connection, nullptr));
  agent_.on_listening(static_cast<core::NodeIndex>(node), false, now());
  arm_timer();
  shared_.schedule.in(shared_.plan.timing.node_timeout, [this, node, alive = std::weak_ptr(alive_)] {
    if (!alive.expired()) when_running([this, node] { listen(node); });
  });
}

void Client::close_changes() {
  if (!changes_.connection) return;
  shared_.network.hang_up(std::exchange(changes_.connection, nullptr));
  shared_.schedule.in(shared_.plan.timing.node_timeout, [this, alive = std::weak_ptr(alive_)] {
    if (!alive.expired()) when_running([this] { listen_to_changes(); });
  });
}

void Client::on_closed(std::size_t node) {
  if (node >= setup_.nodes) return;  // it does not use that one
  std::vector<std::pair<Line*, std::uint64_t>> open;
  for (Line& line : lines_) {
    if (line.node == node) open.emplace_back(&line, line.number);
  }
  // Seldom only one of them.
  if (open.size() > 1 && random_.below(4) == 0) {
    std::swap(open.front(), open[random_.below(open.size())]);
    open.resize(1);
  }
  when_running([this, node, open = std::move(open), subscription = subscriptions_[node].number,
                changes = changes_.number] {
    for (const auto& [line, number] : open) {
      if (number == line->number) close_line(*line, closed);
    }
    if (subscription == subscriptions_[node].number) close_subscription(node);
    if (node == 0 && changes == changes_.number) close_changes();
  });
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
