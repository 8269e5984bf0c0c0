// A lease is given by one transaction: it compares the record, and locks the key with our session where nobody has it. The number of
// that change is the token.
#include <utility>

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

core::Reply granted(Desk& desk, const core::AcquireRequest& request, core::Token token, const Entry& entry) {
  desk.shared.see(token);
  desk.shared.hold(entry, request.grant, request.ttl, desk.now);
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
    co_return granted(desk, request, token, entry);
  }
  // Its session would end too soon: it moves to another one.
  auto session = co_await session_for(desk, request.ttl, std::string(request.grant.owner()));
  if (!session) co_return std::move(session.error());
  Transaction writes;
  writes.check_same(request.key, entry.modified, entry.session).remove(request.key);
  writes.lock(request.key, lease_text({request.grant, request.ttl, 0, token}), *session);
  desk.wrote = true;
  auto answer = co_await desk.talk.write(desk.owner, writes);
  if (!answer) co_return std::move(answer.error());
  const Entry* moved = answer->find_last(request.key);
  if (!answer->done() || moved == nullptr) co_return std::nullopt;
  co_return granted(desk, request, token, *moved);
}

// The data is older than what we have seen of it: what it has given us may be another's. Until that is deleted it may be locked by us,
// whatever else fails.
Task<core::Reply> give_back(Desk& desk, const Entry& given) {
  const auto removed = co_await remove(desk, given);
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

// What is to be done with a key that somebody has, or had.
struct Found {
  std::optional<core::Reply> reply{};  // that was all
  std::optional<Index> unlocked{};     // it can be locked there; nothing: there is no such key
};

Task<tl::expected<Found, core::Failure>> look_at(Desk& desk, const core::AcquireRequest& request) {
  auto read = co_await read_key(desk, request.key);
  if (!read) co_return tl::unexpected(std::move(read.error()));
  Found found;
  if (!*read) co_return found;
  const Entry& entry = **read;
  const auto lease = lease_in(entry);
  if (lease && lease->grant == request.grant) {
    found.reply = co_await repeated(desk, request, entry, *lease);
  } else if (lease && desk.shared.is_orphan(request.key, lease->grant)) {
    // Nobody's any more: its release was not carried out, or it was given behind it. Otherwise the next look finds it.
    const auto removed = co_await remove(desk, entry);
    if (!removed) co_return tl::unexpected(removed.error());
  } else if (!entry.session.empty() || entry.flags != lock_flags) {
    found.reply = co_await held(desk, request, entry);
  } else {
    found.unlocked = entry.modified;
  }
  co_return found;
}

Transaction transaction_for(Desk& desk, const core::AcquireRequest& request, std::optional<Index> unlocked,
                            const std::string& session) {
  const Keys& keys = desk.keys();
  Transaction writes;
  writes.check_index(keys.record(), desk.standing.index);
  writes.check_present(keys.epoch(desk.standing.stored->record.epoch));
  if (unlocked) {
    writes.check_index(request.key, *unlocked);
  } else {
    writes.check_absent(request.key);
  }
  writes.get(keys.fence());
  const core::Token base = desk.standing.stored->base;
  writes.lock(request.key, lease_text({request.grant, request.ttl, base, std::nullopt}), session);
  writes.set(keys.fence(), fence_text(0, desk.shared.random().hex16()));
  return writes;
}

Task<core::Reply> locked(Desk& desk, const core::AcquireRequest& request, const StoredRecord& record,
                         const TransactionAnswer& answer, core::Token seen) {
  // A check shows the key as well, as it was before.
  const Entry* lock = answer.find_last(request.key);
  if (lock == nullptr) co_return core::misfit;
  const Entry* fence = answer.find(desk.keys().fence());
  const bool first = fence != nullptr && fence->modified == lock->modified;
  if (is_behind(record, first ? nullptr : fence, seen)) {
    auto reply = co_await give_back(desk, *lock);
    co_return reply;
  }
  co_return granted(desk, request, record.base + lock->modified, *lock);
}

// What Consul says against it, and does not mend by being asked again. Nothing: that it is held, or something has changed.
std::optional<core::Reply> refusal_in(const TransactionAnswer& answer) {
  if (says(answer, "ermission denied")) return classify(403, answer.refused.front().what);
  if (says(answer, "due to lock delay")) {
    return core::Held{{"nobody: the lock-delay of a session that has ended", 0}, delay_looked_at_every};
  }
  return std::nullopt;
}

}  // namespace

Task<core::Reply> acquire(Desk desk, core::AcquireRequest request) {
  // Who waits has seen that it is held. To find it so again is no change for the log of the servers.
  bool looks_first = request.ticket.has_value();
  Found found;
  for (int tries = 0; tries < tries_max; ++tries) {
    if (!desk.is_open()) {
      // It may be open by now.
      auto admitted = co_await admit(desk);
      if (!admitted) co_return std::move(admitted.error());
      if (!desk.is_open()) co_return core::NotOpen{desk.standing.found()};
    }
    if (std::exchange(looks_first, true)) {
      auto looked = co_await look_at(desk, request);
      if (!looked) co_return std::move(looked.error());
      found = std::move(*looked);
      if (found.reply) co_return std::move(*found.reply);
    }
    auto session = co_await session_for(desk, request.ttl, std::string(request.grant.owner()));
    if (!session) co_return std::move(session.error());

    const StoredRecord record = *desk.standing.stored;
    const Transaction writes = transaction_for(desk, request, found.unlocked, *session);
    desk.wrote = true;
    // What others are given meanwhile it need not show.
    const core::Token seen = desk.shared.seen();
    auto answer = co_await desk.talk.write(desk.owner, writes);
    if (!answer) co_return std::move(answer.error());
    if (answer->done()) {
      auto reply = co_await locked(desk, request, record, *answer, seen);
      co_return reply;
    }
    if (auto refusal = refusal_in(*answer)) co_return std::move(*refusal);
    if (says(*answer, "invalid session")) desk.shared.forget_session(*session);
    if (refuses(*answer, 0) || refuses(*answer, 1)) {
      auto admitted = co_await admit(desk);
      if (!admitted) co_return std::move(admitted.error());
    }
  }
  co_return core::Failure{core::Applied::perhaps, core::FailureCode::busy,
                          "others change the key faster than it can be locked"};
}

}  // namespace tenure::consul
