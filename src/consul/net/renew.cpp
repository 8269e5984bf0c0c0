// Leases are renewed together: their keys are read at one moment, and then the sessions that have them are renewed, which is nearly
// always one. A session that lives then has lived since, and with it whatever it had.
#include <algorithm>

#include "consul/net/desk.hpp"
#include "consul/session_text.hpp"

namespace tenure::consul {

namespace {

using core::KeyAnswer;

constexpr std::size_t orphans_at_once = 3;

struct Found {
  KeyAnswer answer = KeyAnswer::missing;
  std::string session{};
  const Entry* entry = nullptr;
  bool too_short = false;  // its session is of a shorter TTL
};

Found compare(const Entry* entry, const core::Holding& item, core::Ttl ttl) {
  if (entry == nullptr || entry->session.empty()) return {};
  const auto lease = lease_in(*entry);
  if (!lease || lease->grant != item.grant || lease->token_at(entry->modified) != item.token) {
    return {.answer = KeyAnswer::foreign};
  }
  return {KeyAnswer::done, entry->session, entry, lease->ttl < ttl};
}

// Ours, that nobody wants any more.
Task<Done> remove_orphans(Desk& desk, const TransactionAnswer& shown, const std::vector<Doubt>& orphans) {
  for (const Doubt& orphan : orphans) {
    const Entry* entry = shown.find(orphan.key);
    const auto lease = entry != nullptr ? read_lease(entry->value) : std::nullopt;
    if (!lease || lease->grant != orphan.grant) continue;
    if (desk.shared.held(orphan.key, orphan.grant) != nullptr) continue;  // it was given again meanwhile
    const auto removed = co_await remove(desk, *entry);
    if (!removed) co_return tl::unexpected(removed.error());
  }
  co_return Done{};
}

// To a session that lasts for as long as the lease shall.
Task<KeyAnswer> move(Desk& desk, const core::RenewRequest& request, const core::Holding& item,
                     const Entry& entry) {
  auto session = co_await session_for(desk, request.ttl, std::string(item.grant.owner()));
  if (!session) co_return KeyAnswer::locked;
  Transaction writes;
  writes.check_same(item.key, entry.modified, entry.session).remove(item.key);
  writes.lock(item.key, lease_text({item.grant, request.ttl, 0, item.token}), *session);
  auto answer = co_await desk.talk.write(desk.owner, writes);
  if (!answer || !answer->done()) co_return KeyAnswer::locked;
  if (const Entry* moved = answer->find_last(item.key))
    desk.shared.hold(*moved, item.grant, request.ttl, desk.now);
  co_return KeyAnswer::done;
}

}  // namespace

Task<core::Reply> renew(Desk desk, core::RenewRequest request) {
  desk.shared.bury_lapsed(desk.now);
  const auto orphans = desk.shared.orphans(desk.now, orphans_at_once);
  Transaction reads;
  reads.get(desk.keys().record());
  for (const core::Holding& item : request.items) reads.get(item.key);
  for (const Doubt& orphan : orphans) reads.get(orphan.key);
  auto shown = co_await desk.talk.read(desk.owner, reads);
  if (!shown) co_return std::move(shown.error());

  // Whoever was left out when the terms changed must not go on for ever.
  if (const Entry* entry = shown->find(desk.keys().record())) {
    const auto stored = read_record(entry->value);
    if (!stored || stored->record.terms != desk.shared.place().terms) {
      co_return core::NotOpen{{stored ? std::optional(stored->record) : std::nullopt, entry->value}};
    }
  }
  std::vector<Found> found;
  std::vector<std::string> sessions;
  for (const core::Holding& item : request.items) {
    found.push_back(compare(shown->find(item.key), item, request.ttl));
    const std::string& session = found.back().session;
    if (!session.empty() && std::ranges::find(sessions, session) == sessions.end())
      sessions.push_back(session);
  }
  std::vector<std::string> dead;
  for (const std::string& session : sessions) {
    const auto renewed = co_await renew_session(desk, session);
    if (!renewed) co_return renewed.error();
    if (!*renewed) dead.push_back(session);
  }
  core::KeyAnswers answers;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const core::Holding& item = request.items[i];
    KeyAnswer answer = found[i].answer;
    if (answer == KeyAnswer::done && std::ranges::find(dead, found[i].session) != dead.end()) {
      answer = KeyAnswer::missing;
    }
    if (answer == KeyAnswer::done && found[i].too_short) {
      answer = co_await move(desk, request, item, *found[i].entry);
    } else if (answer == KeyAnswer::done) {
      desk.shared.hold(*found[i].entry, item.grant, request.ttl, desk.now);
    } else {
      desk.shared.let_go(item.key, item.grant);
    }
    answers.push_back(answer);
  }
  // What becomes of these is of no concern to the leases.
  if (!orphans.empty()) static_cast<void>(co_await remove_orphans(desk, *shown, orphans));
  co_return answers;
}

}  // namespace tenure::consul
