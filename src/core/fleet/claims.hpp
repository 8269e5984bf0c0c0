// What the other members of a fleet say that they own. Every heartbeat carries a count and a digest; the list behind it is
// read only where neither what was read before nor what was planned has that digest.
// It decides nothing about leases: a claim may be old, or wrong.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/fleet/exchange.hpp"
#include "core/fleet/tally.hpp"
#include "core/message.hpp"

namespace tenure::core {

class Claims {
 public:
  // Who claims which session, as all lists together say. Of two that claim the same one the later heartbeat is right,
  // as far as the time that it has left tells.
  class Table {
   public:
    // Returns nullopt if nobody claims it.
    std::optional<MemberIndex> claimant(SessionHash session) const;

   private:
    friend class Claims;

    struct Slot {
      SessionHash session = 0;
      std::optional<MemberIndex> member{};
    };

    explicit Table(std::size_t sessions);
    std::size_t slot_of(SessionHash session) const;

    std::vector<Slot> slots_;  // open addressing, at most half full
  };

  // What was said with the last beats, by members in the order of their ids. Whoever is not among them is forgotten.
  void note(const std::vector<Member>& members, MemberIndex self);
  // Does the member say that it owns just this?
  bool says(MemberIndex member, const Tally& tally) const;
  // Is the list that is known of the member what it says?
  bool known(MemberIndex member) const;
  // Was there ever a list of it, or is there none to be had?
  bool seen(MemberIndex member) const { return claims_[member].seen || known(member); }
  // A member without a list is of a version that has none, or its list is gone: its leases tell what it has.
  bool has_list(MemberIndex member) const {
    return !unreadable_ && claims_[member].digest && !claims_[member].list_gone;
  }
  // How often others said something new.
  std::uint64_t changes() const { return changes_; }
  void learn(MemberIndex member, std::vector<SessionHash> list);
  // Until it beats again.
  void learn_that_list_is_gone(MemberIndex member) { claims_[member].list_gone = true; }
  // From now on nobody counts as having a list.
  void give_lists_up() { unreadable_ = true; }

  Table table() const;

 private:
  struct Claim {
    std::string id;
    std::uint64_t count = 0;                // as it says
    std::optional<std::uint64_t> digest{};  // as it says; nullopt from versions that say none
    Ttl left{};
    std::vector<SessionHash> list{};
    Tally tally{};  // of the list
    bool seen = false;
    bool list_gone = false;
  };

  std::vector<Claim> claims_;  // by member
  MemberIndex self_ = 0;
  std::uint64_t changes_ = 0;
  bool unreadable_ = false;
};

}  // namespace tenure::core
