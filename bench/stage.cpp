#include "stage.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace tenure::bench {

void Stage::add(Peers& peers, const std::string& name, std::shared_ptr<Peer> peer) {
  if (!peer) {
    absent_.insert(name);
    return;
  }
  versions_[peer->name()] = peer->version();
  peers.push_back(std::move(peer));
}

Stage::Peers Stage::redis_peers(const std::string& socket) {
  Peers all;
  add(all, "node-redlock", redlock({socket}));
  add(all, "redis-py Lock", redis_py(socket));
  return all;
}

Stage::Peers Stage::postgres_peers(const std::shared_ptr<test::PostgresServer>& server) {
  Peers all;
  add(all, "PostgreSQL advisory lock", postgres(server));
  return all;
}

Stage::Peers Stage::peers(const std::string& socket) {
  if (!with_servers_) {
    add(with_servers_.emplace(), "PostgreSQL advisory lock", postgres());
    add(*with_servers_, "etcd lock", etcd());
  }
  Peers all = redis_peers(socket);
  all.insert(all.end(), with_servers_->begin(), with_servers_->end());
  return all;
}

void Stage::dismiss() { with_servers_.reset(); }

Stage::Peers Stage::quorum_peers(const std::vector<std::string>& sockets) {
  Peers all;
  add(all, "node-redlock, quorum", redlock(sockets));
  return all;
}

Contestant cycles_of(Peer& peer, int callers) {
  constexpr double block = 0.05;  // seconds
  return {peer.name(), Kind::peer, [&peer, callers, times = 3]() mutable {
            const auto took = peer.cycle(callers, times);
            if (!took) throw std::runtime_error("it has no such thing");
            const double cycles = static_cast<double>(callers) * times;
            const double fitting = times * block / took->seconds;
            times = static_cast<int>(std::clamp(fitting, 2.0, 1'000.0));
            return Took{took->seconds / cycles, took->cpu / cycles};
          }};
}

std::optional<double> speed_of_fastest_peer(const Row& row, const std::string& entry, const Stage& stage) {
  if (!stage.absent().empty()) return std::nullopt;
  std::optional<double> least;
  for (const Entry& it : row.entries) {
    if (it.kind != Kind::peer) continue;
    const auto speed = row.speed(entry, it.name);
    if (!speed) return std::nullopt;
    if (!least || *speed < *least) least = speed;
  }
  return least;
}

}  // namespace tenure::bench
