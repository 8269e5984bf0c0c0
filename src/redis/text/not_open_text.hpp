// Why nodes give no new leases to us, in words: a quarantine and how long it lasts, another cap, or another set.
#pragma once

#include <optional>

#include "core/notice.hpp"
#include "redis/text/nodes.hpp"
#include "runtime/store/store.hpp"

namespace tenure::redis {

// See runtime::Store::not_open_text().
runtime::NotOpenText not_open_text(const core::Refusal& refusal, const Nodes& nodes,
                                   runtime::Patience patience,
                                   std::optional<core::Duration> opens_in = std::nullopt);

}  // namespace tenure::redis
