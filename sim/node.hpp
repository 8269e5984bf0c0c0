// A simulated Redis server in its world: one command after the other, by its own wall clock, with every
// script call checked against what the scripts promise (S3, S5, S9, L6).
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "redis/script_call.hpp"
#include "sim/clock.hpp"
#include "sim/judge.hpp"
#include "sim/redis_model.hpp"

namespace tenure::sim {

// A script call taken apart, as the node got it.
struct ScriptArgs {
  enum class Kind { acquire, renew, release };
  Kind kind = Kind::acquire;
  std::size_t keys = 0;

  static bool is_script(const redis::Command& command) { return command[0].starts_with("EVAL"); }
  explicit ScriptArgs(const redis::Command& command);
};

class Node {
 public:
  Node(ScriptHost& host, redis::Keyspace keyspace, WallClock clock, Judge& judge)
      : model_(host), keyspace_(std::move(keyspace)), clock_(clock), judge_(judge) {}

  // As `tenure init` does: the record of a Redis that is new.
  void init(TrueTime now);

  redis::Value run(const redis::Command& command, TrueTime now);
  void flush_scripts(TrueTime now) { model_.run({"SCRIPT", "FLUSH"}, clock_.read(now)); }

  // Somebody deletes a key by hand.
  void remove(const std::string& key, TrueTime now) { model_.run({"DEL", key}, clock_.read(now)); }

  // The keys that it shows now, beside the record and the fence.
  std::vector<std::string> leases(TrueTime now) const;
  std::uint64_t calls() const { return calls_; }

 private:
  // One lease key, before or after a call.
  struct Look {
    std::string value;
    std::optional<std::int64_t> expiry_ms{};
    bool operator==(const Look&) const = default;
  };

  Look look(const std::string& key, NodeTime now) const;
  void check_acquire(const redis::Command& command, const Look& before, const redis::Value& reply,
                     TrueTime now);
  void check_batch(const redis::Command& command, const ScriptArgs& args, const std::vector<Look>& before,
                   const redis::Value& reply, TrueTime now);

  RedisModel model_;
  redis::Keyspace keyspace_;
  WallClock clock_;
  Judge& judge_;
  std::uint64_t calls_ = 0;
};

}  // namespace tenure::sim
