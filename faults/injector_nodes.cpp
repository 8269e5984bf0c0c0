// What happens to nodes.
#include <algorithm>
#include <stdexcept>
#include <vector>

#include "faults/injector.hpp"

namespace tenure::faults {

bool Injector::begin_on_node(const Fault& fault) {
  Node& node = world_.node(fault.whom);
  switch (fault.kind) {
    case Kind::kill_node:
      world_.proxy().forget(fault.whom);
      silent_[fault.whom] = true;
      node.kill();
      return true;
    case Kind::stop_node:
      silent_[fault.whom] = true;
      node.pause();
      return true;
    case Kind::cut_node:
      world_.proxy().isolate(fault.whom, true);
      return true;
    case Kind::step_forward:
      world_.proxy().isolate(fault.whom, true);
      node.begin(fault);
      return true;
    case Kind::wipe:
      wipe(fault.whom);
      return true;
    case Kind::wipe_two: {
      const std::size_t next = (fault.whom + 1) % world_.crowd().nodes;
      if (silent_[next]) return false;
      wipe(fault.whom);
      wipe(next);
      return true;
    }
    case Kind::remove_lease:
      return remove_lease(fault);
    case Kind::block:
    case Kind::lock_rows:
    case Kind::read_only:
      silent_[fault.whom] = true;
      node.begin(fault);
      return true;
    default:
      node.begin(fault);
      return true;
  }
}

void Injector::end_on_node(const Fault& fault) {
  Node& node = world_.node(fault.whom);
  switch (fault.kind) {
    case Kind::kill_node:
      node.restart();
      break;
    case Kind::stop_node:
      node.resume();
      break;
    case Kind::cut_node:
      world_.proxy().isolate(fault.whom, false);
      break;
    case Kind::step_forward:
      node.end(fault);
      world_.proxy().isolate(fault.whom, false);
      break;
    default:
      node.end(fault);
      break;
  }
  silent_[fault.whom] = false;
}

void Injector::wipe(std::size_t node) {
  world_.proxy().forget(node);
  world_.node(node).wipe();
  world_.proxy().forget(node);
}

// Only a lease that all nodes show, and have renewed together, so that two of them still do for as long as its holder
// believes in it: a majority is against anybody else.
bool Injector::remove_lease(const Fault& fault) {
  const Crowd& crowd = world_.crowd();
  std::vector<std::string> names{"redlock:" + short_job, "redlock:" + long_job, leadership};
  const std::size_t which = fault.detail % (2 * names.size());
  const std::string name = which < names.size() || crowd.sessions == 0
                               ? names[which % names.size()]
                               : "poll:lease:s-" + std::to_string(1 + (fault.detail >> 8) % crowd.sessions);
  constexpr std::chrono::milliseconds together{200};
  std::vector<Shown> all;
  for (std::size_t node = 0; node < crowd.nodes; ++node) {
    if (silent_[node]) return false;
    all.push_back(world_.node(node).shown({name}).front());
    if (all.back().grant.empty() || all.back().grant != all.front().grant) return false;
  }
  const auto [least, most] = std::ranges::minmax(all, {}, &Shown::left);
  if (most.left - least.left > together) return false;
  if (!world_.node(fault.whom).remove(name, all.front())) return false;
  journal_.note("deleted " + name + " " + all.front().grant);
  return true;
}

}  // namespace tenure::faults
