#include "cli/nodes/seen_node.hpp"

#include <utility>

#include "cli/doctor/server_check.hpp"

namespace tenure::cli {

tl::expected<SeenNode, core::Failure> see_node(const redis::Address& address, const redis::Nodes& nodes) {
  auto redis = redis::Caller::connect(address, change_timeout, nodes.tls);
  if (!redis) return tl::unexpected(redis.error());
  auto info = ask_info(*redis, {"server", "replication", "cluster"});
  if (!info) return tl::unexpected(info.error());
  if (auto why = unfit(*info)) {
    return tl::unexpected(core::Failure{core::Applied::no, core::FailureCode::server, std::move(*why)});
  }
  auto record = redis->call({"GET", nodes.keyspace.record()});
  if (!record) return tl::unexpected(record.error());
  return SeenNode{std::move(*redis), std::move(*info), std::move(record->text)};
}

}  // namespace tenure::cli
