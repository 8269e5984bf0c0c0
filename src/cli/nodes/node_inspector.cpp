#include "cli/nodes/node_inspector.hpp"

#include "cli/ask_all.hpp"

namespace tenure::cli {

namespace {

// Whoever asks whether we are ready seldom waits for more than a few seconds.
constexpr core::Duration patience_of_probes = std::chrono::seconds(1);

}  // namespace

Readiness NodeInspector::readiness() const {
  return readiness_of(look_at_records(patience_of_probes), names());
}

ClosedNodes NodeInspector::closed_nodes() const {
  return closed_among(look_at_records(ask_timeout), how_to_init());
}

}  // namespace tenure::cli
