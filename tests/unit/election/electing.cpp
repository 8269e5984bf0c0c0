#include "unit/election/electing.hpp"

#include <algorithm>
#include <array>

#include "core/base/overload.hpp"

namespace tenure::core {

void Electing::settle() {
  for (Outcome outcome = agent->take(); !outcome.empty(); outcome = agent->take()) {
    for (const Notice& notice : outcome.notices) {
      std::visit(
          Overload{[&](const FleetNotice&) { told.emplace_back("of a fleet"); },
                   [&](const ClockJumped&) { told.emplace_back("a clock that jumped"); },
                   [&](const auto& audience) { std::visit([&](const auto& it) { on(it); }, audience); }},
          notice);
    }
    for (const Drop& it : outcome.effects.drops) on(it);
    for (const Send& it : outcome.effects.sends) on(it);
  }
}

void Electing::reply(const Send& to, const Reply& reply) {
  std::erase_if(open, [&](const Send& it) { return it.id == to.id; });
  agent->on_reply(to.id, reply, now);
  settle();
}

void Electing::on(const Send& it) {
  if (std::holds_alternative<ClockRequest>(it.request)) {
    agent->on_reply(it.id, NodeClock{1000h + now.time_since_epoch()}, now);
    return;
  }
  open.push_back(it);
  const auto* look = std::get_if<LookRequest>(&it.request);
  if (look != nullptr && redis_shows) reply(it, KeyStates(look->keys.size(), *redis_shows));
}

void Electing::on(const Drop& it) {
  std::erase_if(open, [&](const Send& sent) { return sent.id == it.id; });
}

void Electing::on(const Elected& it) {
  term = it.term;
  told.push_back("elected " + std::to_string(it.term.token));
}

void Electing::on(const TermEnding& it) {
  static constexpr std::array reasons{"not_renewed", "missing",      "taken",  "over",
                                      "closed",      "stepped_down", "stopped"};
  endings.push_back(it);
  told.push_back(std::string("ending ") + reasons.at(static_cast<std::size_t>(it.reason)));
}

void Electing::on(const TermOverran&) { told.emplace_back("overran"); }

void Electing::on(const TermOver&) { told.emplace_back("over"); }

void Electing::on(const LeaderChanged& it) {
  changes.push_back(it);
  told.push_back(it.now ? "leader " + it.now->owner + " " + std::to_string(it.now->token) : "leader nobody");
}

void Electing::on(const CampaignHindered& it) {
  static constexpr std::array codes{"held", "no_quorum", "not_open", "too_slow", "waited", "cancelled"};
  told.push_back(std::string("hindered ") + codes.at(static_cast<std::size_t>(it.refusal.code)));
}

void Electing::on(const ElectionStopped&) { told.emplace_back("stopped"); }

void Electing::on(const Renewed&) {}

void Electing::on(const Uncertain&) {}

void Electing::on(const Lost&) {}

void Electing::on(const Acquired&) { told.emplace_back("an Acquired that belongs to nobody"); }

void Electing::on(const Refused&) { told.emplace_back("a Refused that belongs to nobody"); }

void Electing::on(const Waiting&) { told.emplace_back("a Waiting that belongs to nobody"); }

void Electing::on(const Released&) { told.emplace_back("a Released that belongs to nobody"); }

}  // namespace tenure::core
