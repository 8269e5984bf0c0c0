// 64 callers of one thread on one, two and all shards of a Redis Cluster.
#include <deque>

#include "benches.hpp"
#include "callbacks.hpp"
#include "client_of.hpp"
#include "measure.hpp"
#include "own_cluster.hpp"
#include "stage.hpp"

namespace tenure::bench {

namespace {

constexpr std::size_t callers = 64;
constexpr int cycles = 10;

// Names that the first so many masters serve in turn, each in a slot of its own.
std::vector<Lock> names_on(const Client& client, std::size_t shards) {
  std::vector<Lock> locks;
  for (std::size_t i = 0; i < callers; ++i)
    locks.push_back(client.lock(OwnCluster::name_at(i % shards, shards * callers + i)));
  return locks;
}

}  // namespace

Row many_on_shards(Stage& stage) {
  OwnCluster cluster;
  const Client client = client_of({cluster.url()});
  // Lives as long as what is measured: Callbacks keep a reference.
  std::deque<std::vector<Lock>> locks;
  std::deque<Callbacks> callbacks;
  std::vector<Contestant> all;
  for (std::size_t shards = 1; shards <= OwnCluster::masters; ++shards) {
    Callbacks& block = callbacks.emplace_back(client, locks.emplace_back(names_on(client, shards)), cycles);
    all.push_back({"names on " + std::to_string(shards) + (shards == 1 ? " shard" : " shards"), Kind::tenure,
                   [&block] { return timed([&] { block.block(); }); }, callers * cycles});
  }
  Row row{
      "cluster-many", "64 callers on 1, 2 and 3 shards of a Redis Cluster",
      "Acquire and release by callbacks, 64 names in slots of their own. All servers share a core here, so "
      "that this shows what it costs the client to speak with more of them, and how much is lost because "
      "fewer requests come together at each. What more servers gain takes a core for each of them.",
      time_column};
  row.entries = measure(all, stage.rounds());
  return row;
}

}  // namespace tenure::bench
