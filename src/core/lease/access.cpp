#include "core/lease/access.hpp"

#include <set>

#include "core/nodes.hpp"

namespace tenure::core {

bool denies_access(const Failure& failure) {
  return failure.code == FailureCode::auth || failure.code == FailureCode::no_permission ||
         failure.code == FailureCode::tls || failure.code == FailureCode::not_set_up ||
         failure.code == FailureCode::unsupported;
}

bool majority_denies_access(const std::vector<NodeFailure>& failures, std::size_t nodes) {
  std::set<NodeIndex> closed_to_us;
  for (const auto& [node, failure] : failures) {
    if (denies_access(failure)) closed_to_us.insert(node);
  }
  return nodes - closed_to_us.size() < quorum_of(nodes);
}

}  // namespace tenure::core
