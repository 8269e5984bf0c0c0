#include "story.hpp"

#include <algorithm>
#include <stdexcept>
#include <string_view>

#include "core/base/overload.hpp"
#include "redis/grant_text.hpp"
#include "redis/record_text.hpp"

namespace tenure::scenario {

using namespace core;

Story::Story() { begin(1); }

void Story::begin(std::size_t nodes) {
  agent_.emplace(Tenant::Config{.owner = "us", .nodes = nodes}, Random(1));
  clocks_.assign(nodes, Duration::zero());
}

std::vector<std::string> Story::tell(const std::string& text) {
  told_.clear();
  const Line line(text);
  const auto verb = verbs().find(line.word(0));
  if (verb == verbs().end()) throw std::invalid_argument("no such command: " + line.word(0));
  (this->*verb->second)(line);
  settle();
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

void Story::nodes(const Line& line) {
  if (!handles_.empty()) throw std::invalid_argument("nodes are said first");
  begin(number(line.word(1)));
}

void Story::acquire(const Line& line) {
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
  handle.acquire = agent_->acquire(std::move(wish), now_);
  cast_.acquires[handle.acquire] = name;
  acquiring_ = name;
  settle();
  acquiring_.clear();
}

void Story::reply(const Line& line) { answer(line, line.reply()); }
void Story::fail(const Line& line) { answer(line, line.failure()); }

void Story::answer(const Line& line, const Reply& reply) {
  for (const std::uint64_t id : line.numbers(1)) {
    if (!requests_.contains(id)) throw std::invalid_argument("no such request: " + std::to_string(id));
    agent_->on_reply(requests_.at(id), reply, now_);
    settle();
  }
}

void Story::cancel(const Line& line) { agent_->cancel(handle(line.word(1)).acquire, now_); }

void Story::release(const Line& line) {
  Handle& it = handle(line.word(1));
  it.given_back = true;
  agent_->release(it.lease.value(), now_);
}

void Story::forget(const Line& line) {
  Handle& it = handle(line.word(1));
  it.given_back = true;
  agent_->forget(it.lease.value(), now_);
}

void Story::elect(const Line& line) { take_part(line, true); }
void Story::observe(const Line& line) { take_part(line, false); }

void Story::take_part(const Line& line, bool candidate) {
  const std::string& name = line.word(1);
  if (handles_.contains(name)) throw std::invalid_argument(name + " is there already");
  ElectionOptions options;
  options.lease = line.time("lease");
  options.renew = line.time("renew");
  options.grace = line.time("grace");
  options.drain = line.time("drain");
  auto plan = plan_election(line.option("key").value_or(name), options);
  if (!plan) throw std::invalid_argument(plan.error());
  plan->candidate = candidate;
  Handle& handle = handles_[name];
  handle.key = plan->key;
  handle.wanted = candidate;
  handle.election = agent_->start(*plan, now_);
  cast_.elections[*handle.election] = name;
  acquiring_ = name;
  settle();
  acquiring_.clear();
}

void Story::stop(const Line& line) { agent_->stop(*election(line.word(1)).election, now_); }

void Story::step_down(const Line& line) { agent_->step_down(*election(line.word(1)).election, now_); }

void Story::drained(const Line& line) {
  const Handle& it = election(line.word(1));
  if (it.terms.empty()) throw std::invalid_argument(line.word(1) + " never led");
  const auto term = line.option("term");
  const LeaseId lease = term ? it.terms.at(number(*term)) : it.terms.rbegin()->second;
  agent_->drained(*it.election, lease, now_);
}

void Story::close(const Line&) { agent_->close_elections(now_); }

void Story::shows(const Line& line) {
  shown_.reset();
  if (!line.option("owner") && line.word(1) == "silence") return;
  shown_ = line.key_state(1);
  shown_until_ = shown_->left ? now_ + *shown_->left : Time::max();
}

void Story::admitted(const Line& line) {
  const auto record = redis::read_record(line.word(2));
  if (!record) throw std::invalid_argument("not a record: " + line.word(2));
  agent_->on_admitted(line.node(1), *record, now_);
}

void Story::listening(const Line& line) {
  const std::string& word = line.word(2);
  if (word != "on" && word != "off") throw std::invalid_argument("on or off, not " + word);
  agent_->on_listening(line.node(1), word == "on", now_);
}

// To a name that has no ticket it is a forgery.
void Story::wake_up(const Line& line) {
  const auto found = handles_.find(line.word(2));
  const bool waits = found != handles_.end() && found->second.ticket;
  const Grant ticket = waits ? *found->second.ticket : Grant(line.word(2), 0x0123456789abcdef);
  agent_->on_wake_up(line.node(1), ticket, line.time("after").value_or(Duration::zero()), now_);
}

void Story::clock(const Line& line) { clocks_.at(line.node(1)) += duration(line.word(2)); }

void Story::advance(const Line& line) {
  const Time until = now_ + duration(line.word(1));
  for (std::size_t calls = 0; agent_->wake().value_or(Time::max()) <= until; ++calls) {
    if (calls > 10'000) throw std::invalid_argument("the core wakes without end at " + time_in_words(now_));
    now_ = std::max(now_, *agent_->wake());
    on_timer(time_in_words(now_) + " ");
  }
  now_ = until;
}

void Story::on_timer(const std::string& when) {
  agent_->on_timer(now_);
  settle(when);
}

void Story::suspend(const Line& line) { now_ += duration(line.word(1)); }

void Story::jump(const Line& line) {
  now_ += duration(line.word(1));
  on_timer(time_in_words(now_) + " ");
}

void Story::held(const Line& line) {
  const Handle& it = handle(line.word(1));
  const bool held = it.lease && now_ < it.deadline && !it.given_back;
  say(line.word(1) + (held ? " is held" : " is not held"));
}

void Story::wake(const Line&) {
  const auto wake = agent_->wake();
  say(wake ? "wake " + time_in_words(*wake) : "wake never");
}

void Story::idle(const Line&) { say(agent_->idle() ? "idle" : "not idle"); }

// Tells what came of it. Questions for the time, and who leads, are answered and not told: they go along with every story
// and belong to none.
void Story::settle(const std::string& when) {
  for (Outcome outcome = agent_->take(); !outcome.empty(); outcome = agent_->take()) {
    for (const Notice& notice : outcome.notices) {
      note(notice);
      say(when + in_words(notice, cast_));
    }
    for (const Drop& drop : outcome.effects.drops) say(when + in_words(drop, cast_));
    std::vector<std::pair<RequestId, Reply>> answers;
    std::vector<Send> others;
    for (const Send& send : outcome.effects.sends) {
      if (auto answer = own_answer(send)) {
        answers.emplace_back(send.id, std::move(*answer));
      } else {
        others.push_back(send);
      }
    }
    tell_sends(others, when);
    if (outcome.effects.listen) say(when + "listen");
    for (const auto& [id, answer] : answers) agent_->on_reply(id, answer, now_);
  }
}

// The same request to several nodes is one line.
void Story::tell_sends(const std::vector<Send>& sends, const std::string& when) {
  std::vector<Send> together;
  const auto tell = [&] {
    if (!together.empty()) say(when + in_words(together, cast_));
    together.clear();
  };
  for (const Send& send : sends) {
    note_send(send);
    if (!together.empty() && !told_together(together.back(), send, cast_)) tell();
    together.push_back(send);
  }
  tell();
}

std::optional<Reply> Story::own_answer(const Send& send) const {
  if (std::holds_alternative<ClockRequest>(send.request)) {
    return NodeClock{std::chrono::hours(1'000) + now_.time_since_epoch() + clocks_.at(send.node)};
  }
  const auto* look = std::get_if<LookRequest>(&send.request);
  if (look == nullptr || !shown_) return std::nullopt;
  KeyState state = now_ < shown_until_ ? *shown_ : KeyState{};
  if (state.exists()) state.left = std::chrono::ceil<Ttl>(shown_until_ - now_);
  return KeyStates(look->keys.size(), state);
}

// Learns the names, and what the handles are told.
void Story::note(const Notice& notice) {
  const auto of_lease = [&](LeaseId lease) -> Handle& { return handles_.at(cast_.leases.at(lease)); };
  const auto of = [&](ElectionId id) -> Handle& { return handles_.at(cast_.elections.at(id)); };
  const Overload learn{
      [&](const Acquired& it) {
        const std::string& name = cast_.acquires.at(it.acquire);
        cast_.leases[it.lease] = name;
        Handle& handle = handles_.at(name);
        handle.lease = it.lease;
        handle.deadline = it.deadline;
        handle.wanted = false;
      },
      [&](const Refused& it) { handles_.at(cast_.acquires.at(it.acquire)).wanted = false; },
      [&](const Renewed& it) { of_lease(it.lease).deadline = it.deadline; },
      [&](const Lost& it) { of_lease(it.lease).deadline = it.deadline; },
      [&](const Elected& it) {
        cast_.leases[it.term.lease] = cast_.elections.at(it.election);
        Handle& handle = of(it.election);
        handle.lease = handle.terms[it.term.token] = it.term.lease;
        handle.deadline = it.term.deadline;
        handle.wanted = handle.given_back = false;
      },
      [&](const TermEnding& it) { of(it.election).deadline = it.deadline; },
      [&](const TermOver& it) {
        Handle& handle = of(it.election);
        handle.wanted = handle.given_back = true;
      },
      [&](const ElectionStopped& it) { of(it.election).wanted = false; },
      [](const auto&) {},  // changes nothing of what is known here
  };
  std::visit(Overload{[&](const ClockJumped& it) { learn(it); },
                      [&](const auto& audience) { std::visit(learn, audience); }},
             notice);
}

void Story::note_send(const Send& send) {
  requests_.emplace(requests_.size() + 1, send.id);
  cast_.requests.emplace(send.id, requests_.size());
  const auto* request = std::get_if<AcquireRequest>(&send.request);
  if (request == nullptr) return;
  const std::string stamp = redis::stamp(request->grant);
  std::string name = acquiring_;
  if (const auto known = cast_.grants.find(stamp); known != cast_.grants.end()) {
    name = known->second.substr(0, known->second.find('/'));
  } else {
    if (name.empty()) name = wanted_for(request->key);
    const std::size_t nth = ++handles_.at(name).grants;
    cast_.grants[stamp] = nth == 1 ? name : name + "/" + std::to_string(nth);
  }
  if (request->ticket) handles_.at(name).ticket = request->ticket;
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
