// The client's connections: which one a request takes, what is heard on it, and the subscriptions.
#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "core/base/check.hpp"
#include "redis/grant_text.hpp"
#include "sim/world/client.hpp"

namespace tenure::sim {

namespace {

const std::string wakes = std::to_string(redis::turn_of_waiter.count());

// Is this command, as the node got it, that request? Of releases that went together, the one at that place. By content,
// since the wire has no ids.
bool same_request(const core::Request& request, const redis::Command& command, std::size_t place,
                  const redis::Keyspace& keyspace) {
  if (const auto* release = std::get_if<core::ReleaseRequest>(&request); release != nullptr) {
    if (!ScriptArgs::is_script(command)) return false;
    const ScriptArgs args(command);
    return args.kind == ScriptArgs::Kind::release && 2 * place < args.keys &&
           args.key(command, place) == release->key &&
           args.argument(command, 1) == (release->wake ? wakes : "0") &&
           args.argument(command, 2 + place) == redis::stamp(release->grant) &&
           args.ticket(command, place) == (release->ticket ? redis::stamp(*release->ticket) : "");
  }
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

// Is this what the node said of the release at that place?
bool same_answer(const core::Reply& reply, const redis::Value& value, std::size_t place) {
  const auto* answers = std::get_if<core::KeyAnswers>(&reply);
  if (answers == nullptr) return value.kind == redis::Value::Kind::error;
  static const std::map<std::int64_t, core::KeyAnswer> meanings{
      {1, core::KeyAnswer::done}, {0, core::KeyAnswer::missing}, {-1, core::KeyAnswer::foreign}};
  return *answers == core::KeyAnswers{meanings.at(value.items.at(place).integer)};
}

const core::Failure closed{core::Applied::perhaps, core::FailureCode::closed, "closed"};

// Returns the grants whose keys this request may set or delete.
std::vector<core::Grant> grants_of(const core::Request& request) {
  if (const auto* acquire = std::get_if<core::AcquireRequest>(&request)) return {acquire->grant};
  if (const auto* confirm = std::get_if<core::ConfirmRequest>(&request)) return {confirm->grant};
  if (const auto* release = std::get_if<core::ReleaseRequest>(&request)) return {release->grant};
  std::vector<core::Grant> grants;
  if (const auto* reassert = std::get_if<core::ReassertRequest>(&request)) {
    for (const core::Holding& item : reassert->items) grants.push_back(item.grant);
  }
  return grants;
}

}  // namespace

// What sets or deletes the key of one grant on a node goes over one connection, so that no release overtakes what it takes
// back (T12).
void Client::expect_one_connection(const core::Send& send) {
  const int patience = core::patience_of(send);
  for (const core::Grant& grant : grants_of(send.request)) {
    const auto first = patience_.try_emplace(redis::stamp(grant), patience).first;
    if (first->second == patience) continue;
    shared_.judge.violated("T12", shared_.schedule.now(),
                           first->first + " is spoken of on two connections to one node");
  }
}

std::size_t Client::server_of(core::NodeIndex node) const {
  if (node < setup_.nodes) return node;
  core::must(node == data_index(), "the core asks only nodes that there are");
  return *shared_.plan.data_node();
}

Client::Line& Client::line_for(const core::Send& send) {
  const int patience = core::patience_of(send);
  const std::size_t server = server_of(send.node);
  core::must(!is_data_node(server) || std::holds_alternative<core::BeatRequest>(send.request) ||
                 std::holds_alternative<core::ListsRequest>(send.request),
             "nothing but heartbeats and what comes with them goes to a data node");
  for (Line& line : lines_) {
    if (line.node == server && line.patience == patience) return line;
  }
  return lines_.emplace_back(Line{server, patience});
}

// On a data node there are no leases, so that nobody is admitted there.
redis::Conversation Client::start_conversation(std::size_t server) {
  const redis::Greeting greeting{"", shared_.plan.password ? "secret" : "", 0};
  if (is_data_node(server)) return {greeting, redis::Keyspace{}, nullptr};
  return {greeting, setup_.keyspace,
          [this] { return redis::Introduction{random_.hex16(), wall_.read(shared_.schedule.now()).ms()}; },
          seen_.at(server)};
}

void Client::open_line(Line& line) {
  line.conversation = start_conversation(line.node);
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

// What was asked leaves now, or a moment later: whoever runs in handlers gathers what they ask for.
void Client::flush() {
  if (shared_.network.is_calm() || random_.below(4) != 0) return flush_now();
  const Duration within = shared_.plan.timing.node_timeout / 4;
  shared_.schedule.in(random_.between(Duration::zero(), within), [this, alive = std::weak_ptr(alive_)] {
    if (!alive.expired()) when_running([this] { flush_now(); });
  });
}

void Client::flush_now() {
  for (ClusterLine& line : cluster_lines_) {
    line.router.flush();
    go_on(line);
  }
  for (Line& line : lines_) {
    if (!line.connection) continue;
    std::vector<redis::Command> commands;
    line.conversation->flush(commands);
    say(line, std::move(commands));
  }
}

void Client::hear(Line& line, std::uint64_t connection, const redis::Command& command,
                  const redis::Value& value) {
  if (connection != line.number || !line.connection) return;
  const std::size_t node = line.node;
  std::vector<redis::Command> commands;
  std::vector<redis::Conversation::Answer> answers;
  const auto admitted = line.conversation->hear(value, commands, answers);
  say(line, std::move(commands));
  if (!admitted) {  // the admission was refused
    core::must(value.kind == redis::Value::Kind::error, "a simulated node speaks the protocol");
    close_line(line, closed);
    return;
  }
  if (*admitted) {
    shared_.trace.event(shared_.schedule.now(), "admitted", index_, node, [&] { return value.text; });
    agent_.on_admitted(static_cast<core::NodeIndex>(node), (*admitted)->record, now());
    arm_timer();
  }
  for (std::size_t i = 0; i < answers.size(); ++i) hear(answers[i], i, node, command, value);
}

void Client::hear(const redis::Conversation::Answer& answer, std::size_t place, std::size_t node,
                  const redis::Command& command, const redis::Value& value) {
  const auto request = requests_.find(answer.id);
  const bool known = request != requests_.end();
  const bool release = known && std::holds_alternative<core::ReleaseRequest>(request->second);
  if (known && (!same_request(request->second, command, place, setup_.keyspace) ||
                (release && !same_answer(answer.reply, value, place)))) {
    shared_.judge.violated("S13", shared_.schedule.now(), "a reply was matched to another request");
  }
  shared_.trace.event(shared_.schedule.now(), "reply", index_, static_cast<std::uint64_t>(answer.id), [&] {
    std::string said = value.kind == redis::Value::Kind::integer ? std::to_string(value.integer) : value.text;
    for (const auto& item : value.items) {
      said += " " + (item.text.empty() ? std::to_string(item.integer) : item.text);
    }
    return "client " + std::to_string(index_) + " hears node " + std::to_string(node) + " on request " +
           std::to_string(static_cast<std::uint64_t>(answer.id)) + ": " + said;
  });
  if (request != requests_.end() && std::holds_alternative<core::ReassertRequest>(request->second)) {
    const auto* answers = std::get_if<core::KeyAnswers>(&answer.reply);
    const auto any = [&](core::KeyAnswer wanted) {
      return answers != nullptr && std::ranges::find(*answers, wanted) != answers->end();
    };
    // What was deleted by hand is taken back only where a majority has it still.
    const bool deleted = has(shared_.plan.faults, Fault::remove) && any(core::KeyAnswer::missing);
    if (any(core::KeyAnswer::foreign) || deleted) shared_.network.on_hindrance(index_, node);
  }
  on_answer(answer);
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
      [this, node] { note_listening(node, true); },
      [this, node](const std::string& message) { on_message(node, message); });
}

// A Cluster is heard where all its servers are.
void Client::note_listening(std::size_t server, bool listening) {
  const bool before = std::ranges::count(subscribed_, false) == 0;
  subscribed_[server] = listening;
  const bool all = std::ranges::count(subscribed_, false) == 0;
  if (shared_.cluster == nullptr || before != all) agent_.on_listening(node_at(server), listening, now());
  arm_timer();
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
  agent_.on_wake_up(node_at(node), wake_up->ticket, wake_up->after, now());
  arm_timer();
}

// Deaf until it listens again, a little later.
void Client::close_subscription(std::size_t node) {
  if (!subscriptions_[node].connection) return;
  shared_.network.hang_up(std::exchange(subscriptions_[node].connection, nullptr));
  note_listening(node, false);
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
  if (shared_.cluster != nullptr) return on_server_closed(node);
  const bool has_leases = node < setup_.nodes;
  if (!has_leases && !is_data_node(node)) return;  // it does not use that one
  std::vector<std::pair<Line*, std::uint64_t>> open;
  for (Line& line : lines_) {
    if (line.node == node) open.emplace_back(&line, line.number);
  }
  // Seldom only one of them.
  if (open.size() > 1 && random_.below(4) == 0) {
    std::swap(open.front(), open[random_.below(open.size())]);
    open.resize(1);
  }
  const std::optional<std::uint64_t> subscription =
      has_leases ? std::optional(subscriptions_[node].number) : std::nullopt;
  when_running([this, node, open = std::move(open), subscription, changes = changes_.number] {
    for (const auto& [line, number] : open) {
      if (number == line->number) close_line(*line, closed);
    }
    if (subscription && *subscription == subscriptions_[node].number) close_subscription(node);
    if (node == server_of(data_index()) && changes == changes_.number) close_changes();
  });
}

}  // namespace tenure::sim
