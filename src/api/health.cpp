// Asks every node at once.
#include <algorithm>

#include "api/context.hpp"
#include "core/base/duration_reader.hpp"
#include "core/nodes.hpp"
#include "redis/net/caller.hpp"
#include "runtime/boot_clock.hpp"
#include "runtime/engine/at_once.hpp"
#include "tenure/client.hpp"

namespace tenure {

namespace {

NodeHealth look_at(const redis::Address& address, core::Duration timeout, const runtime::Tls& tls) {
  NodeHealth node{redis::to_text(address), std::nullopt, {}};
  const core::Time deadline = runtime::boot_now() + timeout;
  auto redis = redis::Caller::connect(address, timeout, tls);
  if (!redis) {
    node.detail = redis.error().detail;
    return node;
  }
  const core::Time before = runtime::boot_now();
  const auto answer = redis->call({"PING"}, deadline);
  if (!answer) {
    node.detail = answer.error().detail;
    return node;
  }
  node.round_trip = std::chrono::ceil<std::chrono::microseconds>(runtime::boot_now() - before);
  return node;
}

}  // namespace

Health Client::health(std::chrono::milliseconds timeout) const {
  Health health;
  const core::Duration at_most = core::saturated(timeout);
  health.nodes.resize(context_->nodes.addresses.size());
  runtime::at_once(health.nodes.size(), [&](std::size_t i) {
    health.nodes[i] = look_at(context_->nodes.addresses[i], at_most, context_->nodes.tls);
  });
  health.up = static_cast<std::size_t>(std::ranges::count_if(
      health.nodes, [](const NodeHealth& node) { return node.round_trip.has_value(); }));
  health.quorum = health.up >= context_->nodes.quorum();
  return health;
}

}  // namespace tenure
