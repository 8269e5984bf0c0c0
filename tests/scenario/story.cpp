#include "story.hpp"

#include <algorithm>
#include <stdexcept>
#include <string_view>

namespace tenure::scenario {

using namespace core;

Story::Story() { begin(1); }

void Story::begin(std::size_t nodes) {
  tenant_.emplace(Tenant::Config{.owner = "us", .nodes = nodes}, Random(1));
  clocks_.assign(nodes, Duration::zero());
}

std::vector<std::string> Story::tell(const std::string& text) {
  told_.clear();
  const Line line(text);
  const auto verb = verbs().find(line.word(0));
  if (verb == verbs().end()) throw std::invalid_argument("no such command: " + line.word(0));
  Actions actions;
  (this->*verb->second)(line, actions);
  take(actions);
  return told_;
}

const std::map<std::string, Story::Verb>& Story::verbs() {
  static const std::map<std::string, Verb> all{
      {"nodes", &Story::nodes},     {"acquire", &Story::acquire},   {"reply", &Story::reply},
      {"fail", &Story::fail},       {"cancel", &Story::cancel},     {"release", &Story::release},
      {"forget", &Story::forget},   {"admitted", &Story::admitted}, {"listening", &Story::listening},
      {"wake-up", &Story::wake_up}, {"clock", &Story::clock},       {"advance", &Story::advance},
      {"suspend", &Story::suspend}, {"jump", &Story::jump},         {"held", &Story::held},
      {"wake", &Story::wake},       {"idle", &Story::idle},
  };
  return all;
}

void Story::nodes(const Line& line, Actions&) {
  if (!handles_.empty()) throw std::invalid_argument("nodes are said first");
  begin(number(line.word(1)));
}

void Story::acquire(const Line& line, Actions& actions) {
  const std::string& name = line.word(1);
  if (handles_.contains(name))
    throw std::invalid_argument(name + " is acquired already; give it another name, and key=");
  const auto timing = make_timing({.ttl = duration(line.needed("ttl")),
                                   .grace = line.time("grace"),
                                   .renew = line.time("renew"),
                                   .node_timeout = line.time("node_timeout")});
  if (!timing) throw std::invalid_argument(timing.error());
  Wish wish{.key = line.option("key").value_or(name), .timing = *timing};
  if (line.option("wait") == "forever") {
    wish.wait_max = std::nullopt;
  } else if (const auto wait = line.time("wait")) {
    wish.wait_max = *wait;
  }
  if (const auto retry = line.time("retry")) wish.retry_delay = *retry;
  Handle& handle = handles_[name];
  handle.key = wish.key;
  handle.acquire = tenant_->acquire(std::move(wish), now_, actions);
  cast_.acquires[handle.acquire] = name;
  acquiring_ = name;
  take(std::exchange(actions, {}));
  acquiring_.clear();
}

void Story::reply(const Line& line, Actions&) { answer(line, line.reply()); }
void Story::fail(const Line& line, Actions&) { answer(line, line.failure()); }

void Story::answer(const Line& line, const Reply& reply) {
  for (const std::uint64_t id : line.numbers(1)) {
    if (!requests_.contains(id)) throw std::invalid_argument("no such request: " + std::to_string(id));
    Actions actions;
    tenant_->on_reply(requests_.at(id), reply, now_, actions);
    take(actions);
  }
}

void Story::cancel(const Line& line, Actions& actions) {
  tenant_->cancel(handle(line.word(1)).acquire, now_, actions);
}

void Story::release(const Line& line, Actions& actions) {
  Handle& it = handle(line.word(1));
  it.given_back = true;
  tenant_->release(it.lease.value(), now_, actions);
}

void Story::forget(const Line& line, Actions& actions) {
  Handle& it = handle(line.word(1));
  it.given_back = true;
  tenant_->forget(it.lease.value(), now_, actions);
}

void Story::admitted(const Line& line, Actions&) {
  const auto record = read_record(line.word(2));
  if (!record) throw std::invalid_argument("not a record: " + line.word(2));
  tenant_->on_admitted(line.node(1), *record, now_);
}

void Story::listening(const Line& line, Actions&) {
  const std::string& word = line.word(2);
  if (word != "on" && word != "off") throw std::invalid_argument("on or off, not " + word);
  tenant_->on_listening(line.node(1), word == "on", now_);
}

// To a name that has no ticket it is a forgery.
void Story::wake_up(const Line& line, Actions&) {
  const auto found = handles_.find(line.word(2));
  const bool waits = found != handles_.end() && !found->second.ticket.empty();
  const std::string ticket = waits ? found->second.ticket : line.word(2) + "#0123456789abcdef#";
  tenant_->on_wake_up(line.node(1), ticket, line.time("after").value_or(Duration::zero()), now_);
}

void Story::clock(const Line& line, Actions&) { clocks_.at(line.node(1)) += duration(line.word(2)); }

void Story::advance(const Line& line, Actions&) {
  const Time until = now_ + duration(line.word(1));
  for (std::size_t calls = 0; tenant_->wake().value_or(Time::max()) <= until; ++calls) {
    if (calls > 10'000) throw std::invalid_argument("the core wakes without end at " + time_in_words(now_));
    now_ = std::max(now_, *tenant_->wake());
    Actions actions;
    tenant_->on_timer(now_, actions);
    take(actions, time_in_words(now_) + " ");
  }
  now_ = until;
}

void Story::suspend(const Line& line, Actions&) { now_ += duration(line.word(1)); }

void Story::jump(const Line& line, Actions& actions) {
  now_ += duration(line.word(1));
  tenant_->on_timer(now_, actions);
  take(std::exchange(actions, {}), time_in_words(now_) + " ");
}

void Story::held(const Line& line, Actions&) {
  const Handle& it = handle(line.word(1));
  const bool held = it.lease && now_ < it.deadline && !it.given_back;
  say(line.word(1) + (held ? " is held" : " is not held"));
}

void Story::wake(const Line&, Actions&) {
  const auto wake = tenant_->wake();
  say(wake ? "wake " + time_in_words(*wake) : "wake never");
}

void Story::idle(const Line&, Actions&) { say(tenant_->idle() ? "idle" : "not idle"); }

// The same request to several nodes is one line. Questions for the time are answered, and not told: they go
// along with every story and belong to none.
void Story::take(const Actions& actions, const std::string& when) {
  std::vector<Send> clocks;
  std::vector<Send> together;
  const auto tell_sends = [&] {
    if (!together.empty()) say(when + in_words(together, cast_));
    together.clear();
  };
  for (const Action& action : actions) {
    const auto* send = std::get_if<Send>(&action);
    if (send != nullptr && std::holds_alternative<ClockRequest>(send->request)) {
      clocks.push_back(*send);
      continue;
    }
    note(action);
    if (send == nullptr || (!together.empty() && !told_together(together.back(), *send, cast_))) tell_sends();
    if (send != nullptr) {
      together.push_back(*send);
    } else {
      say(when + in_words(action, cast_));
    }
  }
  tell_sends();
  answer_clocks(clocks, when);
}

void Story::answer_clocks(const std::vector<Send>& asked, const std::string& when) {
  for (const Send& it : asked) {
    Actions actions;
    const Duration shown = std::chrono::hours(1'000) + now_.time_since_epoch() + clocks_.at(it.node);
    tenant_->on_reply(it.id, NodeClock{shown}, now_, actions);
    take(actions, when);
  }
}

// Learns the names, and what the handles are told.
void Story::note(const Action& action) {
  const auto of_lease = [&](LeaseId lease) -> Handle& { return handles_.at(cast_.leases.at(lease)); };
  if (const auto* sent = std::get_if<Send>(&action)) {
    note_send(*sent);
  } else if (const auto* acquired = std::get_if<Acquired>(&action)) {
    const std::string& name = cast_.acquires.at(acquired->acquire);
    cast_.leases[acquired->lease] = name;
    Handle& it = handles_.at(name);
    it.lease = acquired->lease;
    it.deadline = acquired->deadline;
    it.wanted = false;
  } else if (const auto* refused = std::get_if<Refused>(&action)) {
    handles_.at(cast_.acquires.at(refused->acquire)).wanted = false;
  } else if (const auto* renewed = std::get_if<Renewed>(&action)) {
    of_lease(renewed->lease).deadline = renewed->deadline;
  } else if (const auto* lost = std::get_if<Lost>(&action)) {
    of_lease(lost->lease).deadline = lost->deadline;
  }
}

void Story::note_send(const Send& send) {
  requests_.emplace(requests_.size() + 1, send.id);
  cast_.requests.emplace(send.id, requests_.size());
  const auto* request = std::get_if<AcquireRequest>(&send.request);
  if (request == nullptr) return;
  const std::string& stamp = request->grant.stamp();
  std::string name = acquiring_;
  if (const auto known = cast_.grants.find(stamp); known != cast_.grants.end()) {
    name = known->second.substr(0, known->second.find('/'));
  } else {
    if (name.empty()) name = wanted_for(request->key);
    const std::size_t nth = ++handles_.at(name).grants;
    cast_.grants[stamp] = nth == 1 ? name : name + "/" + std::to_string(nth);
  }
  if (request->ticket) handles_.at(name).ticket = request->ticket->stamp();
}

Story::Handle& Story::handle(const std::string& name) {
  const auto found = handles_.find(name);
  if (found == handles_.end()) throw std::invalid_argument("nobody acquired " + name);
  return found->second;
}

// Whose later rounds ask for that key.
std::string Story::wanted_for(const std::string& key) const {
  std::string name;
  for (const auto& [of, it] : handles_) {
    if (!it.wanted || it.key != key) continue;
    if (!name.empty())
      throw std::invalid_argument("two wait for " + key + ": a story cannot tell them apart");
    name = of;
  }
  return name;
}

}  // namespace tenure::scenario
