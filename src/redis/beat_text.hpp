// A heartbeat as Redis keeps it: the value of the instance's key, in JSON, for people and for other instances.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/fleet/beat.hpp"

namespace tenure::redis {

// What the text of every beat of that process begins with.
std::string beat_opening(std::string_view boot);
std::string beat_text(const core::Beat& beat);
// Reads a beat of any version: what is not known is skipped, and what is missing is as it is usual. Returns nullopt for what
// is no beat.
std::optional<core::Beat> read_beat(std::string_view text);

}  // namespace tenure::redis
