// Asks all nodes the same, each over a connection of its own and all at the same time.
#pragma once

#include <tl/expected.hpp>
#include <vector>

#include "cli/nodes/nodes.hpp"
#include "core/notice.hpp"
#include "redis/net/caller.hpp"
#include "runtime/engine/at_once.hpp"

namespace tenure::cli {

inline constexpr core::Duration ask_timeout = std::chrono::seconds(2);

// What ask(redis, node) gave for each node, or why it could not be asked. Answer is default-constructible.
template <class Answer, class Ask>
std::vector<tl::expected<Answer, core::Failure>> ask_all(const Nodes& nodes, const Ask& ask) {
  std::vector<tl::expected<Answer, core::Failure>> answers(nodes.addresses.size());
  runtime::at_once(answers.size(), [&](std::size_t i) {
    auto redis = redis::Caller::connect(nodes.addresses[i], ask_timeout, nodes.tls);
    if (redis) {
      answers[i] = ask(*redis, i);
    } else {
      answers[i] = tl::unexpected(redis.error());
    }
  });
  return answers;
}

template <class Answer>
std::vector<core::NodeFailure> failures_in(const std::vector<tl::expected<Answer, core::Failure>>& answers) {
  std::vector<core::NodeFailure> failures;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (!answers[i]) failures.push_back({static_cast<core::NodeIndex>(i), answers[i].error()});
  }
  return failures;
}

}  // namespace tenure::cli
