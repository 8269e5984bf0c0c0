#include "cli/doctor/doctor_output.hpp"
#include "cli/json.hpp"
#include "core/lease/record.hpp"
#include "redis/record_text.hpp"

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

const char* record_word(const NodeFacts& facts) {
  if (facts.down || !facts.record) return "";
  if (facts.record->empty()) return "absent";
  const auto record = redis::read_record(*facts.record);
  if (!record) return "foreign";
  return record->open ? "open" : "quarantined";
}

void add_node(Json& json, const Diagnosis& diagnosis, std::size_t node) {
  const NodeFacts& facts = diagnosis.facts[node];
  const bool known = !facts.down && facts.info;
  json.open_object();
  json.key("address").text(redis::to_text(facts.address));
  json.key("up").boolean(!facts.down);
  json.key("healthy").boolean(diagnosis.healthy(node));
  const Finding* worst = diagnosis.worst(node);
  json.key("reason").text_or_null(facts.down ? facts.down->detail : worst != nullptr ? worst->what : "");
  json.key("version").text_or_null(known ? facts.info->product() : "");
  json.key("role").text_or_null(known ? facts.info->field("role") : "");
  json.key("round_trip_us").number_or_null(in<std::chrono::microseconds>(facts.round_trip));
  const auto ahead = facts.down ? std::nullopt : in<std::chrono::milliseconds>(facts.clock_ahead);
  json.key("clock_ahead_ms").number_or_null(ahead);
  json.key("record").text_or_null(record_word(facts));
  json.close_object();
}

void add_finding(Json& json, const Diagnosis& diagnosis, const Finding& finding) {
  json.open_object();
  json.key("severity").text(word_for(finding.severity));
  json.key("code").text(finding.code);
  json.key("node").text_or_null(finding.node ? redis::to_text(diagnosis.facts[*finding.node].address) : "");
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
  json.key("quorum").number(diagnosis.nodes.quorum());
  json.key("nodes").open_array();
  for (std::size_t i = 0; i < diagnosis.facts.size(); ++i) add_node(json, diagnosis, i);
  json.close_array();
  json.key("findings").open_array();
  for (const Finding& finding : diagnosis.findings) add_finding(json, diagnosis, finding);
  json.close_array().close_object();
  return json.written() + "\n";
}

}  // namespace tenure::cli
