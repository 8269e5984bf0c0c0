// Who should own what: sessions are shared out within one of what each member's weight is worth, with the fewest moves,
// and otherwise as rendezvous hashing ranks the members. The same members, sessions and owners give the same answer to
// everybody, in whichever order they come.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tenure::core {

// Which of the members, counted from 0.
using MemberIndex = std::uint32_t;
inline constexpr MemberIndex nobody = ~MemberIndex{0};

struct Member {
  std::string id;
  std::uint32_t weight = 1;
};

// A session as placement knows it: by a hash of its id.
using SessionHash = std::uint64_t;
SessionHash session_hash(std::string_view id);

class Placement {
 public:
  explicit Placement(const std::vector<Member>& members);

  // For each session who should own it. An owner that has no more than its share keeps what it has.
  std::vector<MemberIndex> place(std::span<const SessionHash> sessions, std::span<const MemberIndex> owners) const;

  // How well a member fits a session: the higher the better.
  std::uint64_t rank(MemberIndex member, SessionHash session) const;

 private:
  std::vector<std::size_t> quotas(std::size_t sessions, const std::vector<std::size_t>& owned) const;
  MemberIndex best(SessionHash session, const std::vector<std::size_t>& room) const;

  std::vector<std::uint64_t> hashes_;  // of the members' ids
  std::vector<std::uint64_t> weights_;
  std::uint64_t weight_ = 0;  // of all together
};

}  // namespace tenure::core
