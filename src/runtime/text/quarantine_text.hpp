// How long nodes give no new leases because they may have forgotten some, for one who only sees their record.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/time.hpp"
#include "core/lease/record.hpp"

namespace tenure::runtime {

// By the wall clocks, in whole seconds.
struct QuarantineLeft {
  std::optional<core::Duration> if_waited{};  // if a client has been there since it began; nothing: none has
  core::Duration at_most{};                   // after one comes
};
QuarantineLeft quarantine_left(const core::Record& record, std::int64_t wall_now_ms);

// "new grants in 36s if …", of the same.
std::string left_text(const QuarantineLeft& left);

// "within 36s": at least a second.
std::string within_text(core::Duration duration);

}  // namespace tenure::runtime
