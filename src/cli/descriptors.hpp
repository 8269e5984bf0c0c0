// Are there enough file descriptors for a command that stays? Whoever runs out of them halfway could neither renew a
// lease nor look for the processes that it has to end: better to begin nothing.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace tenure::cli {

// Of a command that stays: its timers and signals, a look into /proc, and the connections to each node.
constexpr std::size_t descriptors_to_stay(std::size_t nodes) { return 16 + 5 * nodes; }

// A sentence for a person where the kernel does not give so many more than are open now.
std::optional<std::string> lack_of_descriptors(std::size_t wanted);

// What to do about EMFILE or ENFILE; nothing of any other error.
std::optional<std::string> descriptors_hint(int error);

}  // namespace tenure::cli
