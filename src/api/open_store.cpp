// The one place of the API that knows which stores there are: each has a line here, by the scheme of its URLs.
#include "api/open_store.hpp"

#include "redis/net/redis_store.hpp"

namespace tenure::detail {

tl::expected<std::shared_ptr<const runtime::Store>, std::string> open_store(const ClientOptions& options) {
  // Also what no store knows: it says which schemes there are.
  return redis::open_store(options);
}

}  // namespace tenure::detail
