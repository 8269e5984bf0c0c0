// One run: a world, a schedule of faults, and the judgement on what came of it.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "faults/journal.hpp"
#include "faults/report.hpp"
#include "support/paths.hpp"

namespace tenure::faults {

struct RunOptions {
  Crowd crowd{};
  std::uint64_t seed = 1;
  core::Duration length = std::chrono::seconds(120);
  std::string program = test::paths::program;
  // Now and then somebody writes with the token of an earlier owner: the judge must see it.
  bool mistake = false;
  const std::atomic<bool>* interrupted = nullptr;
};

// Throws std::runtime_error where the run cannot go on. One that was interrupted says what it has seen so far.
Report run(const RunOptions& options, Journal& journal);

}  // namespace tenure::faults
