#include "process/process_tree.hpp"

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <ctime>
#include <utility>

#include "runtime/boot_clock.hpp"
#include "runtime/net/descriptor.hpp"

namespace tenure::process {

namespace {

using Pause = std::chrono::milliseconds;
constexpr Pause pause_min{1};
constexpr Pause pause_max{128};

// Whoever was killed is gone sooner, unless something holds it.
constexpr core::Duration stuck_after = std::chrono::seconds(1);

// So many ended children are taken away before we look around again: in a crowd that forks and ends without end,
// there are always more.
constexpr int reaped_at_once = 500;

// A descendant. The number of a child of ours cannot come to mean another, because only we take it away when it
// has ended; that of any other can at any moment, and so it is held by a descriptor.
struct Kin {
  pid_t pid = 0;
  runtime::Descriptor held{};

  bool is_child() const { return !held; }
};

int send(const Kin& kin, int signal) {
  if (kin.is_child()) return kill(kin.pid, signal);
  return static_cast<int>(syscall(SYS_pidfd_send_signal, kin.held.get(), signal, nullptr, 0));
}

bool is_there(const Kin& kin) { return send(kin, 0) == 0 || errno == EPERM; }

// See says false: what is below it does not matter. No std::function, which would allocate.
template <class See>
void visit(const Kin& kin, const Children& children, const See& see) {
  // Before its children are listed: once killed, it cannot fork any more.
  if (!see(kin)) return;
  for (const pid_t pid : children.of(kin.pid)) {
    const Kin child{pid, runtime::Descriptor(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)))};
    // If the parent is still there at the end, its number meant no other when it was compared. If it is not,
    // its children come to us.
    if (!child.held || parent_of(pid) != kin.pid || !is_there(kin)) continue;
    visit(child, children, see);
  }
}

void wait_for_an_end(Pause pause) {
  sigset_t set{};
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  const timespec timeout{0, static_cast<long>(std::chrono::nanoseconds(pause).count())};
  sigtimedwait(&set, nullptr, &timeout);
}

}  // namespace

ProcessTree::ProcessTree() : strangers_(Children().of(getpid())) { prctl(PR_SET_CHILD_SUBREAPER, 1); }

void ProcessTree::ask_to_end(pid_t group, core::Time until) const {
  kill(-group, SIGTERM);
  kill(-group, SIGCONT);
  const Children children;
  for (const pid_t child : own(children)) {
    visit({child}, children, [&](const Kin& kin) {
      if (getpgid(kin.pid) != group) {
        send(kin, SIGTERM);
        send(kin, SIGCONT);
      }
      return runtime::boot_now() < until;
    });
  }
}

void ProcessTree::end(const Events& events) {
  Ending ending;
  while (!step(ending, events)) wait_for_an_end(ending.pause);
}

bool ProcessTree::step(Ending& ending, const Events& events) {
  ending.pause = std::min(2 * ending.pause, pause_max);
  if (reap(ending.killed, events) || ending.last_end == core::Time{}) {
    ending.pause = pause_min;
    ending.last_end = runtime::boot_now();
  }
  if (is_empty()) return true;
  const pid_t refused = kill_all(ending.killed);
  if (ending.pause == pause_max) {
    // Nothing has happened for a while. Is there one that was overlooked, below one that does not die?
    ending.killed.clear();
    if (refused != 0 && !std::exchange(ending.told_refused, true) && events.on_refused) {
      events.on_refused(refused);
    }
  }
  if (refused == 0 && !ending.told_stuck && runtime::boot_now() >= ending.last_end + stuck_after) {
    // Parents that are gone have left theirs to us: whoever is stuck is a child of ours, or below one that is.
    const auto left = own(Children());
    ending.told_stuck = !left.empty();
    if (ending.told_stuck && events.on_stuck) events.on_stuck(left.front());
  }
  return false;
}

bool ProcessTree::reap_except(pid_t pid) {
  for (int reaped = 0; reaped < reaped_at_once; ++reaped) {
    const pid_t ended = wait_for(P_ALL, 0, WEXITED | WNOHANG | WNOWAIT | __WALL).si_pid;
    if (ended == 0 || ended == pid) return false;
    wait_for(P_PID, ended, WEXITED | WNOHANG | __WALL);
    forget(ended);
  }
  return true;
}

Pids ProcessTree::own(const Children& children) const {
  auto all = children.of(getpid());
  std::erase_if(all, [&](pid_t pid) { return std::ranges::find(strangers_, pid) != strangers_.end(); });
  return all;
}

pid_t ProcessTree::kill_all(PidSet& killed) const {
  const Children children;
  // What one could still have started was found when it was killed: there is no time to look again, in a crowd
  // that forks without end.
  Pids fresh = own(children);
  std::erase_if(fresh, [&](pid_t child) { return !killed.insert(child).second; });
  // The last to come first: the others have ended more often than not. And all of them before we look below one.
  std::ranges::reverse(fresh);
  for (const pid_t child : fresh) {
    if (getpgid(child) == child) kill(-child, SIGKILL);  // a group dies at one instant
    kill(child, SIGKILL);
  }
  pid_t refused = 0;
  for (const pid_t child : fresh) {
    if (wait_for(P_PID, child, WEXITED | WNOHANG | WNOWAIT | __WALL).si_pid != 0) continue;
    visit({child}, children, [&](const Kin& kin) {
      if (send(kin, SIGKILL) != 0 && errno == EPERM) {
        refused = kin.pid;
        killed.erase(child);  // it can still start others
      }
      return true;
    });
  }
  return refused;
}

bool ProcessTree::reap(PidSet& killed, const Events& events) {
  for (int reaped = 0; reaped < reaped_at_once; ++reaped) {
    const siginfo_t how = wait_for(P_ALL, 0, WEXITED | WNOHANG | __WALL);
    if (how.si_pid == 0) return reaped > 0;
    killed.erase(how.si_pid);
    forget(how.si_pid);
    if (events.on_ended) events.on_ended(how);
  }
  return true;
}

bool ProcessTree::is_empty() const {
  siginfo_t info{};
  if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT | __WALL) != 0 && errno == ECHILD) return true;
  // With strangers there is no such word from the kernel. But children that only we can take away are not
  // overlooked in a list.
  return !strangers_.empty() && info.si_pid == 0 && own(Children()).empty();
}

void ProcessTree::forget(pid_t child) { std::erase(strangers_, child); }

siginfo_t wait_for(idtype_t type, pid_t id, int options) {
  siginfo_t info{};
  while (waitid(type, static_cast<id_t>(id), &info, options) != 0) {
    info.si_pid = 0;
    if (errno != EINTR) break;
  }
  return info;
}

}  // namespace tenure::process
