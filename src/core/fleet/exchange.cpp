#include "core/fleet/exchange.hpp"

#include <algorithm>

#include "core/base/check.hpp"

namespace tenure::core {

namespace {

// Two pairs of equal rank are as good as impossible, but everybody must still agree on them.
auto worse_in(std::span<const SessionHash> sessions) {
  return [sessions](const auto& one, const auto& other) {
    if (one.rank != other.rank) return one.rank < other.rank;
    return sessions[one.session] < sessions[other.session];
  };
}

auto better_in(std::span<const SessionHash> sessions) {
  return [worse = worse_in(sessions)](const auto& one, const auto& other) { return worse(other, one); };
}

}  // namespace

void Exchange::add(const Taker& taker) {
  hashes_.push_back(taker.hash);
  bars_.push_back(0);
  takers_.push_back({taker.member, taker.room, {}});
  takers_.back().offers.reserve(taker.room + 1);
}

GiverIndex Exchange::add(const Giver& giver) {
  givers_.push_back({giver.to_give, giver.to_give == giver.owned, {}});
  givers_.back().offers.reserve(giver.owned);
  return static_cast<GiverIndex>(givers_.size() - 1);
}

void Exchange::offer(GiverIndex index, SessionIndex session) {
  Giving& giver = givers_[index];
  // Where there is no choice there is no hurry to look for the best taker.
  giver.offers.push_back(giver.all_must_go ? Offer{0, session, 0} : best(session));
}

void Exchange::settle(std::span<MemberIndex> placed) {
  for (GiverIndex i = 0; i < givers_.size(); ++i) {
    if (!givers_[i].all_must_go) std::ranges::make_heap(givers_[i].offers, worse_in(sessions_));
    unfinished_.push_back(i);
  }
  while (!unfinished_.empty()) {
    const GiverIndex giver = unfinished_.back();
    unfinished_.pop_back();
    give(giver);
  }
  for (const Taking& taker : takers_) {
    for (const Offer& offer : taker.offers) placed[offer.session] = taker.member;
  }
}

void Exchange::give(GiverIndex index) {
  Giving& giver = givers_[index];
  for (; giver.to_give > 0; --giver.to_give) {
    const Offer offer = next(giver);
    Taking& taker = takers_[offer.party];
    taker.offers.push_back({offer.rank, offer.session, index});
    std::ranges::push_heap(taker.offers, better_in(sessions_));
    if (taker.offers.size() > taker.room) {
      std::ranges::pop_heap(taker.offers, better_in(sessions_));
      const Offer out = taker.offers.back();
      taker.offers.pop_back();
      Giving& loser = givers_[out.party];
      loser.offers.push_back({out.rank, out.session, offer.party});
      if (!loser.all_must_go) std::ranges::push_heap(loser.offers, worse_in(sessions_));
      loser.to_give += 1;
      if (out.party != index) unfinished_.push_back(out.party);
    }
    if (taker.offers.size() == taker.room) bars_[offer.party] = taker.offers.front().rank;
  }
}

// The best offer whose taker would have it, and out of the giver's hands.
Exchange::Offer Exchange::next(Giving& giver) {
  for (;;) {
    if (!giver.all_must_go) std::ranges::pop_heap(giver.offers, worse_in(sessions_));
    Offer offer = giver.offers.back();
    giver.offers.pop_back();
    if (!turned_away(offer)) return offer;
    offer = best(offer.session);
    if (giver.all_must_go) return offer;
    giver.offers.push_back(offer);  // it ranks lower now; another may be better
    std::ranges::push_heap(giver.offers, worse_in(sessions_));
  }
}

Exchange::Offer Exchange::best(SessionIndex session) const {
  Offer best{0, session, 0};
  const SessionHash hash = sessions_[session];
  // Of a million sessions on a hundred members most of the time is spent here.
  const std::span hashes(hashes_);
  for (std::uint32_t i = 0; i < hashes.size(); ++i) {
    const std::uint64_t rank = rank_of(hashes[i], hash);
    if (rank > best.rank && rank > bars_[i]) {
      best.rank = rank;
      best.party = i;
    }
  }
  // While something must go, somebody has room, and takes anything.
  must(best.rank != 0, "there is room for all that is given");
  return best;
}

}  // namespace tenure::core
