// Who should own what: sessions are shared out within one of what each member's weight is worth, with the fewest moves,
// and otherwise as rendezvous hashing ranks the members. The same members, sessions and owners give the same answer to
// everybody, in whichever order they come (two sessions of one hash are told apart only by their order).
//
// Placing again gives the same answer, however many of the moves have been carried out meanwhile and whichever, those
// on their way (owned by nobody) included: no session moves twice, whoever joined or left. This holds as long as
// members, weights and sessions stay as they are; when they change, the rest is planned anew from where everything is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/fleet/exchange.hpp"
#include "core/fleet/rendezvous.hpp"
#include "core/message.hpp"

namespace tenure::core {

// The owner of what has none, or whose owner is gone.
inline constexpr MemberIndex nobody = ~MemberIndex{0};

struct Plan {
  std::vector<MemberIndex> placed;  // by session
  std::vector<std::size_t> quota;   // by member
};

class Placement {
 public:
  explicit Placement(const std::vector<Member>& members);

  Plan place(std::span<const SessionHash> sessions, std::span<const MemberIndex> owners) const;

  // How well a member fits a session: the higher the better.
  std::uint64_t rank(MemberIndex member, SessionHash session) const {
    return rank_of(hashes_.at(member), session);
  }
  // How many members with a weight fit the session better.
  std::size_t position(MemberIndex member, SessionHash session) const;

 private:
  std::vector<std::size_t> quotas(std::size_t sessions, const std::vector<std::size_t>& owned) const;

  std::vector<std::uint64_t> hashes_;  // of the members' ids, all different
  std::vector<std::uint64_t> weights_;
  std::uint64_t weight_ = 0;  // of all together
};

}  // namespace tenure::core
