// What happens to nodes.
#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "core/lease/grant.hpp"
#include "faults/injector.hpp"
#include "redis/grant_text.hpp"
#include "support/wait.hpp"

namespace tenure::faults {

bool Injector::begin_on_node(const Fault& fault) {
  auto& node = world_.node(fault.whom);
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
    case Kind::step_forward:
      world_.proxy().isolate(fault.whom, true);
      return true;
    case Kind::step_back:
      world_.clock(fault.whom).step(-clock_step);
      return true;
    case Kind::flush:
      wipe(fault.whom);
      return true;
    case Kind::flush_two: {
      const std::size_t next = (fault.whom + 1) % world_.crowd().nodes;
      if (silent_[next]) return false;
      wipe(fault.whom);
      wipe(next);
      return true;
    }
    case Kind::remove_lease:
      return remove_lease(fault);
    case Kind::fill:
      node.command({"CONFIG", "SET", "maxmemory", "1"});
      return true;
    case Kind::forget_scripts:
      node.command({"SCRIPT", "FLUSH", "SYNC"});
      return true;
    case Kind::block:
      block(fault.whom);
      return true;
    default:
      throw std::logic_error("this does not happen to nodes");
  }
}

void Injector::end_on_node(const Fault& fault) {
  auto& node = world_.node(fault.whom);
  switch (fault.kind) {
    case Kind::kill_node:
      node.restart();
      silent_[fault.whom] = false;
      break;
    case Kind::stop_node:
      node.resume();
      silent_[fault.whom] = false;
      break;
    case Kind::step_forward:
      world_.clock(fault.whom).step(clock_step);
      world_.proxy().isolate(fault.whom, false);
      break;
    case Kind::cut_node:
      world_.proxy().isolate(fault.whom, false);
      break;
    case Kind::fill:
      node.command({"CONFIG", "SET", "maxmemory", "0"});
      break;
    case Kind::block:
      unblock(fault.whom);
      break;
    default:
      break;  // it had no length
  }
}

void Injector::wipe(std::size_t node) {
  world_.proxy().forget(node);
  world_.node(node).command({"FLUSHALL"});
  world_.proxy().forget(node);
}

// Only a lease that all nodes show, and have renewed together, so that two of them still do for as long as its holder
// believes in it: a majority is against anybody else.
bool Injector::remove_lease(const Fault& fault) {
  const std::vector<std::string> keys{"redlock:" + short_job, "redlock:" + long_job, leadership};
  const std::size_t which = fault.detail % (2 * keys.size());
  const std::string key =
      which < keys.size()
          ? keys[which]
          : "poll:lease:s-" + std::to_string(1 + (fault.detail >> 8) % world_.crowd().sessions);
  constexpr std::int64_t together_ms = 200;
  std::string value;
  std::vector<std::int64_t> left;
  for (std::size_t node = 0; node < world_.crowd().nodes; ++node) {
    if (silent_[node]) return false;
    const std::string shown = world_.node(node).command({"GET", key}).text;
    if (node > 0 && shown != value) return false;
    value = shown;
    left.push_back(world_.node(node).command({"PTTL", key}).integer);
  }
  const auto [least, most] = std::ranges::minmax(left);
  if (most - least > together_ms) return false;
  const auto holder = redis::read_holder(value);
  if (holder.waits || holder.token == 0) return false;
  constexpr auto script = "return redis.call('GET', KEYS[1]) == ARGV[1] and redis.call('DEL', KEYS[1])";
  if (world_.node(fault.whom).command({"EVAL", script, "1", key, value}).integer != 1) return false;
  journal_.note("deleted " + key + " " + value);
  return true;
}

void Injector::block(std::size_t node) {
  silent_[node] = true;
  auto& connection = blocking_[node];
  connection = std::make_unique<test::RedisConnection>(world_.node(node).socket_path());
  connection->send({"EVAL", "while true do end", "0"});
}

void Injector::unblock(std::size_t node) {
  const auto ended = [&] { return world_.node(node).command({"SCRIPT", "KILL"}).text == "OK"; };
  if (!test::wait_until(ended)) throw std::runtime_error("a script that blocks a node cannot be killed");
  blocking_.erase(node);
  silent_[node] = false;
}

}  // namespace tenure::faults
