#include "cli/doctor/doctor_output.hpp"
#include "cli/json.hpp"
#include "core/lease/record.hpp"

namespace tenure::cli {

namespace {

const char* word_for(Status status) {
  switch (status) {
    case Status::healthy:
      return "healthy";
    case Status::degraded:
      return "degraded";
    case Status::no_quorum:
      break;
  }
  return "no_quorum";
}

template <class Unit, class Known>
std::optional<std::int64_t> in(const Known& duration) {
  if (!duration) return std::nullopt;
  return std::chrono::duration_cast<Unit>(*duration).count();
}

const char* record_word(const NodeShown& node) {
  if (!node.record) return "";
  if (node.record->absent()) return "absent";
  if (!node.record->read) return "foreign";
  return node.record->read->open ? "open" : "quarantined";
}

void add_boolean(Json& json, const char* key, std::optional<bool> value) {
  json.key(key);
  if (value) {
    json.boolean(*value);
  } else {
    json.null();
  }
}

void add_sentinels(Json& json, const SentinelsShown& group) {
  json.key("sentinels").open_object();
  json.key("name").text(group.name);
  json.key("master").text_or_null(group.master);
  json.key("down_after_ms").number_or_null(in<std::chrono::milliseconds>(group.down_after));
  json.key("without_new_leases_ms").number_or_null(in<std::chrono::milliseconds>(group.without_new_leases()));
  json.key("min_replicas_to_write").number_or_null(group.min_replicas);
  json.key("min_replicas_max_lag_ms").number_or_null(in<std::chrono::milliseconds>(group.max_lag));
  json.key("each").open_array();
  for (const SentinelFacts& it : group.each) {
    json.open_object();
    json.key("address").text(it.place);
    json.key("up").boolean(!it.down);
    json.key("reason").text_or_null(it.down ? it.down->detail : it.no_quorum.value_or(""));
    json.key("master").text_or_null(it.master);
    add_boolean(json, "quorum", it.down ? std::nullopt : std::optional(!it.no_quorum));
    json.close_object();
  }
  json.close_array();
  json.key("replicas");
  if (!group.replicas) {
    json.null();
  } else {
    json.open_array();
    for (const ReplicaFacts& it : *group.replicas) {
      json.open_object();
      json.key("address").text(it.place);
      json.key("online").boolean(it.online);
      json.key("bytes_behind").number(it.bytes_behind);
      json.close_object();
    }
    json.close_array();
  }
  json.close_object();
}

void add_replicas(Json& json, const std::vector<ReplicaShown>& replicas) {
  json.key("replicas").open_array();
  for (const ReplicaShown& it : replicas) {
    json.open_object();
    json.key("address").text(it.place);
    json.key("up").boolean(!it.down);
    json.key("reason").text_or_null(it.down.value_or(""));
    json.key("round_trip_us").number_or_null(in<std::chrono::microseconds>(it.round_trip));
    json.close_object();
  }
  json.close_array();
}

void add_records(Json& json, const SlotCounts& counts) {
  json.key("slots_open").number(counts.open);
  json.key("slots_quarantined").number(counts.quarantined);
  json.key("slots_restarted").number(counts.restarted);
  json.key("slots_without_record").number(counts.absent);
  json.key("slots_of_others").number(counts.other);
}

void add_cluster(Json& json, const ClusterShown& cluster) {
  json.key("cluster").open_object();
  json.key("state").text_or_null(cluster.state);
  json.key("slots_served").number(cluster.slots_served);
  add_records(json, cluster.records());
  json.key("masters").open_array();
  for (const MasterShown& it : cluster.masters) {
    json.open_object();
    json.key("address").text(it.place);
    json.key("up").boolean(!it.down);
    json.key("reason").text_or_null(it.down.value_or(""));
    json.key("slots").number(it.slots);
    json.key("version").text_or_null(it.version);
    json.key("round_trip_us").number_or_null(in<std::chrono::microseconds>(it.round_trip));
    json.key("min_replicas_to_write").number_or_null(it.min_replicas);
    add_replicas(json, it.replicas);
    json.close_object();
  }
  json.close_array().close_object();
}

void add_node(Json& json, const Diagnosis& diagnosis, std::size_t index) {
  const NodeShown& node = diagnosis.nodes[index];
  json.open_object();
  json.key("address").text(node.name);
  json.key("up").boolean(!node.down);
  json.key("healthy").boolean(diagnosis.healthy(index));
  const Finding* worst = diagnosis.worst(index);
  json.key("reason").text_or_null(node.down ? node.down->detail : worst != nullptr ? worst->what : "");
  json.key("version").text_or_null(node.version);
  json.key("role").text_or_null(node.role);
  json.key("round_trip_us").number_or_null(in<std::chrono::microseconds>(node.round_trip));
  json.key("clock_ahead_ms").number_or_null(in<std::chrono::milliseconds>(node.clock_ahead));
  json.key("record").text_or_null(record_word(node));
  if (node.postgresql) {
    add_boolean(json, "tls", node.postgresql->tls);
    add_boolean(json, "pooled", node.postgresql->pooled);
    json.key("schema").number_or_null(node.postgresql->schema);
  }
  if (node.sentinels) add_sentinels(json, *node.sentinels);
  if (node.cluster) add_cluster(json, *node.cluster);
  json.close_object();
}

void add_finding(Json& json, const Diagnosis& diagnosis, const Finding& finding) {
  json.open_object();
  json.key("severity").text(word_for(finding.severity));
  json.key("code").text(finding.code);
  json.key("node").text_or_null(finding.node ? diagnosis.nodes[*finding.node].name : "");
  json.key("what").text(finding.what);
  json.key("why").text(finding.why);
  json.key("do").text(finding.advice);
  json.close_object();
}

}  // namespace

std::string doctor_json(const Diagnosis& diagnosis) {
  Json json;
  json.open_object();
  json.key("status").text(word_for(diagnosis.status()));
  json.key("healthy_nodes").number(diagnosis.healthy_count());
  json.key("quorum").number(diagnosis.quorum());
  json.key("nodes").open_array();
  for (std::size_t i = 0; i < diagnosis.nodes.size(); ++i) add_node(json, diagnosis, i);
  json.close_array();
  json.key("findings").open_array();
  for (const Finding& finding : diagnosis.findings) add_finding(json, diagnosis, finding);
  json.close_array().close_object();
  return json.written() + "\n";
}

}  // namespace tenure::cli
