// Asks every node at once: one that is dead delays nobody's answer.
#include <algorithm>
#include <future>

#include "api/context.hpp"
#include "core/nodes.hpp"
#include "runtime/boot_clock.hpp"
#include "runtime/caller.hpp"
#include "tenure/client.hpp"

namespace tenure {

namespace {

NodeHealth look_at(const redis::Address& address, core::Duration timeout, const runtime::Tls& tls) {
  NodeHealth node{redis::shown(address), std::nullopt, {}};
  const core::Time deadline = runtime::boot_now() + timeout;
  auto redis = runtime::Caller::connect(address, timeout, tls);
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
  std::vector<std::future<NodeHealth>> asked;
  for (const auto& address : context_->nodes.addresses) {
    asked.push_back(std::async(std::launch::async, look_at, std::cref(address), detail::counted(timeout),
                               context_->nodes.tls));
  }
  Health health;
  for (auto& node : asked) health.nodes.push_back(node.get());
  health.up = static_cast<std::size_t>(std::ranges::count_if(
      health.nodes, [](const NodeHealth& node) { return node.round_trip.has_value(); }));
  health.quorum = health.up >= context_->nodes.quorum();
  return health;
}

}  // namespace tenure
