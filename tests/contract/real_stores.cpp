// Stores whose servers are not everywhere (./dev test-stores).
#include "contract/real_stores.hpp"

namespace tenure::test {

std::vector<StoreKind> all_stores() { return {kubernetes_kind(), consul_kind()}; }

}  // namespace tenure::test
