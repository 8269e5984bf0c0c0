#include "cli/fleet/explain_view.hpp"

#include <algorithm>

#include "core/base/text.hpp"
#include "core/fleet/placement.hpp"
#include "runtime/text/refusal_text.hpp"

namespace tenure::cli {

namespace {

using core::MemberIndex;
using core::printable;

// The ready instances, and who of them has which session: what everybody places by.
struct Board {
  explicit Board(const FleetView& view) {
    for (const auto& it : view.instances) {
      if (it.ready()) instances.push_back(&it);
    }
    for (const auto& it : view.sessions) {
      if (it.session.paused) continue;
      hashes.push_back(core::session_hash(it.session.id));
      owners.push_back(it.lease.holds() ? seat_of(it.lease.holder.owner) : core::nobody);
    }
  }

  MemberIndex seat_of(const std::string& id) const {
    const auto found = std::ranges::find(instances, id, [](const auto* it) { return it->id; });
    return found == instances.end() ? core::nobody : static_cast<MemberIndex>(found - instances.begin());
  }
  std::vector<core::Member> members() const {
    std::vector<core::Member> members;
    for (const auto* it : instances) members.push_back({it->id, it->weight});
    return members;
  }

  std::vector<const InstanceView*> instances{};
  std::vector<core::SessionHash> hashes{};  // of the sessions that are not paused
  std::vector<MemberIndex> owners{};
};

std::string owned_of_quota(const Candidate& it) {
  return std::to_string(it.owned) + " with a quota of " + std::to_string(it.quota);
}

const Candidate& candidate(const Explanation& explanation, const std::string& id) {
  return *std::ranges::find(explanation.candidates, id, &Candidate::id);
}

// Behind "it goes to web-2".
std::string choice(const Explanation& explanation) {
  return explanation.candidates.front().id == *explanation.placed
             ? ", which fits it best"
             : ", which fits it best of those that have room";
}

// An owner that is not among the candidates.
std::string leaving_words(const FleetView& view, const LeaseView& lease) {
  const std::string owner = printable(lease.holder.owner, 60);
  const auto found = std::ranges::find(view.instances, lease.holder.owner, &InstanceView::id);
  const bool silent = found == view.instances.end() || found->status == "silent";
  if (silent) return owner + " has it, and no heartbeat: its lease ends in " + runtime::left_text(lease.left);
  return owner + " has it, and is " + printable(found->status, 20) + ": it gives it back";
}

std::string why_of(const FleetView& view, const SessionView& session, const Explanation& explanation) {
  if (session.session.paused) return "It is paused: nobody polls it, and nobody is to have it.";
  const LeaseView& lease = session.lease;
  if (!explanation.placed) {
    return lease.holds() ? leaving_words(view, lease) + ". No other instance is ready."
                         : "No instance is ready: nobody can have it.";
  }
  const std::string placed = printable(*explanation.placed, 60);
  if (!lease.holds()) return "Nobody has it: it goes to " + placed + choice(explanation) + ".";
  const bool owner_is_ready = std::ranges::find(explanation.candidates, lease.holder.owner, &Candidate::id) !=
                              explanation.candidates.end();
  if (!owner_is_ready) {
    return leaving_words(view, lease) + ". Then it goes to " + placed + choice(explanation) + ".";
  }
  const Candidate& owner = candidate(explanation, lease.holder.owner);
  if (owner.id != *explanation.placed) {
    return printable(owner.id, 60) + " has " + owned_of_quota(owner) + ", too many: this one goes to " +
           placed + choice(explanation) + ".";
  }
  if (explanation.candidates.front().id == owner.id) return placed + " has it, and fits it best.";
  return placed + " has it, and keeps it: it has " + owned_of_quota(owner) + ". " +
         printable(explanation.candidates.front().id, 60) +
         " would fit it better, but nothing moves only for that.";
}

}  // namespace

Explanation explain(const FleetView& view, std::size_t session) {
  const SessionView& asked = view.sessions.at(session);
  const core::SessionHash hash = core::session_hash(asked.session.id);
  const Board board(view);
  const core::Placement placement(board.members());
  const core::Plan plan = placement.place(board.hashes, board.owners);

  Explanation explanation;
  std::vector<MemberIndex> order;
  for (MemberIndex i = 0; i < board.instances.size(); ++i) order.push_back(i);
  std::ranges::sort(order, std::ranges::greater{}, [&](MemberIndex i) { return placement.rank(i, hash); });
  for (const MemberIndex i : order) {
    const auto& it = *board.instances[i];
    explanation.candidates.push_back({it.id, it.weight, it.owned, plan.quota[i]});
  }
  if (!asked.session.paused) {
    // Where it stands among those that are not paused.
    const auto before = std::ranges::count_if(view.sessions.begin(),
                                              view.sessions.begin() + static_cast<std::ptrdiff_t>(session),
                                              [](const auto& it) { return !it.session.paused; });
    const MemberIndex placed = plan.placed[static_cast<std::size_t>(before)];
    if (placed != core::nobody) explanation.placed = board.instances[placed]->id;
  }
  explanation.why = why_of(view, asked, explanation);
  return explanation;
}

}  // namespace tenure::cli
