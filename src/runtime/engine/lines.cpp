#include "runtime/engine/lines.hpp"

#include <poll.h>

#include <algorithm>
#include <set>

#include "core/base/overload.hpp"
#include "core/nodes.hpp"

namespace tenure::runtime {

namespace {

// Whoever acquires a name polls, or has a loop that does; a candidate's and a fleet's requests are waited for anyway, by
// Engine::busy(). Behind all other requests there is nobody but the client itself.
Pace pace_of(const core::Request& request, Pace releases) {
  if (std::holds_alternative<core::ReleaseRequest>(request)) return releases;
  const bool of_a_caller = std::holds_alternative<core::AcquireRequest>(request) ||
                           std::holds_alternative<core::ConfirmRequest>(request) ||
                           std::holds_alternative<core::ClockRequest>(request);
  return of_a_caller ? Pace::relaxed : Pace::prompt;
}

bool renews(const core::Request& request) {
  return std::holds_alternative<core::RenewRequest>(request) ||
         std::holds_alternative<core::ReassertRequest>(request);
}

// Did nothing come back that could be understood? An error that the node has sent is an answer.
bool unanswered(const core::Reply& reply) {
  using enum core::FailureCode;
  const auto* failure = std::get_if<core::Failure>(&reply);
  if (failure == nullptr) return false;
  switch (failure->code) {
    case unreachable:
    case timed_out:
    case closed:
    case tls:
    case protocol:
      return true;
    case auth:
    case no_permission:
    case starting:
    case read_only:
    case not_durable:
    case full:
    case busy:
    case unsupported:
    case not_set_up:
    case clock:
    case server:
      break;
  }
  return false;
}

}  // namespace

Lines::Lines(std::vector<std::shared_ptr<Node>> nodes, std::string owner, core::Random random)
    : nodes_(std::move(nodes)), owner_(std::move(owner)), random_(random), traffic_(nodes_.size() + 1) {}

// What a connection has not been told to send yet, nobody has to wait for room for.
Awaited Lines::Line::awaited() const {
  Awaited awaited = connection->awaited();
  if (unsent && (awaited.events & POLLIN) != 0) awaited.events = POLLIN;
  return awaited;
}

template <class Call>
void Lines::call(Line& line, News& news, core::Time now, const Call& what) {
  const std::size_t before = news.answers.size();
  what(*line.connection);
  line.answered += news.answers.size() - before;
  for (std::size_t i = before; i < news.answers.size(); ++i) count(line, news.answers[i], now);
  if (prompt_.empty()) return;
  for (std::size_t i = before; i < news.answers.size(); ++i) prompt_.erase(news.answers[i].id);
}

void Lines::count(Line& line, const News::Answer& answer, core::Time now) {
  const auto asked = line.in_flight.take(answer.id);
  if (!asked) return;
  Traffic& traffic = traffic_[line.node];
  traffic.up = !unanswered(answer.reply);
  if (!*traffic.up) {
    traffic.failures += 1;
    return;
  }
  traffic.round_trip.add(now - asked->at);
  if (asked->renews) renewal_.add(now - asked->at);
}

Lines::Heard Lines::perform(core::Effects& effects, core::Time now, Pace releases) {
  Heard heard;
  for (const core::Drop& drop : effects.drops) {
    // A connection that has failed since is gone with its requests; the next one is innocent.
    const auto carries = [&](const Line& line) { return line.connection->carries(drop.id); };
    const auto line = std::ranges::find_if(lines_, carries);
    if (line == lines_.end()) continue;
    call(*line, heard.news, now, [&](Connection& it) { it.give_up(drop.id, core::silence, heard.news); });
  }
  for (core::Send& send : effects.sends) {
    // With every beat: is the connection still there by which others tell of changes?
    if (changes_ && std::holds_alternative<core::BeatRequest>(send.request)) changes_->open(now, random_);
    if (pace_of(send.request, releases) == Pace::prompt) prompt_.insert(send.id);
    Line& line = line_for(send);
    line.asked += 1;
    line.unsent = true;
    line.in_flight.add({send.id, now, renews(send.request)});
    call(line, heard.news, now,
         [&](Connection& it) { it.ask(send.id, std::move(send.request), now, heard.news); });
  }
  if (effects.listen) listen(now);
  note_listening(heard);
  return heard;
}

bool Lines::unsent() const { return std::ranges::any_of(lines_, &Line::unsent); }

Lines::Heard Lines::flush(core::Time now) {
  Heard heard;
  for (Line& line : lines_) {
    if (!std::exchange(line.unsent, false)) continue;
    call(line, heard.news, now, [&](Connection& it) { it.flush(heard.news); });
  }
  return heard;
}

Lines::Line& Lines::line_for(const core::Send& send) {
  const int patience = core::patience_of(send);
  const auto it = std::ranges::find_if(
      lines_, [&](const Line& line) { return line.node == send.node && line.patience == patience; });
  if (it != lines_.end()) return *it;
  Node& node = send.node == data_index() ? *data_ : *nodes_.at(send.node);
  // The shortest time that has this patience.
  const core::Ttl at_least(std::int64_t{1} << (patience - 1));
  lines_.push_back({send.node, patience, node.connect(send.node, at_least)});
  return lines_.back();
}

void Lines::listen(core::Time now) {
  if (wake_ups_.empty()) {
    for (const auto& node : nodes_) wake_ups_.push_back(node->wake_ups(owner_));
    listening_.assign(nodes_.size(), false);
  }
  for (const auto& subscription : wake_ups_) subscription->open(now, random_);
}

// Which subscriptions have opened or closed.
void Lines::note_listening(Heard& heard) {
  for (core::NodeIndex node = 0; node < wake_ups_.size(); ++node) {
    if (wake_ups_[node]->listening() == listening_[node]) continue;
    listening_[node] = wake_ups_[node]->listening();
    heard.listening.emplace_back(node, listening_[node]);
  }
}

Lines::Heard Lines::on_ready(std::span<const Awaited> ready, core::Time now) {
  // Another thread may have closed a connection since, and the kernel given its number away.
  const auto is_ready = [&](std::uint64_t connection) {
    return std::ranges::find(ready, connection, &Awaited::connection) != ready.end();
  };
  Heard heard;
  for (Line& line : lines_) {
    if (!is_ready(line.connection->awaited().connection)) continue;
    call(line, heard.news, now, [&](Connection& it) { it.on_ready(now, heard.news); });
  }
  for (core::NodeIndex node = 0; node < wake_ups_.size(); ++node) {
    if (is_ready(wake_ups_[node]->awaited().connection)) hear(*wake_ups_[node], node, now, heard);
  }
  if (changes_ && is_ready(changes_->awaited().connection)) hear(*changes_, std::nullopt, now, heard);
  note_listening(heard);
  return heard;
}

void Lines::hear(Subscription& subscription, std::optional<core::NodeIndex> node, core::Time now,
                 Heard& heard) {
  std::vector<Message> messages;
  subscription.on_ready(now, random_, messages);
  for (Message& message : messages) {
    std::visit(core::Overload{[&](WakeUp& it) {
                                if (node) heard.wake_ups.emplace_back(*node, std::move(it));
                              },
                              [&](core::FleetChange it) { heard.changes.push_back(it); }},
               message);
  }
}

Lines::Heard Lines::on_timer(core::Time now) {
  for (const auto& subscription : wake_ups_) subscription->on_timer(now, random_);
  if (changes_) changes_->on_timer(now, random_);
  Heard heard;
  note_listening(heard);
  return heard;
}

Lines::Heard Lines::drop(const core::Failure& why, core::Time now) {
  Heard heard;
  for (Line& line : lines_) {
    line.in_flight = {};  // that they are not answered is our doing
    call(line, heard.news, now, [&](Connection& it) { it.drop(why, heard.news); });
  }
  for (const auto& subscription : wake_ups_) subscription->close();
  if (changes_) changes_->close();
  note_listening(heard);
  return heard;
}

Lines::Heard Lines::begin_fleet(std::shared_ptr<Node> data, const std::string& fleet, core::Time now) {
  Heard heard;
  changes_.reset();
  if (data != data_) {
    for (Line& line : lines_) {
      if (line.node != data_index()) continue;
      call(line, heard.news, now, [&](Connection& it) { it.drop(core::silence, heard.news); });
    }
    std::erase_if(lines_, [this](const Line& line) { return line.node == data_index(); });
    data_ = std::move(data);
    traffic_.back() = {};
  }
  changes_ = (data_ ? *data_ : *nodes_.front()).changes(fleet);
  return heard;
}

// In the same order each time. False: the visitor has said so.
template <class Visit>
bool Lines::all_awaited(const Visit& visit) const {
  return std::ranges::all_of(lines_, [&](const Line& line) { return visit(line.awaited()); }) &&
         std::ranges::all_of(wake_ups_, [&](const auto& it) { return visit(it->awaited()); }) &&
         (!changes_ || visit(changes_->awaited()));
}

std::vector<Awaited> Lines::awaited() const {
  std::vector<Awaited> all;
  all.reserve(lines_.size() + wake_ups_.size() + 1);
  all_awaited([&](const Awaited& it) {
    all.push_back(it);
    return true;
  });
  return all;
}

bool Lines::awaits(std::span<const Awaited> polled) const {
  if (polled.size() != lines_.size() + wake_ups_.size() + (changes_ ? 1 : 0)) return false;
  auto next = polled.begin();
  return all_awaited([&](const Awaited& it) { return *next++ == it; });
}

std::optional<core::Time> Lines::wake() const {
  std::optional<core::Time> first;
  for (const auto& subscription : wake_ups_) first = core::sooner(first, subscription->wake());
  if (changes_) first = core::sooner(first, changes_->wake());
  return first;
}

bool Lines::waiting() const {
  return std::ranges::any_of(lines_, [](const Line& line) { return line.connection->waiting(); });
}

bool Lines::pressing() const {
  return !prompt_.empty() || std::ranges::any_of(lines_, [](const Line& line) {
    return line.answered < line.overdue ||
           (line.answered < line.asked && (line.awaited().events & POLLOUT) != 0);
  });
}

void Lines::look_back() {
  for (Line& line : lines_) {
    line.overdue = line.answered < line.asked_before ? line.asked_before : 0;
    line.asked_before = line.asked;
  }
}

bool Lines::majority_waits() const {
  std::set<core::NodeIndex> silent;
  for (const Line& line : lines_) {
    if (line.connection->waiting()) silent.insert(line.node);
  }
  return silent.contains(data_index()) || nodes_.size() - silent.size() < core::quorum_of(nodes_.size());
}

}  // namespace tenure::runtime
