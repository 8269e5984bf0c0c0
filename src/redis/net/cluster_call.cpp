#include "redis/net/cluster_call.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "redis/net/caller.hpp"
#include "redis/net/cluster_link.hpp"
#include "redis/net/cluster_map_search.hpp"
#include "redis/url_parts.hpp"
#include "runtime/boot_clock.hpp"
#include "runtime/engine/at_once.hpp"
#include "runtime/net/wait_for.hpp"

namespace tenure::redis {

using core::Failure;

tl::expected<SlotMap, Failure> find_slot_map(const Address& cluster, const runtime::Tls& tls,
                                             core::Duration timeout) {
  const core::Time deadline = runtime::boot_now() + timeout;
  Lookups lookups;
  ClusterMapSearch search(cluster, tls, lookups, {}, {.patience = timeout, .gives_up_unanswered = false});
  for (;;) {
    auto map = search.step();
    if (!map) return tl::unexpected(std::move(map.error()));
    if (*map) return std::move(**map);
    if (!runtime::wait_for(search.fd(), POLLIN, deadline)) {
      return tl::unexpected(Failure{core::Applied::no, core::FailureCode::timed_out,
                                    "no map of the Redis Cluster in time: " + search.trouble()});
    }
  }
}

core::Reply ask_cluster(const Address& cluster, const Keyspace& keyspace, const runtime::Tls& tls,
                        core::Request request, core::Duration timeout) {
  const core::Time now = runtime::boot_now();
  ClusterLink link(0, cluster, {.greeting = {cluster.user, cluster.password, 0}, .keyspace = keyspace}, tls,
                   std::make_shared<ClusterView>(), timeout);
  runtime::News news;
  link.ask(core::RequestId{1}, std::move(request), now, news);
  link.flush(news);
  while (news.answers.empty()) {
    const auto awaited = link.awaited();
    if (!runtime::wait_for(awaited.fd, POLLIN, now + timeout)) return core::silence;
    link.on_ready(runtime::boot_now(), news);
  }
  return std::move(news.answers.front().reply);
}

tl::expected<core::Duration, Failure> ping_cluster(const Address& cluster, const runtime::Tls& tls,
                                                   core::Duration timeout) {
  const core::Time deadline = runtime::boot_now() + timeout;
  const auto map = find_slot_map(cluster, tls, timeout);
  if (!map) return tl::unexpected(map.error());
  const auto masters = map->masters();
  std::vector<tl::expected<core::Duration, Failure>> answers(masters.size());
  runtime::at_once(masters.size(), [&](std::size_t i) {
    auto redis = Caller::connect(server_of(cluster, masters[i]), deadline - runtime::boot_now(), tls);
    const core::Time before = runtime::boot_now();
    const auto answer = redis ? redis->call({"PING"}, deadline) : tl::unexpected(redis.error());
    if (answer) {
      answers[i] = runtime::boot_now() - before;
    } else {
      answers[i] = tl::unexpected(Failure{answer.error().applied, answer.error().code,
                                          to_text(masters[i]) + ": " + answer.error().detail});
    }
  });
  core::Duration slowest{};
  for (const auto& answer : answers) {
    if (!answer) return tl::unexpected(answer.error());
    slowest = std::max(slowest, *answer);
  }
  return slowest;
}

}  // namespace tenure::redis
