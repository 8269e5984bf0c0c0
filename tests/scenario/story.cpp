#include "story.hpp"

#include <algorithm>
#include <stdexcept>
#include <string_view>

namespace tenure::scenario {

using namespace core;

Story::Story() { begin(1); }

void Story::begin(std::size_t nodes) {
  elections_.reset();
  tenant_.emplace(Tenant::Config{.owner = "us", .nodes = nodes}, Random(1));
  elections_.emplace(*tenant_, Random(2));
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
      {"wake", &Story::wake},       {"idle", &Story::idle},         {"elect", &Story::elect},
      {"observe", &Story::observe}, {"stop", &Story::stop},         {"step_down", &Story::step_down},
      {"drained", &Story::drained}, {"close", &Story::close},       {"shows", &Story::shows},
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

void Story::elect(const Line& line, Actions& actions) { take_part(line, true, actions); }
void Story::observe(const Line& line, Actions& actions) { take_part(line, false, actions); }

void Story::take_part(const Line& line, bool candidate, Actions& actions) {
  const std::string& name = line.word(1);
  if (handles_.contains(name)) throw std::invalid_argument(name + " is there already");
  ElectionOptions options;
  options.lease = line.time("lease").value_or(options.lease);
  options.renew = line.time("renew");
  options.grace = line.time("grace");
  options.drain = line.time("drain");
  auto plan = plan_election(line.option("key").value_or(name), options);
  if (!plan) throw std::invalid_argument(plan.error());
  plan->candidate = candidate;
  Handle& handle = handles_[name];
  handle.key = plan->key;
  handle.wanted = candidate;
  handle.election = elections_->start(*plan, now_, actions);
  cast_.elections[*handle.election] = name;
  acquiring_ = name;
  take(std::exchange(actions, {}));
  acquiring_.clear();
}

void Story::stop(const Line& line, Actions& actions) {
  elections_->stop(*election(line.word(1)).election, now_, actions);
}

void Story::step_down(const Line& line, Actions& actions) {
  elections_->step_down(*election(line.word(1)).election, actions);
}

void Story::drained(const Line& line, Actions& actions) {
  const Handle& it = election(line.word(1));
  if (it.terms.empty()) throw std::invalid_argument(line.word(1) + " never led");
  const auto term = line.option("term");
  const LeaseId lease = term ? it.terms.at(number(*term)) : it.terms.rbegin()->second;
  elections_->drained(*it.election, lease, now_, actions);
}

void Story::close(const Line&, Actions& actions) { elections_->close(now_, actions); }

void Story::shows(const Line& line, Actions&) {
  shown_.reset();
  if (!line.option("owner") && line.word(1) == "silence") return;
  shown_ = line.sight(1);
  shown_until_ = shown_->exists() ? now_ + shown_->left : Time::max();
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
  for (std::size_t calls = 0; next().value_or(Time::max()) <= until; ++calls) {
    if (calls > 10'000) throw std::invalid_argument("the core wakes without end at " + time_in_words(now_));
    now_ = std::max(now_, *next());
    on_timer(time_in_words(now_) + " ");
  }
  now_ = until;
}

void Story::on_timer(const std::string& when) {
  Actions actions;
  tenant_->on_timer(now_, actions);
  elections_->on_timer(now_, actions);
  take(std::move(actions), when);
}

std::optional<Time> Story::next() const {
  const auto one = tenant_->wake();
  const auto other = elections_->wake();
  return one && other ? std::min(*one, *other) : one ? one : other;
}

void Story::suspend(const Line& line, Actions&) { now_ += duration(line.word(1)); }

void Story::jump(const Line& line, Actions&) {
  now_ += duration(line.word(1));
  on_timer(time_in_words(now_) + " ");
}

void Story::held(const Line& line, Actions&) {
  const Handle& it = handle(line.word(1));
  const bool held = it.lease && now_ < it.deadline && !it.given_back;
  say(line.word(1) + (held ? " is held" : " is not held"));
}

void Story::wake(const Line&, Actions&) {
  const auto wake = next();
  say(wake ? "wake " + time_in_words(*wake) : "wake never");
}

void Story::idle(const Line&, Actions&) { say(tenant_->idle() && elections_->empty() ? "idle" : "not idle"); }

// The same request to several nodes is one line. Questions for the time, and who leads, are answered and not told:
// they go along with every story and belong to none.
void Story::take(Actions actions, const std::string& when) {
  elections_->digest(actions, now_);
  std::vector<std::pair<RequestId, Reply>> answers;
  std::vector<Send> together;
  const auto tell_sends = [&] {
    if (!together.empty()) say(when + in_words(together, cast_));
    together.clear();
  };
  for (const Action& action : actions) {
    const auto* send = std::get_if<Send>(&action);
    if (auto answer = send != nullptr ? own_answer(*send) : std::nullopt) {
      answers.emplace_back(send->id, std::move(*answer));
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
  for (const auto& [id, answer] : answers) {
    Actions more;
    tenant_->on_reply(id, answer, now_, more);
    take(std::move(more), when);
  }
}

std::optional<Reply> Story::own_answer(const Send& send) const {
  if (std::holds_alternative<ClockRequest>(send.request)) {
    return NodeClock{std::chrono::hours(1'000) + now_.time_since_epoch() + clocks_.at(send.node)};
  }
  const auto* look = std::get_if<LookRequest>(&send.request);
  if (look == nullptr || !shown_) return std::nullopt;
  Sight sight = now_ < shown_until_ ? *shown_ : Sight{};
  if (sight.exists()) sight.left = std::chrono::ceil<Ttl>(shown_until_ - now_);
  return Sights(look->keys.size(), sight);
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
  } else {
    note_election(action);
  }
}

void Story::note_election(const Action& action) {
  const auto of = [&](ElectionId id) -> Handle& { return handles_.at(cast_.elections.at(id)); };
  if (const auto* elected = std::get_if<Elected>(&action)) {
    const Acquired& term = elected->term;
    cast_.leases[term.lease] = cast_.elections.at(elected->election);
    Handle& it = of(elected->election);
    it.lease = it.terms[term.token] = term.lease;
    it.deadline = term.deadline;
    it.wanted = it.given_back = false;
  } else if (const auto* ending = std::get_if<TermEnding>(&action)) {
    of(ending->election).deadline = ending->deadline;
  } else if (const auto* over = std::get_if<TermOver>(&action)) {
    Handle& it = of(over->election);
    it.wanted = it.given_back = true;
  } else if (const auto* stopped = std::get_if<ElectionStopped>(&action)) {
    of(stopped->election).wanted = false;
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

Story::Handle& Story::election(const std::string& name) {
  Handle& it = handle(name);
  if (!it.election) throw std::invalid_argument(name + " is no election");
  return it;
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
