#include "redis/poll/redis_sessions.hpp"

#include <utility>

namespace tenure::redis {

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
  confirm();
  bool fresh = false;
  while (true) {
    if (!redis_) {
      auto connected = Caller::connect(source_.address, source_.timeout, source_.tls);
      if (!connected) {
        return tl::unexpected(to_text(source_.address) + ": " + connected.error().detail);
      }
      redis_ = std::move(*connected);
      index_.distrust();
      fresh = true;
    }
    auto sessions = read_all();
    if (sessions) return std::move(*sessions);
    redis_.reset();
    // An old connection may have broken long ago; a fresh one has just shown what is wrong.
    if (fresh) return tl::unexpected(to_text(source_.address) + ": " + sessions.error().detail);
  }
}

// Before what is known is compared with anything: a server that took the place of another may count its versions as that one did.
void RedisSessions::confirm() {
  if (!redis_) return;
  const auto moved = redis_->confirm();
  if (!moved) {
    redis_.reset();
  } else if (*moved) {
    index_.distrust();
  }
}

tl::expected<Sessions, core::Failure> RedisSessions::read_all() {
  return source_.find == StoredSessionsOptions::Find::scan ? read_by_scan() : read_by_index();
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

}  // namespace tenure::redis
