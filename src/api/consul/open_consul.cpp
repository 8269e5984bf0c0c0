// What linking tenure::consul adds: its URLs are stores from then on.
#include "api/open_store.hpp"
#include "consul/net/consul_store.hpp"

void tenure_open_consul(const tenure::ClientOptions& options, tenure::detail::OpenedStore& opened) {
  opened = tenure::consul::open_store(options);
}
