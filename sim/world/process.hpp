// A simulated client process and what it does with its leases, over crashes: for every name it wishes,
// waits, works, writes to a fenced register, releases, gives up. And it takes part in elections, and in a fleet.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/world/candidacy.hpp"
#include "sim/world/client.hpp"
#include "sim/world/membership.hpp"

namespace tenure::sim {

class Process {
 public:
  Process(Surroundings& surroundings, std::size_t index, Clocks clocks, core::Random random);

  // Begins to work, and goes on until told to retire.
  void work();
  // Wishes for nothing more and gives back what it has; so that it ends idle.
  void retire();
  bool idle() const { return client_->idle(); }

  void pause(Duration length, bool machine_sleeps);
  bool paused() const { return client_->paused(); }
  void crash();
  void on_closed(std::size_t node) { client_->on_closed(node); }
  // Its handles end without a release.
  void forget_all();

  // For the questions asked at the end of a world.
  void wish_once(const std::string& key, std::optional<Duration> wait_max);
  bool holds(const std::string& key) const { return client_->holds(key); }
  // Wishes for it, waits as long as it takes, and gives it back at once.
  void take_a_turn(const std::string& key);
  // Takes part in all elections, as a candidate or to observe.
  void join_elections(bool candidate);
  Candidacy& candidacy(const std::string& key);
  // If it is an instance of the fleet.
  Membership& membership() { return *membership_; }
  std::uint64_t turns() const { return turns_; }
  TrueTime last_turn() const { return last_turn_; }

 private:
  // What goes on with one name.
  struct Task {
    std::string key;
    std::optional<core::AcquireId> acquire{};
    std::optional<core::LeaseId> lease{};
    core::Token token = 0;
    std::string value;
    std::uint64_t episode = 0;  // events planned for an earlier one do nothing
    unsigned release_tries = 0;
  };

  void start_client();
  void later(Task& task, Duration delay, void (Process::*step)(Task&));
  Task* task_of(core::AcquireId id);
  Task* task_of(core::LeaseId id);

  void wish(Task& task);
  void change_mind(Task& task);
  void write(Task& task);
  void extend(Task& task);
  void give_back(Task& task);
  void rest(Task& task);

  void on_acquired(const core::Acquired& acquired);
  void on_lost(const core::Lost& lost);
  void on_released(const core::Released& released);

  Duration up_to(Duration longest) { return random_.between(Duration::zero(), longest); }
  bool chance(unsigned percent) { return random_.below(100) < percent; }

  Surroundings& shared_;
  std::size_t index_;
  Clocks clocks_;
  core::Random random_;
  std::vector<Task> tasks_;
  std::vector<Candidacy> candidacies_;
  std::optional<Membership> membership_;
  std::unique_ptr<Client> client_;
  unsigned lives_ = 0;
  bool working_ = false;
  bool only_a_turn_ = false;
  std::uint64_t turns_ = 0;
  TrueTime last_turn_{};
};

}  // namespace tenure::sim
