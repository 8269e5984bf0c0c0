// In which slot of a Redis Cluster a key lives, and a text that lives in a given slot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tenure::redis {

using Slot = std::uint16_t;  // less than slots
inline constexpr std::size_t slots = 16384;

// By what stands between the first { and the next } if there is anything, otherwise by the whole key.
Slot slot_of(std::string_view key);

// One to four letters and digits whose slot it is: what stands in braces in keys that must be in that slot.
// Records and counters are named by it and outlive every version, so the tag of a slot must never change.
const std::string& tag_of(Slot slot);

}  // namespace tenure::redis
