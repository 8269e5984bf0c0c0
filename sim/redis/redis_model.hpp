// A simulated Redis node as its clients see it: a command in, a reply out. It keeps data and knows
// which scripts were loaded; it has no connections, no persistence and no memory limit.
#pragma once

#include <cstdint>
#include <vector>

#include "redis/script_call.hpp"
#include "redis/value.hpp"
#include "sim/redis/script_host.hpp"
#include "sim/redis/server.hpp"

namespace tenure::sim {

class RedisModel {
 public:
  // The host is shared by all nodes of all worlds, and outlives them.
  explicit RedisModel(ScriptHost& host) : host_(&host), loaded_(host.scripts(), false) {}

  // One command at one moment of the node's own clock, in unix microseconds.
  redis::Value run(const redis::Command& command, NodeTime now);

  const Keyspace& data() const { return server_.data; }
  Keyspace& data() { return server_.data; }
  // For its owner to say which life it is in, and who listens to its channels.
  const Server& server() const { return server_; }
  Server& server() { return server_; }
  // SCRIPT FLUSH, or a restart; what is to be lost of the data in one, and the new life, is the owner's to say.
  void forget_scripts() { loaded_.assign(loaded_.size(), false); }

 private:
  redis::Value eval(const redis::Command& command, NodeTime now);
  redis::Value evalsha(const redis::Command& command, NodeTime now);
  redis::Value script(const redis::Command& command);
  redis::Value plain(const redis::Command& command, NodeTime now);

  ScriptHost* host_;
  Server server_;
  std::vector<bool> loaded_;  // by script; after SCRIPT FLUSH none
};

}  // namespace tenure::sim
