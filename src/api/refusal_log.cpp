#include "api/refusal_log.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace tenure::detail {

namespace {

namespace log_event = runtime::log_event;

std::uint64_t count_of(std::chrono::milliseconds time) {
  return static_cast<std::uint64_t>(std::max(time, std::chrono::milliseconds(0)).count());
}

}  // namespace

const runtime::LogEvent& log_event_of(const NotOpen& not_open) {
  // New nodes open by themselves, too, only later than `tenure init` would open them.
  const bool passes = not_open.why == NotOpen::Why::quarantine || not_open.why == NotOpen::Why::no_record;
  return passes ? log_event::quarantine : log_event::not_open;
}

const runtime::LogEvent& log_event_of(const Refusal& refusal) {
  if (refusal.denied) return log_event::access_denied;
  if (refusal.not_open) return log_event_of(*refusal.not_open);
  if (refusal.code == Refusal::Code::not_open) return log_event::quarantine;
  return refusal.holder ? log_event::name_held : log_event::no_quorum;
}

std::vector<LogField> log_fields_of(const Refusal& refusal) {
  std::vector<LogField> fields;
  const auto reason = refusal.not_open ? to_string(refusal.not_open->why) : to_string(refusal.code);
  fields.push_back({"reason", std::string(refusal.denied ? "denied" : reason)});
  if (refusal.holder) {
    fields.push_back({"holder", refusal.holder->owner});
    fields.push_back({"holder_token", refusal.holder->token});
    if (refusal.holder->left) fields.push_back({"left_ms", count_of(*refusal.holder->left)});
  }
  std::string nodes;
  for (const auto& node : refusal.failed) nodes += (nodes.empty() ? "" : ",") + node.address;
  if (!nodes.empty()) fields.push_back({"nodes", std::move(nodes)});
  if (refusal.opens_in) fields.push_back({"opens_in_ms", count_of(*refusal.opens_in)});
  return fields;
}

}  // namespace tenure::detail
