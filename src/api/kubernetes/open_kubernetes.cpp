// What linking tenure::kubernetes adds: its URLs are stores from then on.
#include "api/open_store.hpp"
#include "kubernetes/net/kubernetes_store.hpp"

void tenure_open_kubernetes(const tenure::ClientOptions& options, tenure::detail::OpenedStore& opened) {
  opened = tenure::kubernetes::open_store(options);
}
