// Asks all nodes the same, as long as a person at a terminal likes to wait.
#pragma once

#include "cli/nodes/nodes.hpp"
#include "redis/net/ask_all.hpp"
#include "runtime/store/answers.hpp"

namespace tenure::cli {

inline constexpr core::Duration ask_timeout = std::chrono::seconds(2);

// See redis::ask_all().
template <class Answer, class Ask>
runtime::Answers<Answer> ask_all(const Nodes& nodes, const Ask& ask) {
  return redis::ask_all<Answer>(nodes, ask_timeout, ask);
}

using runtime::failures_in;

}  // namespace tenure::cli
