// A simulated Redis node as its clients see it: a command in, a reply out. It keeps data and knows
// which scripts were loaded; it has no connections, no persistence and no memory limit.
#pragma once

#include <cstdint>
#include <vector>

#include "redis/script_call.hpp"
#include "redis/value.hpp"
#include "sim/keyspace.hpp"
#include "sim/script_host.hpp"

namespace tenure::sim {

class RedisModel {
 public:
  // The host is shared by all nodes of all worlds, and outlives them.
  explicit RedisModel(ScriptHost& host) : host_(&host), loaded_(host.scripts(), false) {}

  // One command at one moment of the node's own clock, in unix microseconds.
  redis::Value run(const redis::Command& command, NodeTime now);

  const Keyspace& data() const { return data_; }
  Keyspace& data() { return data_; }

 private:
  redis::Value eval(const redis::Command& command, NodeTime now);
  redis::Value evalsha(const redis::Command& command, NodeTime now);
  redis::Value script(const redis::Command& command);
  redis::Value plain(const redis::Command& command, NodeTime now);

  ScriptHost* host_;
  Keyspace data_;
  std::vector<bool> loaded_;  // by script; after SCRIPT FLUSH none
};

}  // namespace tenure::sim
