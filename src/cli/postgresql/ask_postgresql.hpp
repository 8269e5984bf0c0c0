// Asks all nodes of PostgreSQL the same, as long as a person at a terminal likes to wait.
#pragma once

#include "cli/ask_all.hpp"
#include "cli/postgresql/postgresql_nodes.hpp"
#include "postgres/net/caller.hpp"
#include "runtime/engine/at_once.hpp"
#include "runtime/store/answers.hpp"

namespace tenure::cli {

// All at the same time, each over a connection of its own: ask(server, node) gives a tl::expected<Answer, core::Failure>.
template <class Answer, class Ask>
runtime::Answers<Answer> ask_postgresql(const PostgresqlNodes& nodes, const Ask& ask) {
  runtime::Answers<Answer> answers(nodes.addresses.size());
  runtime::at_once(answers.size(), [&](std::size_t i) {
    auto server = postgres::Caller::connect(nodes.addresses[i], ask_timeout);
    if (server) {
      answers[i] = ask(*server, i);
    } else {
      answers[i] = tl::unexpected(std::move(server.error()));
    }
  });
  return answers;
}

}  // namespace tenure::cli
