// Why nodes give no new leases to us, in words: a quarantine and how long it lasts, or another cap.
#pragma once

#include <cstdint>
#include <string>

#include "core/record.hpp"
#include "runtime/nodes.hpp"

namespace tenure::runtime {

// Of the record that a node showed, as it is there. Whoever waits sits the quarantine out itself, if nobody has
// begun before; whoever does not is given an estimate.
enum class Patience : std::uint8_t { waits, leaves };
std::string not_open_text(const std::string& record, const Nodes& nodes, Patience patience);

// How long until new grants, by the wall clocks: an estimate, in whole seconds.
core::Duration quarantine_left(const core::Record& record, std::int64_t wall_now_ms);

}  // namespace tenure::runtime
