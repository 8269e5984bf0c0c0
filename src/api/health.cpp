// Asks every node at once.
#include <string>
#include <system_error>

#include "api/context.hpp"
#include "core/base/duration_reader.hpp"
#include "tenure/client.hpp"

namespace tenure {

namespace {

runtime::Answers<core::Duration> ping(const runtime::Store& store, core::Duration timeout) {
  try {
    return store.ping(timeout);
  } catch (const std::system_error& error) {
    const core::Failure failure{core::Applied::no, core::FailureCode::unreachable,
                                std::string("this machine refuses: ") + error.what()};
    return runtime::Answers<core::Duration>(store.names().size(), tl::unexpected(failure));
  }
}

}  // namespace

Health Client::health(std::chrono::milliseconds timeout) const {
  const auto& store = *context_->store;
  const auto answers = ping(store, core::saturated(timeout));
  Health health;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    NodeHealth node{store.names()[i], std::nullopt, {}};
    if (answers[i]) {
      node.round_trip = std::chrono::ceil<std::chrono::microseconds>(*answers[i]);
      health.up += 1;
    } else {
      node.detail = answers[i].error().detail;
    }
    health.nodes.push_back(std::move(node));
  }
  health.quorum = health.up >= store.quorum();
  return health;
}

}  // namespace tenure
