// Asks all nodes the same, each over a connection of its own and all at the same time: one that does not answer
// costs the others nothing.
#pragma once

#include <optional>
#include <thread>
#include <tl/expected.hpp>
#include <vector>

#include "cli/nodes.hpp"
#include "core/message.hpp"
#include "runtime/caller.hpp"

namespace tenure::cli {

inline constexpr core::Duration ask_timeout = std::chrono::seconds(2);

// What ask(redis, node) gave for each node, or why it could not be asked. Answer is default-constructible.
template <class Answer, class Ask>
std::vector<tl::expected<Answer, core::Failure>> ask_all(const Nodes& nodes, const Ask& ask) {
  std::vector<tl::expected<Answer, core::Failure>> answers(nodes.addresses.size());
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    threads.emplace_back([&, i] {
      auto redis = runtime::Caller::connect(nodes.addresses[i], ask_timeout, nodes.tls);
      if (redis) {
        answers[i] = ask(*redis, i);
      } else {
        answers[i] = tl::unexpected(redis.error());
      }
    });
  }
  threads.clear();  // waits for each
  return answers;
}

}  // namespace tenure::cli
