// Why nodes give no new leases to us, in words: a quarantine and how long it lasts, another cap, or another set.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/lease/record.hpp"
#include "core/notice.hpp"
#include "redis/text/nodes.hpp"

namespace tenure::redis {

// Whoever waits sits the quarantine out itself, if nobody has begun before; whoever does not is given an estimate.
enum class Patience : std::uint8_t { waits, leaves };
// Of a refusal that shows a record, or whose code is not_open. For one who waits: when it has sat the quarantine out, if
// that is known.
std::string not_open_text(const core::Refusal& refusal, const Nodes& nodes, Patience patience,
                          std::optional<core::Duration> opens_in = std::nullopt);

// How long a quarantine lasts, for one who only sees the record: by the wall clocks, in whole seconds.
struct QuarantineLeft {
  std::optional<core::Duration> if_waited{};  // if a client has been there since it began; nothing: none has
  core::Duration at_most{};                   // after one comes
};
QuarantineLeft quarantine_left(const core::Record& record, std::int64_t wall_now_ms);

// "new grants in 36s if …", of the same.
std::string left_text(const QuarantineLeft& left);

}  // namespace tenure::redis
