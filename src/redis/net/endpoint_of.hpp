// Of an address what the network needs: no user, no password, no database. Of a Cluster it is the first node that is listed.
#pragma once

#include "redis/url.hpp"
#include "runtime/net/endpoint.hpp"

namespace tenure::redis {

inline runtime::Endpoint endpoint_of(const Address& address) {
  if (address.kind == Address::Kind::unix_socket) return {.path = address.path, .tls = address.tls};
  if (address.kind == Address::Kind::cluster) {
    const HostPort seed = address.seeds.empty() ? HostPort{} : address.seeds.front();
    return {.host = seed.host, .port = seed.port, .tls = address.tls};
  }
  return {.host = address.host, .port = address.port, .tls = address.tls};
}

}  // namespace tenure::redis
