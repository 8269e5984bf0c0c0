// All that descends from this process, wherever it went: into other groups, into sessions of its own, away from
// parents that ended. What another daemon starts on its behalf is none of it.
#pragma once

#include <sys/types.h>
#include <sys/wait.h>

#include <chrono>
#include <functional>
#include <memory_resource>
#include <set>

#include "core/base/time.hpp"
#include "process/children.hpp"

namespace tenure::process {

class ProcessTree {
 public:
  // From now on every orphan among the descendants becomes a child of this process (a subreaper). Children that
  // it has already, from before an exec, are strangers and are left alone.
  ProcessTree();

  // SIGTERM, once to each that is found, and to the whole group at one instant. Those that were stopped go on, or
  // they would not hear it. Does not chase those that fork without end longer than until then.
  void ask_to_end(pid_t group, core::Time until) const;

  struct Events {
    std::function<void(const siginfo_t& how)> on_ended{};  // each child of ours
    std::function<void(pid_t pid)> on_refused{};           // we may not kill that one; told once
    std::function<void(pid_t pid)> on_stuck{};             // killed, and still there; told once
  };
  // Kills them all, and returns when nobody is left: no sooner, as the kernel itself has to say so, and later
  // when one cannot be killed. SIGCHLD must be blocked.
  void end(const Events& events);

  using PidSet = std::pmr::set<pid_t>;
  // How far an end has come that is made in steps.
  struct Ending {
    std::chrono::milliseconds pause{};  // until the next step, unless a child ends sooner
    core::Time last_end{};
    bool told_refused = false;
    bool told_stuck = false;
    PidSet killed{};
  };
  // As end(), by whoever has other things to do meanwhile. True: nobody is left.
  bool step(Ending& ending, const Events& events);

  // A child of ours that is not to be killed, until it has ended or spare_none() is said.
  void spare(pid_t child) { strangers_.push_back(child); }
  void spare_none() { strangers_.clear(); }
  // It was taken away by somebody else than this object.
  void forget(pid_t child);

  // Takes away ended children; this one stays. For orphans, which nobody else waits for. True: there may be
  // more; call again soon.
  bool reap_except(pid_t pid);

 private:
  Pids own(const Children& children) const;
  // All but those children of ours that were killed before. One that we may not kill, or 0.
  pid_t kill_all(PidSet& killed) const;
  bool reap(PidSet& killed, const Events& events);
  bool is_empty() const;

  Pids strangers_;
};

// As waitid, but not interrupted. si_pid is 0 when there is nothing to tell.
siginfo_t wait_for(idtype_t type, pid_t id, int options);

}  // namespace tenure::process
