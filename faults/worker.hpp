// A client of a run: a process of `tenure`, started again when it has ended, that can be stopped, killed and ended with or
// without what it has started. Only for the thread that made it: with that one its processes die.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "faults/evidence.hpp"
#include "faults/journal.hpp"
#include "support/process.hpp"

namespace tenure::faults {

class Worker {
 public:
  // What to start, as the so manyth process of this client.
  using Launch = std::function<std::vector<std::string>(std::size_t generation)>;

  Worker(std::string name, Launch launch, Journal& journal);

  const std::string& name() const { return name_; }
  // Goes by this name now, where each process has its own.
  std::string current() const { return name_ + '.' + std::to_string(generation_); }

  // Notices an end, and starts it again when that is due.
  void look(core::Time now);
  // Kills it, and keeps what it has said.
  void finish();
  // It is not started again before then.
  void rest_until(core::Time time) { rests_until_ = time; }

  // To tenure alone.
  void signal(int signal) const;
  // These with all that it has started.
  void kill_all() const;
  bool stop_all();  // false: it is not running now
  // Nothing: it was not stopped. Safe: what stands still does not end, so its pids are its own.
  std::optional<Stop> continue_all();

 private:
  // Itself first. All are stopped, each before its children are looked for: so it is all of them.
  std::vector<pid_t> stopped_tree() const;
  void end();

  std::string name_;
  Launch launch_;
  Journal& journal_;
  std::size_t generation_ = 0;
  core::Time rests_until_ = core::long_ago;
  std::optional<Stop> stop_;
  std::unique_ptr<test::Process> process_;
};

}  // namespace tenure::faults
