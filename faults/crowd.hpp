// Who takes part in a run, and how long leases last in it.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "core/base/time.hpp"

namespace tenure::faults {

enum class Store { redis, postgresql };

enum class Role { lock, candidate, instance };

// What they own. Most owners of the first are done within half a second, so that there are many grants; owners of the others
// would outlast their leases if nobody ended them.
inline const std::string short_job = "faults-short";
inline const std::string long_job = "faults-long";
inline const std::string leadership = "faults-leader";

inline const std::string node_set = "faults";

// Clients are counted through: first those that lock, then candidates, then instances.
struct Crowd {
  Store store = Store::redis;
  std::size_t nodes = 3;       // behind several comes a server for the sessions, if there are instances
  std::size_t locks = 5;       // of them
  std::size_t long_locks = 2;  // the last ones, want another name
  std::size_t candidates = 5;
  std::size_t instances = 5;
  std::size_t sessions = 200;

  std::size_t clients() const { return locks + candidates + instances; }
  bool alone() const { return nodes == 1; }  // one server has all there is
  std::size_t servers() const { return nodes + (instances > 0 && !alone() ? 1 : 0); }
  std::size_t data() const { return alone() ? 0 : nodes; }  // as a node
  // Everybody reaches the nodes by addresses of its own, so that their set has a name. What their records say of it:
  std::string node_set_text() const { return std::to_string(nodes) + '-' + node_set; }
  // Stand for whichever client it is at that moment.
  std::size_t lock_owner() const { return clients(); }
  std::size_t long_lock_owner() const { return clients() + 1; }
  std::size_t leader() const { return clients() + 2; }
  std::size_t targets() const { return clients() + 3; }
  Role role(std::size_t client) const {
    if (client < locks || client == lock_owner() || client == long_lock_owner()) return Role::lock;
    if (client == leader()) return Role::candidate;
    return client < locks + candidates ? Role::candidate : Role::instance;
  }
  // The name that it wants, of a lock or an election.
  const std::string& wants(std::size_t client) const {
    if (role(client) == Role::candidate) return leadership;
    const bool is_long = client == long_lock_owner() || (client < locks && client + long_locks >= locks);
    return is_long ? long_job : short_job;
  }
  std::string name(std::size_t client) const {
    if (client == lock_owner()) return "lock owner";
    if (client == long_lock_owner()) return "long owner";
    if (client == leader()) return "leader";
    switch (role(client)) {
      case Role::lock:
        return "lock-" + std::to_string(client + 1);
      case Role::candidate:
        return "candidate-" + std::to_string(client - locks + 1);
      case Role::instance:
        break;
    }
    return "instance-" + std::to_string(client - locks - candidates + 1);
  }
};

// A quarantine takes 1.1 times the cap: a longer one, and a run would do little but wait.
inline constexpr std::chrono::milliseconds ttl{3'000};
inline constexpr std::chrono::milliseconds cap{6'000};
// Below the cap: tokens after lost data rest on clocks that agree within it.
inline constexpr std::chrono::milliseconds clock_step{5'000};

// How long an owner rests between two writes.
inline constexpr std::chrono::milliseconds write_rest{2};

}  // namespace tenure::faults
