// What linking tenure::postgresql adds: its URLs are stores from then on.
#include "api/open_store.hpp"
#include "postgres/net/asked_server.hpp"
#include "postgres/net/postgres_store.hpp"

void tenure_open_postgresql(const tenure::ClientOptions& options, tenure::detail::OpenedStore& opened) {
  opened = tenure::postgres::open_store(options);
}

void tenure_open_server(const std::string& url, tenure::core::Duration timeout,
                        tenure::detail::OpenedServer& opened) {
  opened = tenure::postgres::parse_url(url).map([&](tenure::postgres::Address&& address) {
    return tenure::postgres::server_at(std::move(address), timeout);
  });
}
