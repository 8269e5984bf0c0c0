#include "core/fleet/claims.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

namespace tenure::core {

Claims::Table::Table(std::size_t sessions) : slots_(std::bit_ceil(2 * sessions + 1)) {}

// Session hashes are mixed well, so that their lowest bits will do.
std::size_t Claims::Table::slot_of(SessionHash session) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = session & mask;
  while (slots_[slot].member && slots_[slot].session != session) slot = (slot + 1) & mask;
  return slot;
}

std::optional<MemberIndex> Claims::Table::claimant(SessionHash session) const {
  return slots_[slot_of(session)].member;
}

void Claims::note(const std::vector<Member>& members, MemberIndex self) {
  self_ = self;
  std::vector<Claim> now;
  now.reserve(members.size());
  auto before = claims_.begin();
  for (MemberIndex i = 0; i < members.size(); ++i) {
    const Member& member = members[i];
    while (before != claims_.end() && before->id < member.id) ++before;
    const bool same = before != claims_.end() && before->id == member.id;
    Claim& claim = same ? now.emplace_back(std::move(*before)) : now.emplace_back(Claim{member.id});
    const bool news = claim.digest != member.digest || claim.count != member.owned;
    if (news && i != self) changes_ += 1;
    // Whoever has beaten since has written its list down again.
    if (news || member.left > claim.left) claim.list_gone = false;
    claim.count = member.owned;
    claim.digest = member.digest;
    claim.left = member.left;
  }
  claims_ = std::move(now);
}

bool Claims::says(MemberIndex member, const Tally& tally) const {
  const Claim& claim = claims_[member];
  return claim.count == tally.count && (!claim.digest || *claim.digest == tally.digest);
}

bool Claims::known(MemberIndex member) const { return says(member, claims_[member].tally); }

void Claims::learn(MemberIndex member, std::vector<SessionHash> list) {
  Claim& claim = claims_[member];
  claim.list = std::move(list);
  claim.tally = {};
  for (const SessionHash session : claim.list) claim.tally.add(session);
  claim.seen = true;
}

Claims::Table Claims::table() const {
  std::vector<MemberIndex> oldest_first;
  std::size_t sessions = 0;
  for (MemberIndex i = 0; i < claims_.size(); ++i) {
    if (i == self_) continue;
    oldest_first.push_back(i);
    sessions += claims_[i].list.size();
  }
  std::ranges::sort(oldest_first, {}, [this](MemberIndex i) { return std::pair(claims_[i].left, i); });
  Table table(sessions);
  for (const MemberIndex i : oldest_first) {
    for (const SessionHash session : claims_[i].list) {
      table.slots_[table.slot_of(session)] = {session, i};
    }
  }
  return table;
}

}  // namespace tenure::core
