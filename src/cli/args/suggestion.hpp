// The word that somebody probably meant.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tenure::cli {

// How many letters must be changed, added, left out or swapped with their neighbour to turn one word into the other.
std::size_t edits_between(std::string_view one, std::string_view other);

// The nearest of the known words: at most two edits away, or one that begins with what was typed. Nothing where so little
// was typed that it could mean anything.
std::optional<std::string> nearest(std::string_view typed, std::span<const std::string> known);

// "; did you mean lock?", or nothing.
std::string did_you_mean(std::string_view typed, std::span<const std::string> known);

}  // namespace tenure::cli
