// Where rows are measured: how much of it, and who takes part beside Tenure and the floors.
// Made anew for one core and for all: its servers run where this process may when they are first needed.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "measure.hpp"
#include "peer.hpp"

namespace tenure::bench {

class Stage {
 public:
  using Peers = std::vector<std::shared_ptr<Peer>>;

  Stage(bool quick, Cores cores) : quick_(quick), cores_(cores) {}

  bool quick() const { return quick_; }
  Cores cores() const { return cores_; }
  int rounds() const { return quick_ ? 5 : 15; }  // of blocks, in one pass

  // Those that can be had here: on this Redis.
  Peers redis_peers(const std::string& socket);
  // And those with a server of their own, which stay until dismiss().
  Peers peers(const std::string& socket);
  void dismiss();
  // Those that can do with a majority of these.
  Peers quorum_peers(const std::vector<std::string>& sockets);
  // Those that can be had on this PostgreSQL.
  Peers postgres_peers(const std::shared_ptr<test::PostgresServer>& server);
  // The names of all that took part, and what they say of themselves.
  const std::map<std::string, std::string>& versions() const { return versions_; }
  // And of those that could not be had.
  const std::set<std::string>& absent() const { return absent_; }
  void add_absent(const std::string& name) { absent_.insert(name); }

 private:
  void add(Peers& peers, const std::string& name, std::shared_ptr<Peer> peer);

  bool quick_;
  Cores cores_;
  std::optional<Peers> with_servers_;
  std::map<std::string, std::string> versions_;
  std::set<std::string> absent_;
};

// Acquire and release by so many callers, in blocks that last about as long as those of others.
Contestant cycles_of(Peer& peer, int callers);
// How many times as fast as the fastest peer an entry is. Nothing where one of them is missing: it could be that one.
std::optional<double> speed_of_fastest_peer(const Row& row, const std::string& entry, const Stage& stage);

}  // namespace tenure::bench
