// The result of a poll as it is stored and told: one line of JSON.
#pragma once

#include <cstdint>
#include <string>

#include "poll/schedule.hpp"
#include "tenure/poller.hpp"

namespace tenure::poll {

struct PollResult {
  std::string session{};
  std::string instance{};
  std::uint64_t token = 0;
  WallTime at{};  // when it ended
  Milliseconds took{};
  PollOutcome outcome{};
};

// {"session", "instance", "token", "at" and "took_ms" in milliseconds, "ok", "status", "error", "body"}. Of a long body
// only so many bytes.
std::string result_text(const PollResult& result, std::size_t body_max);

}  // namespace tenure::poll
