// A simulated Redis server in its world: one command after the other, by its own wall clock; it may restart and
// lose data. Every script call is checked against what the scripts promise (S3, S5, S7, S9).
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/random.hpp"
#include "redis/script_call.hpp"
#include "sim/judge/judge.hpp"
#include "sim/redis/redis_model.hpp"
#include "sim/redis/script_args.hpp"
#include "sim/world/clock.hpp"

namespace tenure::sim {

// What a node that restarts still knows.
enum class Memory : std::uint8_t { all, older, none };

// What a master does whose place a replica has taken, and that lives on.
enum class Deposed : std::uint8_t {
  refuses,  // it takes no writes any more, because too few replicas follow it (min-replicas-to-write)
  writes,   // it goes on as if nothing had happened
};

// Which process serves: INFO shows it, and another one after a restart or a failover.
struct Identity {
  std::string run_id{};
  std::string replid{};
};

class Node {
 public:
  Node(std::size_t index, ScriptHost& host, redis::Keyspace keyspace, WallClock clock, Judge& judge,
       core::Random random);

  // As `tenure init` does: the record of a Redis that is new.
  void init(TrueTime now);

  redis::Value run(const redis::Command& command, TrueTime now);
  void flush_scripts(TrueTime now) { model_.run({"SCRIPT", "FLUSH"}, clock_.read(now)); }
  using Publish = std::function<std::size_t(std::string_view channel, std::string_view message)>;
  void on_publish(Publish publish) { model_.server().publish = std::move(publish); }

  // Another process serves from now on, perhaps on another machine: a restart, or the promotion of a replica.
  void restart(Memory memory, WallClock clock, TrueTime now);
  // A replica that lags takes its place. The old master lives on, for whoever is still connected to it.
  void fail_over(Deposed deposed, WallClock clock, TrueTime now);
  redis::Value run_at_old_master(const redis::Command& command, TrueTime now);
  // A slot of a Cluster: that server runs what comes now.
  void serve_as(const Identity& life, const WallClock& clock) {
    model_.server().run_id = life.run_id;
    model_.server().replid = life.replid;
    clock_ = clock;
  }
  // It has moved to another server, whose replicas know nothing older.
  void on_moved() { saved_.clear(); }
  bool has(const std::string& key, TrueTime now) const {
    return model_.data().find(key, clock_.read(now)) != nullptr;
  }
  std::vector<std::string> all_keys(TrueTime now) const { return model_.data().keys(clock_.read(now)); }
  // FLUSHALL: everything is gone, and nobody is told.
  void wipe(TrueTime now) {
    model_.data().clear();
    forgot_at_ = now;
  }
  // Its data is again what it was at an earlier time of this life. False: none was kept.
  bool go_back();
  // Its wall clock is set to another time.
  void step_clock(Duration by) { clock_.step(by); }
  // Somebody deletes a key by hand.
  void remove(const std::string& key, TrueTime now) { model_.run({"DEL", key}, clock_.read(now)); }

  // Its record, as somebody sees who only looks.
  std::string record(TrueTime now) const { return look(keyspace_.record(), clock_.read(now)).value; }

  NodeTime clock(TrueTime now) const { return clock_.read(now); }
  // What its counter shows; 0: there is none.
  core::Token last_token(TrueTime now) const;
  void note_fence(const std::string& record_before, TrueTime now);

  // The keys that it shows now, but for the record and the fence.
  std::vector<std::string> keys(TrueTime now) const;
  // And for the list of who has beaten: a name stays in it until somebody beats again.
  std::vector<std::string> leases(TrueTime now) const;
  // The sessions that an instance owns, as its last heartbeat here says.
  std::vector<core::SessionHash> list_of(const std::string& instance, TrueTime now) const;
  // Of scripts that may change something; a look changes nothing.
  std::uint64_t calls() const { return calls_; }

 private:
  // One lease key, before or after a call.
  struct Look {
    std::string value;
    std::optional<std::int64_t> expiry_ms{};
    bool operator==(const Look&) const = default;
  };
  // A call with what was there before it.
  struct Call {
    const redis::Command& command;
    ScriptArgs args;
    std::vector<Look> before;  // of its leases
    std::string record;
    core::Token fence;  // what the counter showed before
    const redis::Value& reply;
    TrueTime now;
    NodeTime wall;
  };

  Look look(const std::string& key, NodeTime now) const;
  std::vector<std::size_t> lease_keys(const ScriptArgs& args) const;
  void check(const Call& call);
  void check_acquire(const Call& call);
  void check_confirm(const Call& call);
  void check_renew(const Call& call);
  void check_reassert(const Call& call);
  void check_release(const Call& call);
  void check_look(const Call& call);
  void check_beat(const Call& call);
  void expect(const Call& call, const std::string& key, const Look& wanted, const std::string& who);
  void answers(const Call& call, std::size_t i, std::int64_t truth);
  void new_life();

  std::size_t index_;
  RedisModel model_;
  redis::Keyspace keyspace_;
  WallClock clock_;
  Judge& judge_;
  core::Random random_;
  std::deque<Keyspace> saved_;  // what it knew at earlier times
  core::Token last_token_ = 0;
  core::Token highest_fence_ = 0;
  std::optional<core::Token> forgotten_up_to_{};  // its data went back from there, and nobody has noticed yet
  std::optional<TrueTime> forgot_at_{};  // when it may last have forgotten leases: a restart, or FLUSHALL
  std::uint64_t calls_ = 0;
  std::shared_ptr<Node> old_master_{};  // none: nobody was deposed
  Deposed deposed_ = Deposed::refuses;
};

}  // namespace tenure::sim
