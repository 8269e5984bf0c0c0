// Puts leases back where they are missing: after data was lost, with the tokens that they had.
#include <algorithm>
#include <utility>

#include "consul/lease_text.hpp"
#include "consul/net/desk.hpp"

namespace tenure::consul {

namespace {

using core::KeyAnswer;

constexpr int tries_max = 6;
// Each costs four operations, and record, epoch and fence one each.
constexpr std::size_t items_at_once = 15;

enum class Plan : std::uint8_t { missing, foreign, put_back, put_over, renew };

Plan plan_for(const Entry* entry, const core::Holding& item, const core::ReassertRequest& request,
              bool quarantined) {
  if (entry == nullptr) return quarantined || request.heal ? Plan::put_back : Plan::missing;
  if (entry->session.empty()) {
    if (entry->flags != lock_flags) return Plan::foreign;
    return quarantined || request.heal ? Plan::put_over : Plan::missing;
  }
  const auto lease = lease_in(*entry);
  if (!lease) return Plan::foreign;
  const core::Token token = lease->token_at(entry->modified);
  if (lease->grant == item.grant) {
    return token == item.token && lease->ttl >= request.ttl ? Plan::renew : Plan::put_over;
  }
  return quarantined && token <= item.token ? Plan::put_over : Plan::foreign;
}

struct Step {
  std::size_t item = 0;
  Plan plan = Plan::missing;
  const Entry* entry = nullptr;  // what it is put over
};

// False: something has changed since it was planned.
Task<tl::expected<bool, core::Failure>> write(Desk& desk, const core::ReassertRequest& request,
                                              const std::vector<Step>& steps, core::Token highest,
                                              const std::string& session) {
  Transaction writes;
  writes.check_index(desk.keys().record(), desk.standing.index);
  writes.check_present(desk.keys().epoch(desk.standing.stored->record.epoch));
  for (const Step& step : steps) {
    const core::Holding& item = request.items[step.item];
    if (step.plan == Plan::put_back) {
      writes.check_absent(item.key);
    } else {
      writes.check_same(item.key, step.entry->modified, step.entry->session).remove(item.key);
    }
    writes.lock(item.key, lease_text({item.grant, request.ttl, 0, item.token}), session);
  }
  writes.set(desk.keys().fence(), fence_text(highest, desk.shared.random().hex16()));
  desk.wrote = true;
  auto answer = co_await desk.talk.write(desk.owner, writes);
  if (!answer) co_return tl::unexpected(std::move(answer.error()));
  if (!answer->done()) co_return false;
  for (const Step& step : steps) {
    const core::Holding& item = request.items[step.item];
    desk.shared.see(item.token);
    if (const Entry* entry = answer->find_last(item.key)) {
      desk.shared.hold(*entry, item.grant, request.ttl, desk.now);
    }
  }
  co_return true;
}

// Nothing: plan again.
Task<std::optional<core::Reply>> put_back(Desk& desk, const core::ReassertRequest& request,
                                          const TransactionAnswer& shown, const Entry* fence) {
  const bool quarantined = !desk.standing.stored->record.open;
  core::KeyAnswers answers(request.items.size(), KeyAnswer::done);
  std::vector<Step> steps;
  std::vector<std::string> sessions;
  std::vector<std::pair<const core::Holding*, const Entry*>> renewed_items;
  core::Token highest = put_back_in(fence);
  for (std::size_t i = 0; i < request.items.size(); ++i) {
    const core::Holding& item = request.items[i];
    const Entry* entry = shown.find(item.key);
    const Plan plan = plan_for(entry, item, request, quarantined);
    if (plan == Plan::missing) answers[i] = KeyAnswer::missing;
    if (plan == Plan::foreign) answers[i] = KeyAnswer::foreign;
    if (plan == Plan::renew) renewed_items.emplace_back(&item, entry);
    if (plan == Plan::renew && std::ranges::find(sessions, entry->session) == sessions.end()) {
      sessions.push_back(entry->session);
    }
    if (plan != Plan::put_back && plan != Plan::put_over) continue;
    steps.push_back({i, plan, entry});
    highest = std::max(highest, item.token);
  }
  for (const std::string& session : sessions) {
    const auto renewed = co_await renew_session(desk, session);
    if (!renewed) co_return renewed.error();
    if (!*renewed) co_return std::nullopt;
  }
  for (const auto& [item, entry] : renewed_items) {
    desk.shared.hold(*entry, item->grant, request.ttl, desk.now);
  }
  if (steps.empty()) co_return answers;
  auto session =
      co_await session_for(desk, request.ttl, std::string(request.items[steps.front().item].grant.owner()));
  if (!session) co_return std::move(session.error());
  for (std::size_t from = 0; from < steps.size(); from += items_at_once) {
    const auto first = steps.begin() + static_cast<std::ptrdiff_t>(from);
    const auto last =
        steps.begin() + static_cast<std::ptrdiff_t>(std::min(from + items_at_once, steps.size()));
    const std::vector<Step> some(first, last);
    const auto written = co_await write(desk, request, some, highest, *session);
    if (!written) co_return written.error();
    if (!*written) co_return std::nullopt;
  }
  co_return answers;
}

}  // namespace

Task<core::Reply> reassert(Desk desk, core::ReassertRequest request) {
  const std::string epoch = desk.standing.stored->record.epoch;
  for (int tries = 0; tries < tries_max; ++tries) {
    Transaction reads;
    reads.get(desk.keys().record()).get(desk.keys().fence());
    for (const core::Holding& item : request.items) reads.get(item.key);
    const core::Token seen = desk.shared.seen();
    auto shown = co_await desk.talk.read(desk.owner, reads);
    if (!shown) co_return std::move(shown.error());
    const Entry* record = shown->find(desk.keys().record());
    const Entry* fence = shown->find(desk.keys().fence());
    if (record == nullptr || record->modified != desk.standing.index || record->value != desk.standing.text) {
      auto admitted = co_await admit(desk);
      if (!admitted) co_return std::move(admitted.error());
      if (desk.standing.stored->record.epoch != epoch) co_return core::NotOpen{desk.standing.found()};
      continue;
    }
    const StoredRecord& stored = *desk.standing.stored;
    if (stored.record.terms != desk.shared.place().terms) co_return core::NotOpen{desk.standing.found()};
    if (stored.record.open && is_behind(stored, fence, seen)) {
      auto admitted = co_await admit(desk, WentBack::seen);
      if (!admitted) co_return std::move(admitted.error());
      co_return core::NotOpen{desk.standing.found()};
    }
    auto reply = co_await put_back(desk, request, *shown, fence);
    if (reply) co_return std::move(*reply);
  }
  co_return core::Failure{core::Applied::perhaps, core::FailureCode::busy,
                          "others change these keys faster than they can be locked"};
}

}  // namespace tenure::consul
