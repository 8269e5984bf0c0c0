// What all connections of a client know of a Redis Cluster, so that they need not ask one after the other.
#pragma once

#include <memory>
#include <vector>

#include "core/base/time.hpp"
#include "redis/cluster/slot_map.hpp"
#include "redis/url.hpp"

namespace tenure::redis {

struct ClusterView {
  SlotMap map{};
  core::Time asked = core::long_ago;  // when somebody asked for it

  bool known() const { return asked != core::long_ago; }
};
using SharedView = std::shared_ptr<ClusterView>;

// One of its servers, to whom we are who the address of the Cluster says.
inline Address server_of(const Address& cluster, const HostPort& where) {
  Address address;
  address.host = where.host;
  address.port = where.port;
  address.user = cluster.user;
  address.password = cluster.password;
  address.tls = cluster.tls;
  return address;
}

}  // namespace tenure::redis
