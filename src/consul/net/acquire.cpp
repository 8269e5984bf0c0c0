// A lease is given by one transaction: it compares the record, and locks the key with our session where nobody has it. The number of
// that change is the token.
#include "consul/failure.hpp"
#include "consul/net/desk.hpp"
#include "consul/session_text.hpp"

namespace tenure::consul {

namespace {

// Each time somebody else was quicker, or something has ended meanwhile.
constexpr int tries_max = 6;
// How soon to look again where Consul gives a key to nobody, because the session that had it has ended.
constexpr core::Ttl delay_looked_at_every = std::chrono::seconds(1);

using Entries = tl::expected<std::optional<Entry>, core::Failure>;

Task<Entries> read_key(Desk& desk, const std::string& key) {
  Transaction reads;
  reads.get(key);
  auto answer = co_await desk.talk.read(desk.owner, reads);
  if (!answer) co_return tl::unexpected(before_all(std::move(answer.error())));
  const Entry* entry = answer->find(key);
  co_return entry == nullptr ? std::nullopt : std::optional(*entry);
}

bool says(const TransactionAnswer& answer, std::string_view words) {
  for (const auto& it : answer.refused) {
    if (it.what.find(words) != std::string::npos) return true;
  }
  return false;
}

bool refuses(const TransactionAnswer& answer, std::size_t operation) {
  for (const auto& it : answer.refused) {
    if (it.operation == operation) return true;
  }
  return false;
}

Task<core::Reply> held(Desk& desk, const core::AcquireRequest& request, const Entry& entry) {
  OtherHolder other;
  if (!entry.session.empty() && !lease_in(entry)) {
    auto asked =
        desk.talk.call(desk.owner, "GET", "/v1/session/info/" + http_client::url_escaped(entry.session));
    auto answer = co_await asked;
    // It is for people: without a right to read sessions the number has to do.
    if (answer && answer->status == 200) {
      if (auto session = read_session(answer->body); session && *session) other = std::move(**session);
    }
  }
  if (request.ticket) desk.shared.wait_for(request.key, entry.modified, *request.ticket);
  co_return held_by(entry, other);
}

core::Reply granted(Desk& desk, const core::AcquireRequest& request, core::Token token, Index modified,
                    const std::string& session) {
  desk.shared.see(token);
  desk.shared.hold(request.key, {request.grant, modified, session, request.ttl, desk.now});
  if (request.ticket) desk.shared.wait_no_more(*request.ticket);
  return core::Granted{token};
}

// Of who asks again for what it was given: the same token, for the whole time. Nothing: look again.
Task<std::optional<core::Reply>> repeated(Desk& desk, const core::AcquireRequest& request, const Entry& entry,
                                          const Lease& lease) {
  const core::Token token = lease.token_at(entry.modified);
  if (lease.ttl >= request.ttl) {
    const auto renewed = co_await renew_session(desk, entry.session);
    if (!renewed) co_return renewed.error();
    if (!*renewed) co_return std::nullopt;
    co_return granted(desk, request, token, entry.modified, entry.session);
  }
  // Its session would end too soon: it moves to another one.
  auto session = co_await session_for(desk, request.ttl, std::string(request.grant.owner()));
  if (!session) co_return std::move(session.error());
  Transaction writes;
  writes.check_index(request.key, entry.modified).remove(request.key);
  writes.lock(request.key, lease_text({request.grant, request.ttl, 0, token}), *session);
  desk.wrote = true;
  auto answer = co_await desk.talk.write(desk.owner, writes);
  if (!answer) co_return std::move(answer.error());
  const Entry* moved = answer->find_last(request.key);
  if (!answer->done() || moved == nullptr) co_return std::nullopt;
  co_return granted(desk, request, token, moved->modified, *session);
}

// The data is older than what we have seen of it: what it has given us may be another's. Until that is deleted it may be locked by us,
// whatever else fails.
Task<core::Reply> give_back(Desk& desk, const core::AcquireRequest& request, const std::string& session,
                            Index modified) {
  Entry given{request.key, {}, lock_flags, session, modified};
  const auto removed = co_await remove(desk, std::move(given));
  if (!removed) {
    core::Failure failure = removed.error();
    failure.applied = core::Applied::perhaps;
    co_return failure;
  }
  if (!*removed) {
    co_return core::Failure{core::Applied::perhaps, core::FailureCode::busy,
                            "the data of this Consul went back, and what it gave could not be given back"};
  }
  auto admitted = co_await admit(desk, WentBack::seen);
  if (!admitted) co_return std::move(admitted.error());
  co_return core::NotOpen{desk.standing.found()};
}

}  // namespace

Task<core::Reply> acquire(Desk desk, core::AcquireRequest request) {
  const Keys& keys = desk.keys();
  std::optional<Index> unlocked;  // nothing: there is no such key
  for (int tries = 0; tries < tries_max; ++tries) {
    if (!desk.is_open()) {
      // It may be open by now.
      auto admitted = co_await admit(desk);
      if (!admitted) co_return std::move(admitted.error());
      if (!desk.is_open()) co_return core::NotOpen{desk.standing.found()};
    }
    auto session = co_await session_for(desk, request.ttl, std::string(request.grant.owner()));
    if (!session) co_return std::move(session.error());

    const StoredRecord record = *desk.standing.stored;
    Transaction writes;
    writes.check_index(keys.record(), desk.standing.index).check_present(keys.epoch(record.record.epoch));
    if (unlocked) {
      writes.check_index(request.key, *unlocked);
    } else {
      writes.check_absent(request.key);
    }
    writes.get(keys.fence());
    writes.lock(request.key, lease_text({request.grant, request.ttl, record.base, std::nullopt}), *session);
    writes.set(keys.fence(), fence_text(0, desk.shared.random().hex16()));
    desk.wrote = true;
    // What others are given meanwhile it need not show.
    const core::Token seen = desk.shared.seen();
    auto answer = co_await desk.talk.write(desk.owner, writes);
    if (!answer) co_return std::move(answer.error());
    if (answer->done()) {
      const Entry* lock = answer->find_last(request.key);
      if (lock == nullptr) co_return core::misfit;
      const Entry* fence = answer->find(keys.fence());
      const bool first = fence != nullptr && fence->modified == lock->modified;
      if (is_behind(record, first ? nullptr : fence, seen)) {
        auto reply = co_await give_back(desk, request, *session, lock->modified);
        co_return reply;
      }
      co_return granted(desk, request, record.base + lock->modified, lock->modified, *session);
    }
    if (says(*answer, "ermission denied")) co_return classify(403, answer->refused.front().what);
    if (refuses(*answer, 0) || refuses(*answer, 1)) {
      auto admitted = co_await admit(desk);
      if (!admitted) co_return std::move(admitted.error());
      continue;
    }
    if (says(*answer, "invalid session")) {
      desk.shared.forget_session(*session);
      continue;
    }
    if (says(*answer, "due to lock delay")) {
      co_return core::Held{{"nobody: the lock-delay of a session that has ended", 0}, delay_looked_at_every};
    }
    auto found = co_await read_key(desk, request.key);
    if (!found) co_return std::move(found.error());
    unlocked.reset();
    if (!*found) continue;
    const Entry& entry = **found;
    const auto lease = lease_in(entry);
    if (lease && lease->grant == request.grant) {
      auto reply = co_await repeated(desk, request, entry, *lease);
      if (reply) co_return std::move(*reply);
      continue;
    }
    if (lease && desk.shared.is_orphan(request.key, lease->grant)) {
      // Nobody's any more: its release was not carried out, or it was given behind it.
      const auto removed = co_await remove(desk, entry);
      if (!removed) co_return removed.error();
      continue;
    }
    if (!entry.session.empty() || entry.flags != lock_flags) {
      auto reply = co_await held(desk, request, entry);
      co_return reply;
    }
    unlocked = entry.modified;
  }
  co_return core::Failure{core::Applied::perhaps, core::FailureCode::busy,
                          "others change the key faster than it can be locked"};
}

}  // namespace tenure::consul
