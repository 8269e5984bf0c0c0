// What processes have used so far: of the processor, of the network, of the memory.
#pragma once

#include <sys/types.h>

#include "support/redis_server.hpp"

namespace tenure::bench {

// User and system time, in seconds. That of another process comes in hundredths.
double cpu_of_this_process();
double cpu_of(pid_t pid);
// And of the processes that it has started, also of those that have ended.
double cpu_of_family(pid_t pid);
double megabytes_of(pid_t pid);

// As Redis counts it, in seconds and bytes.
struct RedisUsage {
  double cpu = 0;
  double bytes = 0;  // received and sent

  RedisUsage operator-(const RedisUsage& other) const { return {cpu - other.cpu, bytes - other.bytes}; }
};
RedisUsage usage_of(test::RedisServer& server);

}  // namespace tenure::bench
