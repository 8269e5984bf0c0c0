// A private Redis Cluster of three masters, where servers belong.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cores.hpp"
#include "redis/cluster/slot.hpp"
#include "support/cluster_records.hpp"
#include "support/redis_cluster.hpp"

namespace tenure::bench {

class OwnCluster {
 public:
  static constexpr std::size_t masters = 3;

  OwnCluster() {
    const AmongServers here;
    cluster_.emplace(test::RedisCluster::Options{.masters = masters, .replicas = 0});
    test::init(*cluster_);
  }
  std::string url() const { return cluster_->url(); }
  std::vector<test::RedisServer*> servers() {
    std::vector<test::RedisServer*> all;
    for (std::size_t i = 0; i < masters; ++i) all.push_back(&cluster_->server(i));
    return all;
  }
  // A name that this master serves; another number is another slot.
  static std::string name_at(std::size_t master, std::size_t number = 0) {
    return "{" + redis::tag_of(static_cast<redis::Slot>(master * redis::slots / masters + 100 + number)) +
           "}";
  }

 private:
  std::optional<test::RedisCluster> cluster_{};
};

}  // namespace tenure::bench
