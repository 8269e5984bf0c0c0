// Judges the terms of elections, across all processes and in true time: one leader after the other, each term larger
// than the one before, and in every process what belongs to one term before what belongs to the next.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/judge/judge.hpp"

namespace tenure::sim {

class Terms {
 public:
  // One election in one life of one process.
  enum class SeatId : std::uint64_t {};

  explicit Terms(Judge& judge) : judge_(judge) {}

  SeatId sit(std::string key);
  // Its process is dead, which ends everything at once.
  void on_death(SeatId id) { seats_.erase(id); }

  // It leads, until then if nothing more happens.
  void on_elected(SeatId id, core::Token term, TrueTime now, TrueTime until);
  // It leads until then: later than was said, or earlier.
  void on_until(SeatId id, TrueTime until);
  // It does something that only a leader may do.
  void on_work(SeatId id, core::Token term, TrueTime now);
  // It was told that its work must end.
  void on_ending(SeatId id, TrueTime now);
  // Its work has ended, and the handlers of the loss run.
  void on_handled(SeatId id, core::Token term, TrueTime now);
  void on_drained(SeatId id, TrueTime now);
  // Its work and handlers are not waited for, because all elections of the process end.
  void on_cut_short(SeatId id, TrueTime now);
  void on_over(SeatId id, TrueTime now);
  void on_leader_changed(SeatId id, const std::optional<core::Holder>& before,
                         const std::optional<core::Holder>& after, TrueTime now);
  void on_stopped(SeatId id, TrueTime now);

  std::uint64_t count() const { return count_; }

 private:
  // How far the term of a seat has come.
  enum class Stage : std::uint8_t { none, leads, ending, handled, drained };
  struct Seat {
    std::string key;
    Stage stage = Stage::none;
    core::Token term = 0;
    TrueTime until{};
    bool told_of_leader = false;
    std::optional<core::Holder> leader{};  // as it was told
  };
  // What is known of an election as a whole.
  struct Course {
    core::Token elected = 0;  // the last term
    core::Token worked = 0;   // of which there was work last
  };

  void move(Seat& seat, Stage from, Stage to, const char* what, TrueTime now);

  Judge& judge_;
  std::map<SeatId, Seat> seats_;
  std::map<std::string, Course> courses_;  // by key
  std::uint64_t last_ = 0;
  std::uint64_t count_ = 0;
};

}  // namespace tenure::sim
