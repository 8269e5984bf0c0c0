#include "core/placement.hpp"

#include <algorithm>
#include <numeric>

#include "core/check.hpp"

namespace tenure::core {

namespace {

// Spreads what differs in few bits over all of them: without it ids that count up would favour some members.
constexpr std::uint64_t mixed(std::uint64_t bits) {
  bits ^= bits >> 32;
  bits *= 0xd6e8feb86659fd93U;
  bits ^= bits >> 32;
  bits *= 0xd6e8feb86659fd93U;
  return bits ^ (bits >> 32);
}

// FNV-1a.
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char letter : text) {
    hash ^= static_cast<unsigned char>(letter);
    hash *= 0x100000001b3U;
  }
  return hash;
}

}  // namespace

SessionHash session_hash(std::string_view id) { return mixed(hash_of(id)); }

Placement::Placement(const std::vector<Member>& members) {
  must(members.size() < nobody, "members can be counted");
  for (const Member& member : members) {
    hashes_.push_back(mixed(hash_of(member.id)));
    weights_.push_back(member.weight);
    weight_ += member.weight;
  }
}

std::uint64_t Placement::rank(MemberIndex member, SessionHash session) const {
  return mixed(hashes_[member] ^ session);
}

// Whole shares first. What is left over, less than one for each, goes to those who have more than their share already,
// so that nothing moves for it; then by chance that is the same for everybody.
std::vector<std::size_t> Placement::quotas(std::size_t sessions, const std::vector<std::size_t>& owned) const {
  std::vector<std::size_t> quotas;
  std::size_t given = 0;
  for (const std::uint64_t weight : weights_) {
    quotas.push_back(static_cast<std::size_t>(sessions * weight / weight_));
    given += quotas.back();
  }
  std::vector<MemberIndex> order;
  for (MemberIndex i = 0; i < weights_.size(); ++i) {
    if (sessions * weights_[i] % weight_ != 0) order.push_back(i);  // it has a claim on a part of one
  }
  std::ranges::sort(order, [&](MemberIndex one, MemberIndex other) {
    const bool has_one = owned[one] > quotas[one];
    const bool has_other = owned[other] > quotas[other];
    return has_one != has_other ? has_one : hashes_[one] > hashes_[other];
  });
  for (std::size_t i = 0; given < sessions; ++i, ++given) quotas[order.at(i)] += 1;
  return quotas;
}

MemberIndex Placement::best(SessionHash session, const std::vector<std::size_t>& room) const {
  MemberIndex best = nobody;
  std::uint64_t highest = 0;
  for (MemberIndex i = 0; i < hashes_.size(); ++i) {
    if (room[i] == 0) continue;
    const std::uint64_t its = rank(i, session);
    if (best == nobody || its > highest) {
      best = i;
      highest = its;
    }
  }
  return best;
}

std::vector<MemberIndex> Placement::place(std::span<const SessionHash> sessions,
                                          std::span<const MemberIndex> owners) const {
  must(sessions.size() == owners.size(), "every session has an owner, or nobody");
  std::vector<MemberIndex> placed(owners.begin(), owners.end());
  if (weight_ == 0) {
    std::ranges::fill(placed, nobody);
    return placed;
  }
  std::vector<std::size_t> owned(hashes_.size());
  for (MemberIndex& owner : placed) {
    if (owner >= hashes_.size()) owner = nobody;  // it is gone
    if (owner != nobody) owned[owner] += 1;
  }
  const auto quota = quotas(sessions.size(), owned);
  std::vector<std::size_t> room(hashes_.size());
  for (MemberIndex i = 0; i < room.size(); ++i) room[i] = quota[i] - std::min(quota[i], owned[i]);

  // Who has too much gives what somebody with room fits best.
  std::vector<std::vector<std::pair<std::uint64_t, std::size_t>>> offers(hashes_.size());
  for (std::size_t s = 0; s < placed.size(); ++s) {
    const MemberIndex owner = placed[s];
    if (owner == nobody || owned[owner] <= quota[owner]) continue;
    const MemberIndex taker = best(sessions[s], room);
    offers[owner].emplace_back(taker == nobody ? 0 : rank(taker, sessions[s]), s);
  }
  for (MemberIndex i = 0; i < offers.size(); ++i) {
    if (offers[i].empty()) continue;
    const auto excess = static_cast<std::ptrdiff_t>(owned[i] - quota[i]);
    const auto by_rank = [&](const auto& one, const auto& other) {
      return std::pair(one.first, sessions[one.second]) > std::pair(other.first, sessions[other.second]);
    };
    std::ranges::nth_element(offers[i], offers[i].begin() + excess - 1, by_rank);
    for (std::ptrdiff_t k = 0; k < excess; ++k) placed[offers[i][static_cast<std::size_t>(k)].second] = nobody;
  }

  // Not in the order in which they came: that is nobody's business.
  std::vector<std::size_t> homeless;
  for (std::size_t s = 0; s < placed.size(); ++s) {
    if (placed[s] == nobody) homeless.push_back(s);
  }
  std::ranges::sort(homeless, {}, [&](std::size_t s) { return sessions[s]; });
  for (const std::size_t s : homeless) {
    placed[s] = best(sessions[s], room);
    room[placed[s]] -= 1;
  }
  return placed;
}

}  // namespace tenure::core
