// What one simulated Redis server has and is: what its commands work on.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "sim/redis/keyspace.hpp"

namespace tenure::sim {

// Tells who listens to a channel, and gives their number. It is called while a script runs, and must not
// run another one.
using Publish = std::function<std::size_t(std::string_view channel, std::string_view message)>;

struct Server {
  Keyspace data{};
  // The life of the server, which INFO shows: hexadecimal digits, others after a restart or a failover.
  std::string run_id = std::string(40, '0');
  std::string replid = std::string(40, '0');
  Publish publish{};  // none: nobody listens
};

}  // namespace tenure::sim
