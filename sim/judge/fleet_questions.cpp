#include "sim/judge/fleet_questions.hpp"

#include <algorithm>
#include <numeric>

#include "core/fleet/rendezvous.hpp"

namespace tenure::sim {

using std::chrono::milliseconds;

void FleetQuestions::ask() {
  ask_for_shares();
  ask_for_steadiness();
  ask_for_last_join();
  if (instances() == 1) {
    ask_after_death();
  } else {
    for (std::uint64_t left = 1 + random_.below(2); left > 0 && !course_.over(); --left) {
      switch (random_.below(6)) {
        case 0:
          ask_after_leave();
          break;
        case 1:
          ask_after_death();
          break;
        case 2:
          ask_after_cut();
          break;
        case 3:
          ask_after_new_sessions();
          break;
        case 4:
          ask_after_failed_join();
          break;
        default:
          ask_after_rolling_restart();
          break;
      }
    }
  }
  if (shared_.plan.data_node() && !course_.over()) ask_without_data_node();
  ask_for_end();
}

// Until it is heard that somebody came or left, at the next beat at the latest; until that has settled; until the owner
// of what must move looks again, a second later at the most; until its work has ended; and until who waits looks again.
Duration FleetQuestions::rest_within() const {
  const Duration heard = shared_.plan.timing.renew + milliseconds(150);
  const Duration moved = std::chrono::seconds(1) + drain_calm(shared_.plan) + milliseconds(320);
  return by_slow_clock(heard + moved) + round_trips();
}

// P16: its TTL runs out, and a second.
Duration FleetQuestions::owned_after_death_within() const {
  return by_slow_clock(by_slow_clock(shared_.plan.timing.ttl) + std::chrono::seconds(1)) + round_trips();
}

// Until an instance knows that the data node answers again: a beat that it waits for has to fail, and the next one comes half
// an interval later at the most.
Duration FleetQuestions::beaten_within() const {
  return by_slow_clock(shared_.plan.timing.node_timeout + shared_.plan.timing.renew / 2) + round_trips();
}

bool FleetQuestions::all_owned() const {
  return std::ranges::all_of(shared_.roster.sessions(), [&](const std::string& session) {
    for (InstanceIndex i = 0; i < instances(); ++i) {
      if (membership(i).has(session)) return true;
    }
    return false;
  });
}

FleetQuestions::Owned FleetQuestions::owned() const {
  Owned owned;
  for (InstanceIndex i = 0; i < instances(); ++i) owned.push_back(membership(i).owned());
  return owned;
}

FleetQuestions::Share FleetQuestions::share_of(InstanceIndex instance) const {
  std::size_t all = 0;
  for (InstanceIndex i = 0; i < instances(); ++i) {
    if (membership(i).wanted()) all += membership(i).weight();
  }
  if (all == 0 || !membership(instance).wanted()) return {};
  const std::size_t shares = shared_.roster.sessions().size() * membership(instance).weight();
  return {shares / all, (shares + all - 1) / all};
}

bool FleetQuestions::balanced() const {
  const Owned has = owned();
  for (InstanceIndex i = 0; i < instances(); ++i) {
    const Share share = share_of(i);
    if (has[i] < share.least || has[i] > share.most) return false;
  }
  return true;
}

// Whoever counts as dead leaves the others larger shares. They wait for what it has; what they lack besides, one has to give
// the other.
bool FleetQuestions::nothing_moves_without(InstanceIndex gone) const {
  const Owned has = owned();
  std::size_t all = 0;
  for (InstanceIndex i = 0; i < instances(); ++i) {
    if (i != gone && membership(i).wanted()) all += membership(i).weight();
  }
  std::size_t lack = 0;
  for (InstanceIndex i = 0; i < instances() && all > 0; ++i) {
    if (i == gone || !membership(i).wanted()) continue;
    const std::size_t least = shared_.roster.sessions().size() * membership(i).weight() / all;
    if (has[i] < least) lack += least - has[i];
  }
  return lack <= has[gone];
}

// From what they had to what they may have: all that is too much must go, and what is too little must come.
std::size_t FleetQuestions::fewest_moves(const Owned& before) const {
  std::size_t too_much = shared_.roster.sessions().size() - std::reduce(before.begin(), before.end());
  std::size_t too_little = 0;
  for (InstanceIndex i = 0; i < instances(); ++i) {
    const Share share = share_of(i);
    if (before[i] > share.most) too_much += before[i] - share.most;
    if (before[i] < share.least) too_little += share.least - before[i];
  }
  return std::max(too_much, too_little);
}

void FleetQuestions::expect_rest(std::string_view invariant, Duration within, const std::string& otherwise) {
  const TrueTime begin = shared_.schedule.now();
  // To look after every event would take long where there are many sessions.
  TrueTime next = begin;
  course_.expect(invariant, within, otherwise, [&] {
    const TrueTime now = shared_.schedule.now();
    if (now < next && now < begin + within) return false;
    next = now + milliseconds(1);
    return balanced() && all_owned();
  });
}

FleetQuestions::Mark FleetQuestions::mark(std::optional<InstanceIndex> goes) {
  Mark mark{owned(), shared_.sharing.taken()};
  if (goes) mark.owned[*goes] = 0;
  shared_.sharing.longest_gap();  // from here on
  return mark;
}

// Whoever has taken a session says so with a heartbeat soon afterwards. Who dies before that seems to live and not to take it;
// and as the clocks of two nodes differ, its lease may end before its last heartbeat does.
FleetQuestions::Mark FleetQuestions::mark_death(InstanceIndex dead) {
  Mark mark = this->mark(dead);
  const std::size_t data = shared_.plan.data_node().value_or(0);
  const auto said = nodes_[data]->list_of(membership(dead).id(), shared_.schedule.now());
  for (const std::string& session : shared_.roster.sessions()) {
    const bool is_said = std::ranges::find(said, core::session_hash(session)) != said.end();
    if (membership(dead).has(session) && !is_said) mark.unsaid += 1;
  }
  return mark;
}

void FleetQuestions::expect_no_moves(const Mark& since, const std::string& when) {
  if (shared_.sharing.taken() != since.taken) {
    shared_.judge.violated("T53", shared_.schedule.now(), "sessions changed hands when " + when);
  }
  course_.expect("L5", {}, "a session was lost when " + when, [&] { return balanced() && all_owned(); });
}

void FleetQuestions::expect_few_moves(const Mark& since, const std::string& when) {
  if (course_.over()) return;
  const std::uint64_t moves = shared_.sharing.taken() - since.taken;
  // Such a session goes to the next whose turn it is, who may have its share already: then one more has to move.
  const std::size_t enough = fewest_moves(since.owned) + since.unsaid;
  if (moves <= enough) return;
  shared_.judge.violated("L4", shared_.schedule.now(),
                         std::to_string(moves) + " sessions moved when " + when + ", and " +
                             std::to_string(enough) + " were enough");
}

void FleetQuestions::expect_short_gaps(Duration longest, const std::string& when) {
  if (shared_.sharing.longest_gap() <= longest) return;
  shared_.judge.violated("L3", shared_.schedule.now(), "a session had no owner for long when " + when);
}

// One takes all (P15); then the others join together, but for the last (P18, P20).
void FleetQuestions::ask_for_shares() {
  membership(0).begin_calmly();
  expect_rest("L3", by_slow_clock(milliseconds(250)) + round_trips(),
              "who is alone does not take all sessions");
  if (instances() < 3) return;
  for (InstanceIndex i = 1; i + 1 < instances(); ++i) membership(i).begin_calmly();
  expect_rest("L3", rest_within(), "who joined does not get its share");
}

// T53: at rest nothing changes hands.
void FleetQuestions::ask_for_steadiness() {
  const std::uint64_t taken = shared_.sharing.taken();
  run_for(shared_.plan.timing.renew * 4 + milliseconds(1200));
  if (shared_.sharing.taken() != taken) {
    shared_.judge.violated("T53", shared_.schedule.now(), "sessions changed hands, and nobody came or left");
  }
  course_.expect("L5", {}, "a session was lost in calm weather", [&] { return balanced() && all_owned(); });
}

// T53: at rest, when everybody knows who has what, nobody asks.
void FleetQuestions::ask_for_idleness() {
  const std::uint64_t questions = shared_.sharing.questions();
  run_for(shared_.plan.timing.renew * 5);
  if (course_.over() || shared_.sharing.questions() == questions) return;
  shared_.judge.violated("T53", shared_.schedule.now(), "it was asked who has what, and nobody came or left");
}

// P21: only what must move does. P22: and whoever it goes to has it promptly.
void FleetQuestions::ask_for_last_join() {
  if (instances() < 2) return;
  const Mark before = mark();
  membership(instances() - 1).begin_calmly();
  expect_rest("L3", rest_within(), "the last to join does not get its share");
  expect_short_gaps(round_trips(), "one joined");
  ask_for_steadiness();
  ask_for_idleness();
  expect_few_moves(before, "one joined");
}

// P16: at once means, when others have heard of it and that has settled.
void FleetQuestions::ask_after_leave() {
  const InstanceIndex leaver = some_instance();
  const Mark before = mark(leaver);
  membership(leaver).end();
  expect_rest("L3", rest_within(), "what was left is not shared by the others");
  expect_short_gaps(by_slow_clock(milliseconds(250)) + round_trips(), "one left");
  ask_for_steadiness();
  expect_few_moves(before, "one left");
  come_back(leaver);
}

void FleetQuestions::come_back(InstanceIndex instance) {
  membership(instance).begin_calmly();
  expect_rest("L3", rest_within(), "who came back does not get its share");
}

// Its successor, of another id, owns what it had when its time has run out (P16, P17).
void FleetQuestions::ask_after_death() {
  const InstanceIndex dead = some_instance();
  const Mark before = mark_death(dead);
  if (instances() > 1) membership(dead).stay_away();
  processes_[dead]->crash();
  expect_rest("L2", owned_after_death_within(), "what a dead instance had is not shared by the others");
  ask_for_steadiness();
  expect_few_moves(before, "one died");
  if (instances() > 1) come_back(dead);
}

// Who is cut off gives up what it has, the others take it, and when it is back everybody has its share.
void FleetQuestions::ask_after_cut() {
  const InstanceIndex blind = some_instance();
  const Duration length = owned_after_death_within() * 2;
  for (std::size_t node = 0; node < shared_.plan.servers(); ++node) {
    shared_.network.cut(blind, node, {.length = length});
  }
  course_.expect("L2", owned_after_death_within(),
                 "what was owned by who is cut off is not shared by the others",
                 [&] { return all_owned() && membership(blind).owned() == 0; });
  run_for(length);
  // Also where nothing is to move the others know of it again only then.
  run_for(rest_within());
  expect_rest("L3", Duration::zero(), "who was cut off does not get its share");
}

void FleetQuestions::ask_after_new_sessions() {
  for (auto changes = 1 + random_.below(6); changes > 0; --changes) {
    if (random_.below(3) == 0 && shared_.roster.sessions().size() > 1) {
      shared_.roster.remove();
    } else {
      shared_.roster.add();
    }
  }
  // Everybody reads them once within a TTL.
  run_for(shared_.plan.timing.ttl);
  expect_rest("L3", rest_within(), "sessions that came or went are not shared");
  ask_for_steadiness();
}

// T55: what was to go to somebody who dies before it has it stays with its owner.
void FleetQuestions::ask_after_failed_join() {
  const InstanceIndex unlucky = some_instance();
  membership(unlucky).end();
  expect_rest("L3", rest_within(), "what was left is not shared by the others");
  membership(unlucky).begin_calmly();
  run_for(random_.between(Duration::zero(), milliseconds(600)));
  membership(unlucky).stay_away();
  processes_[unlucky]->crash();
  run_for(owned_after_death_within());
  expect_rest("L2", {}, "what was to go to a dead instance has no owner");
  ask_for_steadiness();
  come_back(unlucky);
}

// T56: one after the other leaves and comes back as a new process, and no session moves without need.
void FleetQuestions::ask_after_rolling_restart() {
  for (InstanceIndex i = 0; i < std::min<std::size_t>(instances(), 4); ++i) {
    const Mark before = mark(i);
    membership(i).end();
    expect_rest("L3", rest_within(), "what was left is not shared by the others");
    run_for(settled_within);
    expect_few_moves(before, "one left in a rolling restart");
    const Mark between = mark(i);
    processes_[i]->crash();
    come_back(i);
    run_for(settled_within);
    expect_few_moves(between, "one came back in a rolling restart");
  }
}

// L9: what is left in Redis is looked at afterwards.
void FleetQuestions::ask_for_end() {
  for (const auto& process : processes_) process->retire();
  course_.expect("L8", shared_.plan.timing.ttl + round_trips(), "a fleet does not end",
                 [&] { return std::ranges::all_of(processes_, [](const auto& it) { return it->idle(); }); });
}

}  // namespace tenure::sim
