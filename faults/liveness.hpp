// Whether everything is owned and at work again: every lock client had the lock, somebody leads, and the instances that run
// share all sessions evenly and poll them.
#pragma once

#include <optional>
#include <string>

#include "faults/world.hpp"

namespace tenure::faults {

// What is still missing since then, as a sentence; nothing: all is well.
std::optional<std::string> missing(World& world, core::Time since);

}  // namespace tenure::faults
