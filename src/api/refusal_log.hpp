// How a refusal is logged: as which event, so that what needs a person is told from what passes, and with which fields.
#pragma once

#include <vector>

#include "runtime/engine/log_events.hpp"
#include "tenure/log.hpp"
#include "tenure/refusal.hpp"

namespace tenure::detail {

// While somebody goes on trying in spite of it.
const runtime::LogEvent& log_event_of(const Refusal& refusal);
// The same of nodes that give no new leases, without a refusal.
const runtime::LogEvent& log_event_of(const NotOpen& not_open);

// reason, and as they apply: holder, holder_token, left_ms, nodes, opens_in_ms.
std::vector<LogField> log_fields_of(const Refusal& refusal);

}  // namespace tenure::detail
