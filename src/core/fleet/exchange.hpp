// Brings what must move to those who have room, as if all pairs of a session and a taker were gone through from the
// best ranked down, and every pair agreed on that still could be. Which pairs those are depends neither on the order in
// which anything was added, nor on how many of them were carried out before: what is left is agreed on again.
// It looks at far fewer: sessions ask for their best taker, takers keep the best of those who asked and turn the rest
// away, who ask for their next best. As both sides go by the same ranks, this ends in the very same pairs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/fleet/rendezvous.hpp"

namespace tenure::core {

using MemberIndex = std::uint32_t;
using SessionIndex = std::uint32_t;
using GiverIndex = std::uint32_t;

class Exchange {
 public:
  explicit Exchange(std::span<const SessionHash> sessions) : sessions_(sessions) {}

  struct Taker {
    MemberIndex member = 0;
    std::uint64_t hash = 0;
    std::size_t room = 1;
  };
  struct Giver {
    std::size_t owned = 0;
    std::size_t to_give = 0;
  };
  // All takers come first, then the givers, then everything that those own. There must be room for exactly what goes.
  void add(const Taker& taker);
  GiverIndex add(const Giver& giver);
  void offer(GiverIndex giver, SessionIndex session);

  // Writes down the new owners of what goes.
  void settle(std::span<MemberIndex> placed);

 private:
  // A session in search of a taker, or one that a taker keeps for now.
  struct Offer {
    std::uint64_t rank = 0;
    SessionIndex session = 0;
    std::uint32_t party = 0;  // the taker that it asks, or the giver that it comes from
  };
  struct Giving {
    std::size_t to_give = 0;
    bool all_must_go = false;
    std::vector<Offer> offers;  // a heap, the best on top; in any order where all must go
  };
  struct Taking {
    MemberIndex member = 0;
    std::size_t room = 0;
    std::vector<Offer> offers;  // a heap, the worst on top
  };

  Offer best(SessionIndex session) const;
  Offer next(Giving& giver);
  void give(GiverIndex giver);
  bool turned_away(const Offer& offer) const { return offer.rank <= bars_[offer.party]; }

  std::span<const SessionHash> sessions_;
  // By taker. Who is full takes only what ranks higher than its bar, which is 0 while there is room.
  std::vector<std::uint64_t> hashes_;
  std::vector<std::uint64_t> bars_;
  std::vector<Taking> takers_;
  std::vector<Giving> givers_;
  std::vector<GiverIndex> unfinished_;
};

}  // namespace tenure::core
