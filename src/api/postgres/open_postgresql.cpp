// What linking tenure::postgresql adds: its URLs are stores from then on.
#include "api/open_store.hpp"
#include "postgres/net/postgres_store.hpp"

void tenure_open_postgresql(const tenure::ClientOptions& options, tenure::detail::OpenedStore& opened) {
  opened = tenure::postgres::open_store(options);
}
