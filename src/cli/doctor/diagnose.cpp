#include "cli/doctor/diagnose.hpp"

#include <algorithm>
#include <utility>

#include "cli/doctor/cluster_facts.hpp"
#include "cli/doctor/cluster_findings.hpp"
#include "cli/doctor/node_facts.hpp"
#include "cli/doctor/node_findings.hpp"
#include "cli/doctor/sentinel_findings.hpp"
#include "cli/doctor/set_findings.hpp"
#include "cli/nodes/advice.hpp"
#include "cli/nodes/cluster_masters.hpp"
#include "redis/record_text.hpp"
#include "runtime/engine/at_once.hpp"
#include "runtime/wall_clock.hpp"

namespace tenure::cli {

namespace {

std::vector<NodeFacts> look_at_all(const Nodes& nodes, const UsedKeys& keys) {
  std::vector<NodeFacts> facts(nodes.addresses.size());
  runtime::at_once(facts.size(), [&](std::size_t i) {
    facts[i] = look_at(nodes.addresses[i], nodes.tls, keys, doctor_patience);
  });
  return facts;
}

// On this machine the port says enough.
std::string place(const redis::Address& address) {
  if (address.kind == redis::Address::Kind::tcp && is_local(address)) {
    return "on port " + std::to_string(address.port);
  }
  return redis::to_text(address);
}

NodeShown shown(const NodeFacts& facts, core::Ttl cap) {
  NodeShown node{.name = redis::to_text(facts.address), .place = place(facts.address), .down = facts.down};
  if (facts.address.kind == redis::Address::Kind::sentinel) node.sentinels = sentinels_shown(facts, cap);
  if (facts.down) return node;
  if (facts.info) {
    node.version = facts.info->product();
    node.role = facts.info->field("role");
  }
  node.round_trip = facts.round_trip;
  if (facts.clock_ahead) node.clock_ahead = *facts.clock_ahead;
  if (facts.record) node.record = redis::found_record(*facts.record);
  return node;
}

std::optional<NodeInSet> in_set(const NodeFacts& facts, const NodeShown& shown) {
  if (facts.down) return std::nullopt;
  return NodeInSet{shown.name, facts.info ? std::string(facts.info->field("run_id")) : "", shown.clock_ahead};
}

Diagnosis diagnose_cluster(const Nodes& nodes, const UsedKeys& keys, core::Duration node_timeout) {
  Diagnosis result{.kind = "Redis", .how_to_init = how_to_init(nodes)};
  const redis::Address& address = nodes.addresses.front();
  const ClusterFacts facts = look_at_cluster(nodes, keys, doctor_patience);
  NodeShown node{.name = redis::to_text(address), .place = redis::to_text(address), .down = facts.down};
  if (facts.down) {
    result.nodes.push_back(std::move(node));
    result.add(0, {down_finding({.address = address, .down = facts.down})});
  } else {
    node.cluster = cluster_shown(facts);
    for (const MasterShown& it : node.cluster->masters) {
      if (node.version.empty()) node.version = it.version;
      if (it.round_trip) node.round_trip = std::max(node.round_trip.value_or(*it.round_trip), *it.round_trip);
    }
    result.nodes.push_back(std::move(node));
    const Criteria criteria{keys, node_timeout, runtime::wall_now_ms(), nodes.tls_options, PartOf::cluster};
    result.add(0, cluster_findings(facts, criteria, result.how_to_init));
  }
  result.conclude();
  return result;
}

}  // namespace

Diagnosis diagnose(const Nodes& nodes, const std::string& lock_prefix, core::Duration node_timeout) {
  const UsedKeys keys{nodes.keyspace.key(lock_prefix), nodes.keyspace};
  if (cluster_in(nodes) != nullptr) return diagnose_cluster(nodes, keys, node_timeout);
  Diagnosis result{.kind = "Redis", .how_to_init = how_to_init(nodes)};
  const std::vector<NodeFacts> all = look_at_all(nodes, keys);
  std::vector<std::optional<NodeInSet>> set;
  for (const NodeFacts& facts : all) {
    result.nodes.push_back(shown(facts, keys.keyspace.cap));
    set.push_back(in_set(facts, result.nodes.back()));
  }
  result.findings = findings_of_all(set, keys.keyspace.cap);
  const Criteria criteria{keys, node_timeout, runtime::wall_now_ms(), nodes.tls_options};
  for (std::size_t i = 0; i < all.size(); ++i) {
    result.add(i, all[i].down ? std::vector{down_finding(all[i])} : findings_of(all[i], criteria));
    if (result.nodes[i].sentinels) result.add(i, sentinel_findings(*result.nodes[i].sentinels));
  }
  result.conclude();
  return result;
}

}  // namespace tenure::cli
