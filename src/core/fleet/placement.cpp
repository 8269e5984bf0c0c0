#include "core/fleet/placement.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>

#include "core/base/check.hpp"

namespace tenure::core {

Placement::Placement(const std::vector<Member>& members) : hashes_(members.size()) {
  must(members.size() < nobody, "members can be counted");
  std::vector<MemberIndex> by_id(members.size());
  std::iota(by_id.begin(), by_id.end(), MemberIndex{0});
  std::ranges::sort(by_id, {}, [&](MemberIndex i) -> const std::string& { return members[i].id; });
  std::set<std::uint64_t> taken;
  for (const MemberIndex i : by_id) {
    hashes_[i] = member_hash(members[i].id);
    // Two ids can be made to have one hash. They would rank alike, and their order would decide.
    while (!taken.insert(hashes_[i]).second) hashes_[i] = mixed(hashes_[i] + 1);
  }
  for (const Member& member : members) {
    weights_.push_back(member.weight);
    weight_ += member.weight;
  }
}

std::size_t Placement::position(MemberIndex member, SessionHash session) const {
  const std::uint64_t its = rank(member, session);
  std::size_t better = 0;
  for (std::size_t i = 0; i < hashes_.size(); ++i) {
    if (weights_[i] > 0 && rank_of(hashes_[i], session) > its) better += 1;
  }
  return better;
}

// Whole shares first. What is left over, less than one for each, goes to those who have more than their share already,
// so that nothing moves for it; then by chance that is the same for everybody.
std::vector<std::size_t> Placement::quotas(std::size_t sessions,
                                           const std::vector<std::size_t>& owned) const {
  std::vector<std::size_t> quotas(weights_.size());
  if (weight_ == 0) return quotas;
  std::size_t left = sessions;
  std::vector<MemberIndex> order;  // those with a claim on a part of one
  for (MemberIndex i = 0; i < weights_.size(); ++i) {
    const std::uint64_t shares = sessions * weights_[i];
    quotas[i] = static_cast<std::size_t>(shares / weight_);
    left -= quotas[i];
    if (shares % weight_ != 0) order.push_back(i);
  }
  std::ranges::sort(order, [&](MemberIndex one, MemberIndex other) {
    const bool has_one = owned[one] > quotas[one];
    const bool has_other = owned[other] > quotas[other];
    return has_one != has_other ? has_one : hashes_[one] > hashes_[other];
  });
  for (std::size_t i = 0; i < left; ++i) quotas[order.at(i)] += 1;
  return quotas;
}

Plan Placement::place(std::span<const SessionHash> sessions, std::span<const MemberIndex> owners) const {
  must(sessions.size() == owners.size(), "every session has an owner, or nobody");
  must(sessions.size() < ~SessionIndex{0}, "sessions can be counted, and multiplied by a weight");
  const std::size_t members = hashes_.size();
  std::vector<std::size_t> owned(members);
  for (const MemberIndex owner : owners) {
    if (owner < members) owned[owner] += 1;
  }
  Plan plan{{owners.begin(), owners.end()}, quotas(sessions.size(), owned)};
  if (weight_ == 0) {
    std::ranges::fill(plan.placed, nobody);
    return plan;
  }

  Exchange exchange(sessions);
  for (MemberIndex i = 0; i < members; ++i) {
    if (owned[i] < plan.quota[i]) exchange.add(Exchange::Taker{i, hashes_[i], plan.quota[i] - owned[i]});
  }
  std::vector<std::optional<GiverIndex>> givers(members);
  for (MemberIndex i = 0; i < members; ++i) {
    if (owned[i] <= plan.quota[i]) continue;
    givers[i] = exchange.add(Exchange::Giver{owned[i], owned[i] - plan.quota[i]});
  }
  const std::size_t orphans = sessions.size() - std::reduce(owned.begin(), owned.end());
  const GiverIndex gone = exchange.add(Exchange::Giver{orphans, orphans});
  for (SessionIndex s = 0; s < owners.size(); ++s) {
    const auto giver = owners[s] < members ? givers[owners[s]] : gone;
    if (giver) exchange.offer(*giver, s);
  }
  exchange.settle(plan.placed);
  return plan;
}

}  // namespace tenure::core
