// The one place of the API that knows which stores there are: each has a line here, by the scheme of its URLs.
#include "api/open_store.hpp"

#include <algorithm>

#include "consul/scheme.hpp"
#include "kubernetes/url.hpp"
#include "postgres/url.hpp"
#include "redis/net/redis_store.hpp"

namespace tenure::detail {

namespace {

std::string linked_without_postgresql() {
  return "this program was linked without PostgreSQL: link tenure::postgresql (tenure-postgresql.pc)";
}

OpenedStore open_postgresql(const ClientOptions& options) {
  if (!std::ranges::all_of(options.nodes, postgres::is_url)) {
    return tl::unexpected(std::string("some nodes are PostgreSQL and some are not: all must be of one kind"));
  }
  if (&tenure_open_postgresql == nullptr) {
    return tl::unexpected(linked_without_postgresql());
  }
  OpenedStore opened;
  tenure_open_postgresql(options, opened);
  return opened;
}

OpenedStore open_kubernetes(const ClientOptions& options) {
  if (&tenure_open_kubernetes == nullptr) {
    return tl::unexpected(std::string(
        "this program was linked without Kubernetes: link tenure::kubernetes (tenure-kubernetes.pc)"));
  }
  OpenedStore opened;
  tenure_open_kubernetes(options, opened);
  return opened;
}

OpenedStore open_consul(const ClientOptions& options) {
  if (&tenure_open_consul == nullptr) {
    return tl::unexpected(
        std::string("this program was linked without Consul: link tenure::consul (tenure-consul.pc)"));
  }
  OpenedStore opened;
  tenure_open_consul(options, opened);
  return opened;
}

}  // namespace

OpenedStore open_store(const ClientOptions& options) {
  if (std::ranges::any_of(options.nodes, postgres::is_url)) return open_postgresql(options);
  if (std::ranges::any_of(options.nodes, kubernetes::is_url)) return open_kubernetes(options);
  if (std::ranges::any_of(options.nodes, consul::is_url)) return open_consul(options);
  // Also what no store knows: it says which schemes there are.
  return redis::open_store(options);
}

OpenedServer open_server(const std::string& url, core::Duration timeout) {
  if (&tenure_open_server == nullptr) return tl::unexpected(linked_without_postgresql());
  OpenedServer opened;
  tenure_open_server(url, timeout, opened);
  return opened;
}

bool same_postgresql(const std::string& one, const std::string& other) {
  const auto server = open_server(one, {});
  const auto beside = open_server(other, {});
  return server && beside && (*server)->place() == (*beside)->place();
}

}  // namespace tenure::detail
