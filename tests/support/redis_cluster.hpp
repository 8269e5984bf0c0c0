// A private Redis Cluster, as a rule three masters with a replica each, in directories of their own, on free ports of 127.0.0.1;
// gone with the test. Its nodes are in a hurry: they take a node for dead after a second, and replace it in another two.
// A new one takes two seconds to start, for which Redis keeps a master from taking writes after a start.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "redis/cluster/slot.hpp"
#include "redis/url.hpp"
#include "support/redis_server.hpp"

namespace tenure::test {

class RedisCluster {
 public:
  struct Options {
    std::size_t masters = 3;
    std::size_t replicas = 1;                      // of each master
    std::chrono::milliseconds node_timeout{1000};  // after which a silent node is taken for dead
    std::string password{};                        // of all servers
    std::vector<std::string> tls{};        // all speak TLS, by these arguments: Certificates::server()
    std::vector<std::string> arguments{};  // {"--cluster-require-full-coverage", "no"}
  };

  // Returns when all nodes agree that all slots are served, and the replicas follow. All throw std::runtime_error where what they
  // bring about does not come.
  RedisCluster();
  explicit RedisCluster(Options options);

  // Of all its nodes, with the password.
  std::string url() const;
  redis::Address address() const { return redis::parse_url(url()).value(); }

  // The first are the masters, which share the slots in this order; server `masters + i` follows server `i % masters`. So it is
  // at first, and numbers stay what they are whoever is promoted.
  RedisServer& server(std::size_t index) { return servers_.at(index); }
  std::size_t server_count() const { return servers_.size(); }
  const std::string& id(std::size_t index) const { return ids_.at(index); }

  // As all nodes that run say it; waits until they agree.
  std::size_t master_of(redis::Slot slot);
  // One that runs and follows this master.
  std::size_t replica_of(std::size_t master);
  bool is_master(std::size_t index);

  void kill(std::size_t index);     // at once, as by a power cut
  void restart(std::size_t index);  // with what it knew of the Cluster, and without data
  void stop(std::size_t index);     // freezes it
  void go_on(std::size_t index);

  // Until all nodes that run agree who serves which slot, all slots are served, and replicas have what their masters had written.
  void wait_until_ready();

  enum class FailOver : unsigned char {
    in_agreement,  // with the master, which waits until the replica has everything
    by_force,      // without the master, and with most of the others
    takeover,      // without anybody
  };
  // Returns when all nodes that run say that this replica serves what its master served. One that was promoted so, and has a
  // master again, is not promoted for the second time within four seconds: this waits, and so do kill() and stop() of that master.
  void fail_over(std::size_t replica, FailOver how = FailOver::in_agreement);

  // With all that is in it; of several, one after the other.
  void move_slot(redis::Slot slot, std::size_t from, std::size_t to) { move_slots(slot, slot, from, to); }
  void move_slots(redis::Slot first, redis::Slot last, std::size_t from, std::size_t to);
  // The same in steps. From begin_move() on keys that are not there any more are asked for at `to`, and all is as before
  // after cancel_move().
  void begin_move(redis::Slot slot, std::size_t from, std::size_t to);
  void move_key(const std::string& key, std::size_t from, std::size_t to);  // unless it is gone by now
  // How many went.
  std::size_t move_keys(redis::Slot slot, std::size_t from, std::size_t to,
                        std::size_t most = std::numeric_limits<std::size_t>::max());
  void end_move(redis::Slot slot, std::size_t from, std::size_t to);
  void cancel_move(redis::Slot slot, std::size_t from, std::size_t to);

 private:
  // What a node says of itself and the others.
  struct Seen {
    std::string id;
    std::string flags;
    std::string follows;  // the id of its master, or "-"
    std::vector<std::pair<std::size_t, std::size_t>> ranges;

    bool is(std::string_view flag) const;
    bool serves(redis::Slot slot) const { return serves(slot, slot); }
    bool serves(redis::Slot first, redis::Slot last) const;  // all of them
  };

  void start_servers();
  void join();
  std::vector<Seen> seen_by(std::size_t index);
  Seen self_of(std::size_t index);
  bool runs(std::size_t index) const { return !away_.contains(index); }
  std::vector<std::size_t> running() const;
  bool knows_all(std::size_t index);
  bool is_ready(std::size_t index);
  // In which Redis (7.0 at least) takes the votes of a server's last election for those of the next one: it would win alone, with
  // the old epoch, beside a master that has the same slots. One that was lost may not be repeated before, either.
  std::chrono::milliseconds election_time() const;
  void let_votes_expire(std::size_t replica) const;
  void before_absence_of(std::size_t index);
  void give(redis::Slot slot, std::size_t from, std::size_t to);
  // Waits until all that run say that it serves all slots from first to last.
  void wait_until_all_say(redis::Slot first, redis::Slot last, std::size_t master);
  redis::Value must_say_ok(std::size_t index, const std::vector<std::string>& command);

  Options options_;
  std::deque<RedisServer> servers_;
  std::vector<std::string> ids_{};
  std::set<std::size_t> away_{};  // killed or stopped
  std::map<std::size_t, std::chrono::steady_clock::time_point> elected_{};
};

}  // namespace tenure::test
