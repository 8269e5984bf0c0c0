// The one place of the API that knows which stores there are: each has a line here, by the scheme of its URLs.
#include "api/open_store.hpp"

#include <algorithm>
#include <string_view>

#include "consul/scheme.hpp"
#include "kubernetes/url.hpp"
#include "postgres/url.hpp"
#include "redis/net/redis_store.hpp"

namespace tenure::detail {

namespace {

std::string linked_without(const std::string& name, const std::string& component) {
  return "this program was linked without " + name + ": link tenure::" + component + " (tenure-" + component +
         ".pc)";
}

// Null: the program was linked without it.
using Open = void (*)(const ClientOptions& options, OpenedStore& opened);

struct Known {
  bool (*is_url)(std::string_view url);
  std::string name;
  std::string component;
  Open open;
};

OpenedStore open_by(const Known& known, const ClientOptions& options) {
  if (!std::ranges::all_of(options.nodes, known.is_url)) {
    return tl::unexpected("some nodes are " + known.name + " and some are not: all must be of one kind");
  }
  if (known.open == nullptr) return tl::unexpected(linked_without(known.name, known.component));
  OpenedStore opened;
  known.open(options, opened);
  return opened;
}

}  // namespace

OpenedStore open_store(const ClientOptions& options) {
  const Known others[] = {
      {postgres::is_url, "PostgreSQL", "postgresql", &tenure_open_postgresql},
      {kubernetes::is_url, "Kubernetes", "kubernetes", &tenure_open_kubernetes},
      {consul::is_url, "Consul", "consul", &tenure_open_consul},
  };
  for (const Known& known : others) {
    if (std::ranges::any_of(options.nodes, known.is_url)) return open_by(known, options);
  }
  // Also what no store knows: it says which schemes there are.
  return redis::open_store(options);
}

OpenedServer open_server(const std::string& url, core::Duration timeout) {
  if (&tenure_open_server == nullptr) return tl::unexpected(linked_without("PostgreSQL", "postgresql"));
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
