// What a long run says while it lasts: how many worlds are done, how fast, and how long the rest will take.
// Pure: it is told the time and prints nothing itself.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace tenure::sim {

class Progress {
 public:
  using Elapsed = std::chrono::milliseconds;  // since the run began

  // A terminal gets one line that is rewritten; a log gets a line a minute.
  enum class Output : std::uint8_t { terminal, log };

  Progress(std::uint64_t worlds, Output output) : worlds_(worlds), output_(output) {}

  // Returns what to write after so many worlds, or nullopt if it is too early to say something again.
  std::optional<std::string> on_worlds(std::uint64_t done, Elapsed elapsed);
  // Returns what to write when the run is over: the rewritten line disappears.
  std::string end() const;

 private:
  std::uint64_t worlds_;
  Output output_;
  Elapsed said_{};
};

}  // namespace tenure::sim
