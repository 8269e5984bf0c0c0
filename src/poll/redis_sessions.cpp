#include "poll/redis_sessions.hpp"

#include "core/base/duration_reader.hpp"
#include "core/base/names.hpp"
#include "redis/key_names.hpp"
#include "runtime/usage.hpp"
#include "tenure/fleet.hpp"

namespace tenure {

namespace poll {

namespace {

void add(Sessions& sessions, ReadSession read) {
  switch (read.kind) {
    case ReadSession::Kind::absent:
      break;
    case ReadSession::Kind::good:
      sessions.good.push_back(std::move(read.session));
      break;
    case ReadSession::Kind::bad:
      sessions.bad.push_back({std::move(read.session.id), std::move(read.why)});
      break;
  }
}

}  // namespace

RedisSessions::RedisSessions(Source source)
    : source_(std::move(source)), index_(source_.keys, source_.addresses) {}

tl::expected<Sessions, std::string> RedisSessions::read() {
  bool fresh = false;
  while (true) {
    if (!redis_) {
      auto connected = redis::Caller::connect(source_.address, source_.timeout, source_.tls);
      if (!connected) {
        return tl::unexpected(redis::to_text(source_.address) + ": " + connected.error().detail);
      }
      redis_ = std::move(*connected);
      index_.distrust();
      fresh = true;
    }
    auto sessions = read_all();
    if (sessions) return std::move(*sessions);
    redis_.reset();
    // An old connection may have broken long ago; a fresh one has just shown what is wrong.
    if (fresh) return tl::unexpected(redis::to_text(source_.address) + ": " + sessions.error().detail);
  }
}

tl::expected<Sessions, core::Failure> RedisSessions::read_all() {
  return source_.find == RedisSessionsOptions::Find::scan ? read_by_scan() : read_by_index();
}

tl::expected<Sessions, core::Failure> RedisSessions::read_by_scan() {
  const auto ids = scan_sessions(*redis_, source_.keys);
  if (!ids) return tl::unexpected(ids.error());
  auto found = read_sessions(*redis_, source_.keys, *ids, source_.addresses);
  if (!found) return tl::unexpected(found.error());
  Sessions sessions;
  for (auto& it : *found) add(sessions, std::move(it));
  return sessions;
}

tl::expected<Sessions, core::Failure> RedisSessions::read_by_index() {
  if (auto updated = index_.update(*redis_); !updated) return tl::unexpected(updated.error());
  Sessions sessions;
  for (const auto& [id, known] : index_.known()) add(sessions, known.session);
  return sessions;
}

}  // namespace poll

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
  auto address = redis::parse_url(options.url);
  if (!address) return tl::unexpected(usage(std::move(address.error())));
  poll::RedisSessions::Source source{
      .address = std::move(*address),
      .keys = {options.fleet, options.prefix, redis::Keyspace{options.tenure_prefix}.root()},
      .find = options.find,
      .addresses = options.http ? poll::Addresses::http : poll::Addresses::any,
      .timeout = options.timeout};
  if (source.address.tls) {
    auto loaded = runtime::Tls::load(options.tls);
    if (!loaded) return tl::unexpected(usage(std::move(loaded.error())));
    source.tls = std::move(*loaded);
  }
  return std::make_unique<poll::RedisSessions>(std::move(source));
}

tl::expected<std::unique_ptr<SessionSource>, Refusal> redis_sessions(const Fleet& fleet,
                                                                     RedisSessionsOptions options) {
  options.fleet = fleet.name();
  options.tenure_prefix = fleet.prefix();
  return redis_sessions(options);
}

}  // namespace tenure
