#include "tenure/session.hpp"

#include <utility>

#include "api/open_store.hpp"
#include "core/base/duration_reader.hpp"
#include "core/base/names.hpp"
#include "postgres/call.hpp"
#include "postgres/poll/postgres_sessions.hpp"
#include "postgres/url.hpp"
#include "redis/key_names.hpp"
#include "redis/poll/redis_sessions.hpp"
#include "redis/text/nodes.hpp"
#include "runtime/usage.hpp"
#include "tenure/fleet.hpp"

namespace tenure {

namespace {

using detail::usage;
using Opened = tl::expected<std::unique_ptr<SessionSource>, Refusal>;

std::optional<std::string> error_in(const StoredSessionsOptions& options) {
  if (auto error = redis::prefix_error(options.tenure_prefix)) return error;
  if (auto error = redis::fleet_error(options.fleet, {options.tenure_prefix})) return error;
  if (auto error = core::name_error("the prefix of sessions", options.prefix);
      error && !options.prefix.empty())
    return error;
  core::DurationReader reader;
  reader.read_positive("timeout", options.timeout);
  return reader.error();
}

poll::Addresses addresses_of(const StoredSessionsOptions& options) {
  return options.http ? poll::Addresses::http : poll::Addresses::any;
}

Opened open_redis(const StoredSessionsOptions& options) {
  auto address = redis::parse_url(options.url.empty() ? "redis://127.0.0.1:6379" : options.url);
  if (!address) return tl::unexpected(usage(std::move(address.error())));
  auto tls = redis::load_tls({*address}, options.tls);
  if (!tls) return tl::unexpected(usage(std::move(tls.error())));
  redis::RedisSessions::Source source{
      .address = std::move(*address),
      .keys = {options.fleet, options.prefix, redis::Keyspace{options.tenure_prefix}.root()},
      .find = options.find,
      .addresses = addresses_of(options),
      .timeout = options.timeout};
  source.tls = std::move(*tls);
  return std::make_unique<redis::RedisSessions>(std::move(source));
}

Opened open_postgresql(const StoredSessionsOptions& options) {
  const auto refuse = [](const char* what) {
    return tl::unexpected(usage(std::string(what) + " is for sessions in Redis, and url names a PostgreSQL"));
  };
  if (options.tls != Tls{}) return refuse("tls");
  if (!options.prefix.empty()) return refuse("prefix");
  if (options.find != StoredSessionsOptions::Find::scan) return refuse("find");
  auto server = detail::open_server(options.url, options.timeout);
  if (!server) return tl::unexpected(usage(std::move(server.error())));
  const std::string root = postgres::Keyspace{.prefix = options.tenure_prefix}.root();
  return std::make_unique<postgres::PostgresSessions>(std::move(*server), root + options.fleet,
                                                      addresses_of(options));
}

}  // namespace

Opened stored_sessions(const StoredSessionsOptions& options) {
  if (auto error = error_in(options)) return tl::unexpected(usage(std::move(*error)));
  return postgres::is_url(options.url) ? open_postgresql(options) : open_redis(options);
}

Opened stored_sessions(const Fleet& fleet, StoredSessionsOptions options) {
  options.fleet = fleet.name();
  options.tenure_prefix = fleet.prefix();
  if (options.url.empty()) {
    if (options.tls != Tls{}) {
      return tl::unexpected(usage("tls is set, and url names no Redis that it is for"));
    }
    auto data = fleet.data();
    options.url = std::move(data.url);
    options.tls = std::move(data.tls);
  }
  return stored_sessions(options);
}

}  // namespace tenure
