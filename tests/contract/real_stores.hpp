// Each in a file of its own: what its servers need is not for the other.
#pragma once

#include "contract/store.hpp"

namespace tenure::test {

StoreKind kubernetes_kind();
StoreKind consul_kind();

}  // namespace tenure::test
