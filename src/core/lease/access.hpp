// Who is kept out: wrong credentials, missing rights, a certificate that is not believed, a server that cannot keep leases.
// Trying again does not help against these, unlike against a node that is away.
#pragma once

#include <cstddef>
#include <vector>

#include "core/notice.hpp"

namespace tenure::core {

bool denies_access(const Failure& failure);

// So many nodes keep us out that the others are no majority.
bool majority_denies_access(const std::vector<NodeFailure>& failures, std::size_t nodes);

}  // namespace tenure::core
