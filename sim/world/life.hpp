// The lives of one simulated process, one after the other, and the steps that it means to take in the present one.
#pragma once

#include <cstdint>
#include <functional>

#include "sim/world/client.hpp"

namespace tenure::sim {

class Life {
 public:
  // The TTL of what it holds says how long a step waits for a process that stands still.
  Life(Schedule& schedule, Duration ttl) : schedule_(schedule), ttl_(ttl) {}

  // The next life begins, with that client.
  void begin(Client& client);
  // Of the present life.
  Client& client() const { return *client_; }
  std::uint64_t number() const { return number_; }

  // Of a process that stands still, a step comes later; of one that has died since, never.
  void later(Duration delay, std::function<void()> step);

 private:
  Schedule& schedule_;
  Duration ttl_;
  Client* client_ = nullptr;
  std::uint64_t number_ = 0;
};

}  // namespace tenure::sim
