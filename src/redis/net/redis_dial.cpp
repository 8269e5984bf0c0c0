#include "redis/net/redis_dial.hpp"

#include <poll.h>

#include <utility>

#include "redis/net/endpoint_of.hpp"
#include "redis/net/speech.hpp"

namespace tenure::redis {

RedisDial::RedisDial(const Address& address, const runtime::Tls& tls, Lookups& lookups, std::size_t first,
                     MasterSearch::Limits limits)
    : address_(address) {
  if (address.kind == Address::Kind::sentinel) {
    search_.emplace(address, tls, lookups, limits);
  } else {
    direct_.emplace(endpoint_of(address), tls, lookups.of({address.host, address.port}), first);
  }
}

tl::expected<std::optional<runtime::Stream>, core::Failure> RedisDial::step() {
  if (search_) return search_->step();
  if (address_.kind == Address::Kind::cluster) {
    return tl::unexpected(core::Failure{core::Applied::no, core::FailureCode::unsupported,
                                        "a Redis Cluster cannot be used here: name a single Redis"});
  }
  auto connected = direct_->step();
  if (!connected) return tl::unexpected(with_scheme(std::move(connected.error()), address_));
  return connected;
}

short RedisDial::events() const { return search_ ? short{POLLIN} : direct_->events(); }

core::Failure RedisDial::timed_out() const {
  std::string detail = "no connection in time";
  if (search_) detail = "no master in time: " + search_->trouble();
  if (direct_ && direct_->shaking_hands()) detail = "no answer to the TLS handshake in time";
  return {core::Applied::no, core::FailureCode::timed_out, std::move(detail)};
}

}  // namespace tenure::redis
