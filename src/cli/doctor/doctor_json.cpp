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

template <class Unit>
void number_or_null(Json& json, std::string_view key, std::optional<core::Duration> duration) {
  json.key(key);
  if (duration) {
    json.number(std::chrono::duration_cast<Unit>(*duration).count());
  } else {
    json.null();
  }
}

void text_or_null(Json& json, std::string_view key, std::string_view text) {
  json.key(key);
  if (text.empty()) {
    json.null();
  } else {
    json.text(text);
  }
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
  text_or_null(json, "reason", facts.down ? facts.down->detail : worst != nullptr ? worst->what : "");
  text_or_null(json, "version", known ? facts.info->product() : "");
  text_or_null(json, "role", known ? facts.info->field("role") : "");
  number_or_null<std::chrono::microseconds>(json, "round_trip_us", facts.round_trip);
  const bool has_clock = !facts.down && facts.clock_ahead;
  number_or_null<std::chrono::milliseconds>(json, "clock_ahead_ms",
                                            has_clock ? std::optional(*facts.clock_ahead) : std::nullopt);
  text_or_null(json, "record", record_word(facts));
  json.close_object();
}

void add_finding(Json& json, const Diagnosis& diagnosis, const Finding& finding) {
  json.open_object();
  json.key("severity").text(word_for(finding.severity));
  json.key("code").text(finding.code);
  text_or_null(json, "node", finding.node ? redis::to_text(diagnosis.facts[*finding.node].address) : "");
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
  json.key("healthy_nodes").number(static_cast<std::int64_t>(diagnosis.healthy_count()));
  json.key("quorum").number(static_cast<std::int64_t>(diagnosis.nodes.quorum()));
  json.key("nodes").open_array();
  for (std::size_t i = 0; i < diagnosis.facts.size(); ++i) add_node(json, diagnosis, i);
  json.close_array();
  json.key("findings").open_array();
  for (const Finding& finding : diagnosis.findings) add_finding(json, diagnosis, finding);
  json.close_array().close_object();
  return json.written() + "\n";
}

}  // namespace tenure::cli
