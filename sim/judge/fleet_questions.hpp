// What is asked of a fleet once faults have stopped: every session has an owner, everybody its share, nothing moves that
// need not, and who dies is replaced.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/world/course.hpp"
#include "sim/world/process.hpp"

namespace tenure::sim {

class FleetQuestions {
 public:
  FleetQuestions(Surroundings& surroundings, std::vector<std::unique_ptr<Node>>& nodes,
                 std::vector<std::unique_ptr<Process>>& processes, Course& course, core::Random random)
      : shared_(surroundings), nodes_(nodes), processes_(processes), course_(course), random_(random) {}

  void ask();

 private:
  using InstanceIndex = std::size_t;
  // What each instance has, by index, at one moment.
  using Owned = std::vector<std::size_t>;

  // How things were at one moment.
  struct Mark {
    Owned owned;
    std::uint64_t taken = 0;
    std::size_t unsaid = 0;  // of what one has that dies now: its last heartbeat does not say so
  };

  void ask_for_shares();
  void ask_for_steadiness();
  void ask_for_idleness();
  void ask_for_last_join();
  void ask_after_leave();
  void ask_after_death();
  void ask_after_cut();
  void ask_after_new_sessions();
  void ask_after_failed_join();
  void ask_after_rolling_restart();
  // Where the heartbeats are on a Redis of their own: what if that alone is away?
  void ask_without_data_node();
  void ask_at_rest_without_data_node();
  void ask_after_cut_from_data_node();
  void ask_after_death_without_data_node();
  void ask_after_join_without_data_node();
  void ask_for_end();

  void come_back(InstanceIndex instance);
  // For that long it does not answer; then it goes on, or another one does that knows nothing.
  void stop_data_node(Duration length);

  // All sessions have an owner and everybody its share, within that time.
  void expect_rest(std::string_view invariant, Duration within, const std::string& otherwise);
  // Of those that were handed over since the last mark, none had no owner for longer than that.
  void expect_short_gaps(Duration longest, const std::string& when);
  // Nothing was taken since, and everything has its owner.
  void expect_no_moves(const Mark& since, const std::string& when);
  // No more moved since than had to.
  void expect_few_moves(const Mark& since, const std::string& when);
  // One that goes now has nothing from here on.
  Mark mark(std::optional<InstanceIndex> goes = {});
  Mark mark_death(InstanceIndex dead);
  bool all_owned() const;
  bool balanced() const;
  Owned owned() const;
  bool nothing_moves_without(InstanceIndex gone) const;
  std::size_t fewest_moves(const Owned& before) const;
  // What is the least, and what the most, that its weight is worth?
  struct Share {
    std::size_t least = 0;
    std::size_t most = 0;
  };
  Share share_of(InstanceIndex instance) const;

  Membership& membership(InstanceIndex instance) const { return processes_[instance]->membership(); }
  std::size_t instances() const { return shared_.plan.fleet->weights.size(); }
  InstanceIndex some_instance() { return random_.below(instances()); }

  Duration round_trips() const { return shared_.plan.delay_usual * 40; }
  // Clocks may run slow by a twentieth.
  static Duration by_slow_clock(Duration length) { return length * 21 / 20; }
  // Until everybody has heard that somebody came or left and has looked at what follows, also where nothing does.
  static constexpr Duration settled_within = std::chrono::milliseconds(400);
  Duration rest_within() const;
  Duration owned_after_death_within() const;
  Duration beaten_within() const;
  void run_for(Duration length) { course_.run_until(shared_.schedule.now() + length); }

  Surroundings& shared_;
  std::vector<std::unique_ptr<Node>>& nodes_;
  std::vector<std::unique_ptr<Process>>& processes_;
  Course& course_;
  core::Random random_;
};

}  // namespace tenure::sim
