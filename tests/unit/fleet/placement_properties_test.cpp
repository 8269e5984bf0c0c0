// What holds of every placement, whatever the members, weights, sessions and owners: P19–P21, B8, L4, T53.
// A failure prints what to set RC_PARAMS to in order to see it again.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <random>

#include "unit/fleet/placing.hpp"

namespace tenure::core {
namespace {

// The hundred tries that are usual miss what is rare. Whoever sets RC_PARAMS has the last word.
[[maybe_unused]] const int thousand_tries = setenv("RC_PARAMS", "max_success=1000", 0);

struct World {
  std::vector<Member> members;
  std::vector<SessionHash> sessions;
  std::vector<MemberIndex> owners;  // anything: too much, gone, nobody

  Placement placement() const { return Placement(members); }
  Plan plan() const { return placement().place(sessions, owners); }
  std::uint64_t weight() const {
    std::uint64_t sum = 0;
    for (const Member& member : members) sum += member.weight;
    return sum;
  }
};

void showValue(const World& world, std::ostream& to) {
  to << world.sessions.size() << " sessions;";
  for (const Member& member : world.members) to << " " << member.id << "*" << member.weight;
  to << "; owners";
  for (const MemberIndex owner : world.owners) to << " " << static_cast<std::int32_t>(owner);
}

template <class Number>
Number from_to(Number least, Number most) {
  return *rc::gen::inRange<Number>(least, most + 1);
}

std::vector<Member> any_members(std::size_t least, std::size_t most, bool weighted) {
  auto all = members(from_to(least, most));
  const auto suffix = std::to_string(from_to(0, 1'000'000));
  for (Member& member : all) {
    member.id += "-" + suffix;
    if (weighted) member.weight = *rc::gen::element<std::uint32_t>(0, 1, 1, 1, 2, 3, 10);
  }
  // The first has a weight: somebody must be there.
  if (weighted) all.front().weight = from_to(1U, 5U);
  return all;
}

World made_world(bool weighted) {
  World world;
  world.members = any_members(1, 9, weighted);
  world.sessions = sessions(from_to(0U, 60U), std::to_string(from_to(0, 1'000'000)) + "-");
  // Between everybody with the same chance and one with nearly all.
  const auto favourite = static_cast<MemberIndex>(from_to(std::size_t{0}, world.members.size()));
  const auto share = from_to(0, 4);
  for (std::size_t i = 0; i < world.sessions.size(); ++i) {
    const auto owner = static_cast<MemberIndex>(from_to(std::size_t{0}, world.members.size() + 1));
    const bool is_nobodys = owner == world.members.size() + 1;
    world.owners.push_back(from_to(0, 4) < share ? favourite : is_nobodys ? nobody : owner);
  }
  return world;
}

// One value to rapidcheck, which it prints and shrinks as a whole.
World any_world(bool weighted = true) {
  return *rc::gen::exec([weighted] { return made_world(weighted); });
}

// In balance, but not as this placement would have begun: the members had other names.
World any_balanced_world(bool weighted) {
  World world = any_world(weighted);
  auto others = world.members;
  for (Member& other : others) other.id += "'";
  world.owners = Placement(others).place(world.sessions, world.owners).placed;
  return world;
}

// The fewest moves with which each member has its share, rounded up or down: all ways to round are tried.
std::size_t fewest_moves(const World& world) {
  const std::size_t m = world.members.size();
  const auto owned = shares(world.owners, m);
  std::size_t fewest = world.sessions.size();
  for (std::uint32_t up = 0; up < (1U << m); ++up) {
    std::size_t given = 0;
    std::size_t kept = 0;
    bool allowed = true;
    for (std::size_t i = 0; i < m; ++i) {
      const std::uint64_t shares = world.sessions.size() * world.members[i].weight;
      const bool rounded_up = (up >> i & 1U) != 0;
      allowed = allowed && (!rounded_up || shares % world.weight() != 0);
      const std::size_t quota = shares / world.weight() + (rounded_up ? 1 : 0);
      given += quota;
      kept += std::min(quota, owned[i]);
    }
    if (allowed && given == world.sessions.size()) fewest = std::min(fewest, world.sessions.size() - kept);
  }
  return fewest;
}

// What the exchange promises, word for word: all pairs from the best ranked down.
std::vector<MemberIndex> pair_by_pair(const World& world, const std::vector<std::size_t>& quota) {
  const Placement placement = world.placement();
  const std::size_t m = world.members.size();
  auto owned = shares(world.owners, m);
  auto placed = world.owners;
  struct Pair {
    std::uint64_t rank;
    std::size_t session;
    MemberIndex member;
  };
  std::vector<Pair> pairs;
  for (std::size_t s = 0; s < placed.size(); ++s) {
    for (MemberIndex i = 0; i < m; ++i) pairs.push_back({placement.rank(i, world.sessions[s]), s, i});
  }
  std::ranges::sort(pairs, std::greater<>(), &Pair::rank);
  for (const Pair& pair : pairs) {
    MemberIndex& owner = placed[pair.session];
    if (owned[pair.member] >= quota[pair.member]) continue;
    if (owner < m && owned[owner] <= quota[owner]) continue;
    if (owner < m) owned[owner] -= 1;
    owner = pair.member;
    owned[pair.member] += 1;
  }
  return placed;
}

// Some of the moves are done, some under way, some not begun; or some members are quicker than others.
std::vector<MemberIndex> carried_out_in_part(const World& world, const std::vector<MemberIndex>& goal) {
  auto owners = world.owners;
  const bool by_member = *rc::gen::arbitrary<bool>();
  const auto quick = *rc::gen::arbitrary<std::uint16_t>();
  for (std::size_t i = 0; i < owners.size(); ++i) {
    if (owners[i] == goal[i]) continue;
    const int progress = by_member ? ((quick >> goal[i] & 1) != 0 ? 2 : 0) : from_to(0, 2);
    if (progress > 0) owners[i] = progress == 2 ? goal[i] : nobody;
  }
  return owners;
}

RC_GTEST_PROP(AnyPlacement, IsWithinOneOfWhatEachWeightIsWorth, ()) {  // P20, B8
  const World world = any_world();
  const Plan plan = world.plan();
  RC_ASSERT(shares(plan.placed, world.members.size()) == plan.quota);
  RC_ASSERT(std::reduce(plan.quota.begin(), plan.quota.end()) == world.sessions.size());
  for (std::size_t i = 0; i < plan.quota.size(); ++i) {
    const std::uint64_t ideal = world.sessions.size() * world.members[i].weight;  // times the weight of all
    RC_ASSERT(plan.quota[i] * world.weight() < ideal + world.weight());
    RC_ASSERT((plan.quota[i] + 1) * world.weight() > ideal);
  }
}

RC_GTEST_PROP(AnyPlacement, MovesAsLittleAsCanBe, ()) {  // B8, L4
  const World world = any_world();
  RC_ASSERT(moves(world.owners, world.plan().placed) == fewest_moves(world));
}

RC_GTEST_PROP(AnyPlacement, MovesAsLittleAsCanBeWhenOneJoins, ()) {  // P21
  World world = any_balanced_world(true);
  world.members.push_back({"newcomer", from_to(1U, 3U)});
  const auto placed = world.plan().placed;
  RC_ASSERT(moves(world.owners, placed) == fewest_moves(world));
}

RC_GTEST_PROP(AnyPlacement, MovesToTheNewcomerOnlyWhenOneJoins, ()) {  // P21
  World world = any_balanced_world(false);
  world.members.push_back({"newcomer"});
  const auto placed = world.plan().placed;
  for (std::size_t i = 0; i < placed.size(); ++i) {
    RC_ASSERT(placed[i] == world.owners[i] || placed[i] == world.members.size() - 1);
  }
}

RC_GTEST_PROP(AnyPlacement, MovesOnlyWhatOneOwnedThatLeaves, ()) {  // P16
  World world = any_balanced_world(false);
  RC_PRE(world.members.size() > 1);
  world.members.pop_back();
  const auto placed = world.plan().placed;
  for (std::size_t i = 0; i < placed.size(); ++i) {
    RC_ASSERT(placed[i] == world.owners[i] || world.owners[i] == world.members.size());
  }
}

RC_GTEST_PROP(AnyPlacement, LeavesWhatIsInBalanceAsItIs, ()) {  // T53: stickiness beats hashing
  const World world = any_balanced_world(true);
  RC_ASSERT(world.plan().placed == world.owners);
}

RC_GTEST_PROP(AnyPlacement, IsTheSameInWhicheverOrderAllCome, ()) {
  const World world = any_world();
  const Plan plan = world.plan();
  const std::size_t m = world.members.size();
  std::vector<std::size_t> members(m);
  std::vector<std::size_t> sessions(world.sessions.size());
  std::iota(members.begin(), members.end(), 0);
  std::iota(sessions.begin(), sessions.end(), 0);
  std::shuffle(members.begin(), members.end(), std::mt19937_64(from_to(0U, 1'000'000U)));
  std::shuffle(sessions.begin(), sessions.end(), std::mt19937_64(from_to(0U, 1'000'000U)));

  World other;
  std::vector<MemberIndex> renamed(m);
  for (const std::size_t i : members) {
    renamed[i] = static_cast<MemberIndex>(other.members.size());
    other.members.push_back(world.members[i]);
  }
  const auto rename = [&](MemberIndex owner) { return owner < m ? renamed[owner] : owner; };
  for (const std::size_t s : sessions) {
    other.sessions.push_back(world.sessions[s]);
    other.owners.push_back(rename(world.owners[s]));
  }
  const Plan again = other.plan();
  for (std::size_t s = 0; s < sessions.size(); ++s)
    RC_ASSERT(again.placed[s] == rename(plan.placed[sessions[s]]));
  for (std::size_t i = 0; i < m; ++i) RC_ASSERT(again.quota[renamed[i]] == plan.quota[i]);
}

RC_GTEST_PROP(AnyPlacement, IsWhatGoingThroughAllPairsWouldGive, ()) {
  const World world = any_world();
  const Plan plan = world.plan();
  RC_ASSERT(plan.placed == pair_by_pair(world, plan.quota));
}

RC_GTEST_PROP(AnyPlacement, IsTheSameAgainWhenItIsCarriedOutInPart, ()) {
  World world = any_world();
  const Plan plan = world.plan();
  for (int step = 0; step < 3; ++step) {
    world.owners = carried_out_in_part(world, plan.placed);
    const Plan again = world.plan();
    RC_ASSERT(again.placed == plan.placed);
    RC_ASSERT(again.quota == plan.quota);
  }
}

RC_GTEST_PROP(AnyPlacement, IsTheSameAgainWhileSeveralJoinAndLeave, ()) {
  World world = any_balanced_world(false);
  const auto leaving = std::min(from_to(std::size_t{0}, std::size_t{3}), world.members.size() - 1);
  const auto staying = static_cast<MemberIndex>(world.members.size() - leaving);
  for (MemberIndex& owner : world.owners) owner = owner < staying ? owner : nobody;
  world.members.resize(staying);
  const int joining = from_to(0, 4);
  for (int i = 0; i < joining; ++i) world.members.push_back({"newcomer-" + std::to_string(i)});
  const Plan plan = world.plan();
  RC_ASSERT(moves(world.owners, plan.placed) == fewest_moves(world));
  world.owners = carried_out_in_part(world, plan.placed);
  RC_ASSERT(world.plan().placed == plan.placed);
}

RC_GTEST_PROP(AnyPlacement, GivesNothingToWhoWeighsNothing, ()) {
  World world = any_world();
  world.members.push_back({"leaving", 0});
  for (MemberIndex& owner : world.owners) {
    if (from_to(0, 2) == 0) owner = static_cast<MemberIndex>(world.members.size() - 1);
  }
  const Plan plan = world.plan();
  for (const MemberIndex owner : plan.placed) RC_ASSERT(world.members.at(owner).weight > 0U);
}

RC_GTEST_PROP(AnyPlacement, RanksTheMembersFromFirstToLast, ()) {
  const auto all = any_members(1, 20, false);
  const Placement placement(all);
  const SessionHash session = *rc::gen::arbitrary<SessionHash>();
  std::vector<MemberIndex> by_position(all.size(), nobody);
  for (MemberIndex i = 0; i < all.size(); ++i) by_position.at(placement.position(i, session)) = i;
  RC_ASSERT(std::ranges::count(by_position, nobody) == 0);
  for (std::size_t i = 1; i < all.size(); ++i) {
    RC_ASSERT(placement.rank(by_position[i - 1], session) > placement.rank(by_position[i], session));
  }
}

RC_GTEST_PROP(AnyPlacement, RanksIdsThatCountUpEvenly, ()) {  // P19
  const auto all = any_members(2, 12, false);
  const auto prefix = *rc::gen::element<std::string>("", "s", "session:", "http://10.0.0.", "000000000");
  const std::size_t each = 400;
  const auto counts = firsts(Placement(all), all.size(), sessions(each * all.size(), prefix));
  // Chance alone stays within six times its deviation, 20, but for once in a hundred million.
  for (const std::size_t count : counts) RC_ASSERT(count >= each - 120 && count <= each + 120);
}

}  // namespace
}  // namespace tenure::core
