#include "cli/endpoint/readiness.hpp"

#include "core/base/text.hpp"
#include "core/nodes.hpp"

namespace tenure::cli {

std::string Readiness::text() const {
  std::string lines = is_ready() ? "ready: " : "not ready: ";
  lines += std::to_string(ready) + " of " + std::to_string(nodes) +
           (nodes == 1 ? " node gives leases" : " nodes give leases") + ", " + std::to_string(needed) +
           (needed == 1 ? " is needed\n" : " are needed\n");
  for (const auto& it : closed) lines += it.node + ": " + core::printable(it.why, 400) + "\n";
  return lines;
}

Readiness readiness_of(const NodesClosed& nodes, const std::vector<std::string>& names) {
  Readiness readiness{.needed = core::quorum_of(names.size()), .nodes = names.size()};
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (!nodes[i]) {
      readiness.closed.push_back({names[i], nodes[i].error().detail});
    } else if (const auto& closed = *nodes[i]) {
      readiness.closed.push_back({names[i], closed->what});
    } else {
      readiness.ready += 1;
    }
  }
  return readiness;
}

}  // namespace tenure::cli
