// Asks all nodes the same, each over a connection of its own and all at the same time.
#pragma once

#include "redis/net/caller.hpp"
#include "redis/text/nodes.hpp"
#include "runtime/engine/at_once.hpp"
#include "runtime/store/answers.hpp"

namespace tenure::redis {

// What ask(redis, node) gave for each node, or why it could not be asked. Answer is default-constructible.
template <class Answer, class Ask>
runtime::Answers<Answer> ask_all(const Nodes& nodes, core::Duration timeout, const Ask& ask) {
  runtime::Answers<Answer> answers(nodes.addresses.size());
  runtime::at_once(answers.size(), [&](std::size_t i) {
    auto redis = Caller::connect(nodes.addresses[i], timeout, nodes.tls);
    if (redis) {
      answers[i] = ask(*redis, i);
    } else {
      answers[i] = tl::unexpected(redis.error());
    }
  });
  return answers;
}

}  // namespace tenure::redis
