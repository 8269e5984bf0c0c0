#include "tenure/session.hpp"

#include <utility>

#include "core/base/duration_reader.hpp"
#include "core/base/names.hpp"
#include "redis/key_names.hpp"
#include "redis/poll/redis_sessions.hpp"
#include "redis/text/nodes.hpp"
#include "runtime/usage.hpp"
#include "tenure/fleet.hpp"

namespace tenure {

namespace {

using detail::usage;

std::optional<std::string> error_in(const RedisSessionsOptions& options) {
  if (auto error = redis::prefix_error(options.tenure_prefix)) return error;
  if (auto error = redis::fleet_error(options.fleet, {options.tenure_prefix})) return error;
  if (auto error = core::name_error("the prefix of sessions", options.prefix);
      error && !options.prefix.empty())
    return error;
  core::DurationReader reader;
  reader.read_positive("timeout", options.timeout);
  return reader.error();
}

}  // namespace

tl::expected<std::unique_ptr<SessionSource>, Refusal> redis_sessions(const RedisSessionsOptions& options) {
  if (auto error = error_in(options)) return tl::unexpected(usage(std::move(*error)));
  auto address = redis::parse_url(options.url.empty() ? "redis://127.0.0.1:6379" : options.url);
  if (!address) return tl::unexpected(usage(std::move(address.error())));
  auto tls = redis::load_tls({*address}, options.tls);
  if (!tls) return tl::unexpected(usage(std::move(tls.error())));
  redis::RedisSessions::Source source{
      .address = std::move(*address),
      .keys = {options.fleet, options.prefix, redis::Keyspace{options.tenure_prefix}.root()},
      .find = options.find,
      .addresses = options.http ? poll::Addresses::http : poll::Addresses::any,
      .timeout = options.timeout};
  source.tls = std::move(*tls);
  return std::make_unique<redis::RedisSessions>(std::move(source));
}

tl::expected<std::unique_ptr<SessionSource>, Refusal> redis_sessions(const Fleet& fleet,
                                                                     RedisSessionsOptions options) {
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
  return redis_sessions(options);
}

}  // namespace tenure
