// What the tests of placement have in common.
#pragma once

#include <string>
#include <vector>

#include "core/fleet/placement.hpp"

namespace tenure::core {

inline std::vector<Member> members(std::size_t count) {
  std::vector<Member> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back({"web-" + std::to_string(i)});
  return all;
}

inline std::vector<SessionHash> sessions(std::size_t count, const std::string& prefix = "session-") {
  std::vector<SessionHash> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(session_hash(prefix + std::to_string(i)));
  return all;
}

inline std::vector<MemberIndex> owned_by_nobody(std::size_t count) {
  return std::vector<MemberIndex>(count, nobody);
}

// How many sessions each has; what is gone or nobody's is left out.
inline std::vector<std::size_t> shares(const std::vector<MemberIndex>& placed, std::size_t members) {
  std::vector<std::size_t> shares(members);
  for (const MemberIndex owner : placed) {
    if (owner < members) shares[owner] += 1;
  }
  return shares;
}

inline std::size_t moves(const std::vector<MemberIndex>& before, const std::vector<MemberIndex>& after) {
  std::size_t moves = 0;
  for (std::size_t i = 0; i < before.size(); ++i) moves += before[i] != after[i] ? 1U : 0U;
  return moves;
}

// For how many of the sessions each member fits best.
inline std::vector<std::size_t> firsts(const Placement& placement, std::size_t members,
                                       const std::vector<SessionHash>& sessions) {
  std::vector<std::size_t> firsts(members);
  for (const SessionHash session : sessions) {
    for (MemberIndex i = 0; i < members; ++i) firsts[i] += placement.position(i, session) == 0 ? 1U : 0U;
  }
  return firsts;
}

}  // namespace tenure::core
