#include "cli/nodes/redis_inspector.hpp"

#include <utility>

#include "cli/doctor/cluster_readiness.hpp"
#include "cli/doctor/diagnose.hpp"
#include "cli/doctor/redis_record.hpp"
#include "cli/lock/redis_leases.hpp"
#include "cli/nodes/advice.hpp"
#include "cli/nodes/cluster_masters.hpp"
#include "redis/net/ask_all.hpp"
#include "runtime/wall_clock.hpp"

namespace tenure::cli {

namespace {

class RedisInspector : public NodeInspector {
 public:
  explicit RedisInspector(Nodes nodes)
      : NodeInspector(
            {nodes.names(), nodes.keyspace.terms(), nodes.keyspace.root(), cli::how_to_init(nodes)}),
        nodes_(std::move(nodes)) {}

  Diagnosis diagnose(const std::string& lock_prefix, core::Duration node_timeout) const override {
    return cli::diagnose(nodes_, lock_prefix, node_timeout);
  }
  AllLeases all_leases(const std::string& lock_prefix, ShowSessions sessions) const override {
    return look_at_all_leases(nodes_, lock_prefix, sessions);
  }
  Looked leases_under(const std::string& key_prefix) const override {
    return look_at_all_locks(nodes_, key_prefix);
  }
  LeasesLooked leases(const std::string& key_prefix, const std::vector<std::string>& names) const override {
    return look_at_leases(nodes_, key_prefix, names);
  }
  Looked lease(const std::string& key_prefix, const std::string& name) const override {
    return look_at_lock(nodes_, key_prefix, name);
  }
  Looked leases_of(const LeaseTarget& target, const std::string& name) const override {
    return look_at_name(nodes_, target, name);
  }

 private:
  NodesClosed look_at_records(core::Duration patience) const override {
    const Criteria criteria{{{}, nodes_.keyspace}, {}, runtime::wall_now_ms(), nodes_.tls_options};
    if (cluster_in(nodes_) != nullptr) return {look_at_some_slots(nodes_, criteria, patience)};
    const auto looked =
        redis::ask_all<NodeFacts>(nodes_, patience, [&](redis::Caller& redis, std::size_t node) {
          return look_at_record(redis, nodes_.addresses[node], nodes_.keyspace);
        });
    NodesClosed closed;
    for (const auto& node : looked) {
      closed.push_back(node.map([&](const NodeFacts& facts) { return closed_node(facts, criteria); }));
    }
    return closed;
  }

  Nodes nodes_;
};

}  // namespace

std::shared_ptr<const NodeInspector> inspector_of(Nodes nodes) {
  return std::make_shared<const RedisInspector>(std::move(nodes));
}

}  // namespace tenure::cli
