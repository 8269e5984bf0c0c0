#include "sim/judge/terms.hpp"

#include <algorithm>
#include <utility>

namespace tenure::sim {

namespace {

std::string named(const std::string& key, core::Token term) {
  return "term " + std::to_string(term) + " of " + key;
}

}  // namespace

Terms::SeatId Terms::sit(std::string key) {
  const SeatId id{++last_};
  seats_[id].key = std::move(key);
  return id;
}

// Callbacks come in their order, and none for who did not lead (T58).
void Terms::move(Seat& seat, Stage from, Stage to, const char* what, TrueTime now) {
  if (seat.stage != from) {
    const bool led = seat.stage != Stage::none;
    judge_.violated(led ? "T52" : "T58", now,
                    led ? named(seat.key, seat.term) + ": " + what + " out of turn"
                        : seat.key + ": " + what + " without having led");
  }
  seat.stage = to;
}

void Terms::on_elected(SeatId id, core::Token term, TrueTime now, TrueTime until) {
  Seat& seat = seats_.at(id);
  count_ += 1;
  // Nothing of an earlier term may be left in this process (T52).
  if (seat.stage != Stage::none) {
    judge_.violated("T52", now,
                    named(seat.key, term) + " began before " + named(seat.key, seat.term) + " was over");
  }
  for (const auto& [other, it] : seats_) {
    if (other == id || it.key != seat.key || it.stage == Stage::none || it.stage == Stage::drained) continue;
    if (now < it.until) {
      judge_.violated("S1", now,
                      named(seat.key, term) + " began while " + named(it.key, it.term) + " was led");
    }
  }
  Course& course = courses_[seat.key];
  if (term <= course.elected) {
    judge_.violated("S8", now, named(seat.key, term) + " began after term " + std::to_string(course.elected));
  }
  course.elected = std::max(course.elected, term);
  seat.stage = Stage::leads;
  seat.term = term;
  seat.until = until;
}

void Terms::on_until(SeatId id, TrueTime until) { seats_.at(id).until = until; }

void Terms::on_work(SeatId id, core::Token term, TrueTime now) {
  const Seat& seat = seats_.at(id);
  if (seat.term != term || (seat.stage != Stage::leads && seat.stage != Stage::ending)) {
    judge_.violated("T52", now, named(seat.key, term) + ": work after its handlers");
  }
  Course& course = courses_[seat.key];
  if (term < course.worked) {
    judge_.violated("S8", now,
                    named(seat.key, term) + ": work after that of term " + std::to_string(course.worked));
  }
  course.worked = std::max(course.worked, term);
}

void Terms::on_ending(SeatId id, TrueTime now) {
  move(seats_.at(id), Stage::leads, Stage::ending, "told to end", now);
}

void Terms::on_handled(SeatId id, core::Token term, TrueTime now) {
  Seat& seat = seats_.at(id);
  if (seat.term != term) judge_.violated("T52", now, named(seat.key, term) + ": its handlers ran too late");
  move(seat, Stage::ending, Stage::handled, "handlers", now);
}

void Terms::on_drained(SeatId id, TrueTime now) {
  move(seats_.at(id), Stage::handled, Stage::drained, "drained", now);
}

void Terms::on_cut_short(SeatId id, TrueTime now) {
  Seat& seat = seats_.at(id);
  if (seat.stage == Stage::ending) on_handled(id, seat.term, now);
  if (seat.stage == Stage::handled) on_drained(id, now);
}

void Terms::on_over(SeatId id, TrueTime now) {
  move(seats_.at(id), Stage::drained, Stage::none, "over", now);
}

// Who hears of changes hears of all of them.
void Terms::on_leader_changed(SeatId id, const std::optional<core::Holder>& before,
                              const std::optional<core::Holder>& after, TrueTime now) {
  Seat& seat = seats_.at(id);
  // The first time it may be told that there is none.
  const bool news = before != after || (!after && !seat.told_of_leader);
  seat.told_of_leader = true;
  if (seat.leader != before || !news) {
    judge_.violated("T51", now, seat.key + ": a change of leaders that does not follow from the one before");
  }
  if (after && after->token == 0)
    judge_.violated("T51", now, seat.key + ": a leader without a term is shown");
  seat.leader = after;
}

void Terms::on_stopped(SeatId id, TrueTime now) {
  const Seat& seat = seats_.at(id);
  if (seat.stage != Stage::none) {
    judge_.violated("T52", now, named(seat.key, seat.term) + " was not over when its election stopped");
  }
  seats_.erase(id);
}

}  // namespace tenure::sim
