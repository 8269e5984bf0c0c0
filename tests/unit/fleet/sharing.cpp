#include "unit/fleet/sharing.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "core/base/overload.hpp"

namespace tenure::core {

void Sharing::drive() {
  for (;;) {
    for (Outcome outcome = agent.take(); !outcome.empty(); outcome = agent.take()) {
      for (const Notice& notice : outcome.notices) {
        std::visit(Overload{[&](const FleetNotice& it) { std::visit([&](const auto& of) { on(of); }, it); },
                            [](const LeaseNotice&) {},  // is told by what its session goes through
                            [&](const auto&) { told.emplace_back("what is no fleet's"); }},
                   notice);
      }
      perform(outcome.effects);
    }
    const auto next = std::ranges::find_if(open, [this](const Send& it) { return answers(it.request); });
    if (next == open.end()) return;
    Send sent = std::move(*next);
    open.erase(next);
    agent.on_reply(sent.id, std::visit([this](const auto& it) { return this->answer(it); }, sent.request),
                   now);
  }
}

void Sharing::perform(Effects& effects) {
  for (const Drop& drop : effects.drops) {
    std::erase_if(open, [&](const Send& sent) { return sent.id == drop.id; });
  }
  std::ranges::move(effects.sends, std::back_inserter(open));
  if (effects.listen && !std::exchange(listens, true)) agent.on_listening(0, true, now);
}

bool Sharing::answers(const Request& request) const {
  if (std::holds_alternative<ClockRequest>(request)) return true;
  if (std::holds_alternative<ListsRequest>(request)) return !silent && gives_lists;
  // One request after the other.
  const bool of_lease =
      std::holds_alternative<AcquireRequest>(request) || std::holds_alternative<ReleaseRequest>(request);
  return !silent && (grants || !of_lease);
}

Reply Sharing::answer(const BeatRequest& it) {
  beats.push_back(it);
  if (beat_answer) return *beat_answer;
  LiveMembers live{others, version};
  if (it.ttl > 0s) live.members.push_back(member(it.id, it.beat.owned));
  std::ranges::sort(live.members, {}, &Member::id);
  return live;
}

Reply Sharing::answer(const LookRequest& it) {
  looked_at = it.keys;
  KeyStates states;
  for (const std::string& key : it.keys) states.push_back(redis.contains(key) ? redis.at(key) : KeyState{});
  return states;
}

Reply Sharing::answer(const ListsRequest& it) {
  lists_read = it.ids;
  Lists all;
  for (const std::string& id : it.ids) {
    const auto found = lists.find(id);
    if (found == lists.end()) {
      all.emplace_back();
      continue;
    }
    auto& hashes = all.emplace_back().emplace();
    for (const std::string& session : found->second) hashes.push_back(session_hash(session));
  }
  return all;
}

Reply Sharing::answer(const AcquireRequest& it) {
  if (!closed.absent()) return NotOpen{closed};
  const auto found = redis.find(it.key);
  if (found != redis.end() && found->second.exists() && found->second.grant != it.grant) {
    if (it.ticket) found->second.waiters = std::max<std::int64_t>(found->second.waiters, 1);
    return Held{*found->second.holder, found->second.left, it.ticket ? std::optional(0) : std::nullopt};
  }
  redis[it.key] = {Holder{std::string(it.grant.owner()), ++last_token}, it.grant, 30s};
  return Granted{last_token};
}

Reply Sharing::answer(const RenewRequest& it) {
  KeyAnswers answers;
  for (const Holding& item : it.items) {
    const auto found = redis.find(item.key);
    const bool same = found != redis.end() && found->second.grant == item.grant &&
                      found->second.holder->token == item.token;
    answers.push_back(found == redis.end() ? KeyAnswer::missing
                      : same               ? KeyAnswer::done
                                           : KeyAnswer::foreign);
  }
  return answers;
}

Reply Sharing::answer(const ReleaseRequest& it) {
  const auto found = redis.find(it.key);
  if (found == redis.end()) return KeyAnswers{KeyAnswer::missing};
  if (it.ticket) found->second.waiters = 0;
  if (found->second.grant != it.grant) return KeyAnswers{KeyAnswer::foreign};
  redis.erase(found);
  return KeyAnswers{KeyAnswer::done};
}

Reply Sharing::answer(const ReassertRequest& it) { return KeyAnswers(it.items.size(), KeyAnswer::missing); }

Reply Sharing::answer(const ClockRequest&) { return NodeClock{1000h + now.time_since_epoch()}; }

Reply Sharing::answer(const ConfirmRequest&) { return KeyAnswers{KeyAnswer::done}; }

Reply Sharing::answer(const OpenRequest&) {
  closed = {};
  return Opened{};
}

void Sharing::on(const SessionTaken& it) {
  ours[it.session] = it.lease;
  told.push_back("took " + it.session);
}

void Sharing::on(const SessionRefused& it) { told.push_back("did not get " + it.session); }

void Sharing::on(const SessionEnding& it) {
  static constexpr std::array reasons{"rebalance",   "removed", "given_back", "stopped",
                                      "not_renewed", "missing", "taken",      "closed"};
  endings.push_back(it);
  told.push_back("ending " + it.session + " " + reasons.at(static_cast<std::size_t>(it.reason)));
}

void Sharing::on(const SessionEnded& it) {
  ours.erase(it.session);
  told.push_back("ended " + it.session);
}

void Sharing::on(const InstancesChanged& it) {
  std::string text = "instances";
  for (const std::string& id : it.joined) text += " +" + id;
  for (const std::string& id : it.left) text += " -" + id;
  told.push_back(text);
}

void Sharing::on(const SessionsChanged&) { told.emplace_back("sessions changed"); }

void Sharing::on(const FleetJoined&) { told.emplace_back("joined"); }

void Sharing::on(const FleetHindered&) { told.emplace_back("hindered"); }

void Sharing::on(const FleetNotOpen& it) {
  told.emplace_back("not open");
  opens_by = it.opens_by;
}

void Sharing::on(const FleetOpen&) { told.emplace_back("open"); }

void Sharing::on(const FleetRefused&) { told.emplace_back("refused"); }

void Sharing::on(const FleetStopped&) { told.emplace_back("stopped"); }

}  // namespace tenure::core
