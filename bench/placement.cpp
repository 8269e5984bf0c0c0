#include "core/fleet/placement.hpp"

#include <algorithm>
#include <stdexcept>

#include "benches.hpp"
#include "measure.hpp"
#include "stage.hpp"

namespace tenure::bench {

namespace {

using core::MemberIndex;
using core::SessionHash;

constexpr std::size_t sessions = 1'000'000;
constexpr MemberIndex members = 100;
constexpr std::size_t floor_sessions = 5'000;  // all of them would take many seconds a round

std::vector<std::string> ids(const std::string& of, std::size_t count) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(of + std::to_string(i));
  return all;
}

core::Placement placement_of(const std::vector<std::string>& ids) {
  std::vector<core::Member> all;
  for (const std::string& id : ids) all.push_back({id});
  return core::Placement(all);
}

// FNV-1a of both ids, as one text.
std::uint64_t hash_of(const std::string& instance, const std::string& session) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const std::string* text : {&instance, &session}) {
    for (const char letter : *text) hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3U;
  }
  return hash;
}

// What one writes first: both ids hashed for every pair.
std::vector<MemberIndex> by_hand(std::span<const std::string> all,
                                 const std::vector<std::string>& instances) {
  std::vector<MemberIndex> placed;
  for (const std::string& session : all) {
    std::uint64_t highest = 0;
    placed.push_back(0);
    for (MemberIndex i = 0; i < instances.size(); ++i) {
      const std::uint64_t rank = core::mixed(hash_of(instances[i], session));
      if (rank > highest) {
        highest = rank;
        placed.back() = i;
      }
    }
  }
  return placed;
}

struct Changed {
  std::vector<MemberIndex> before;
  std::size_t moves;
};

void expect_moves(const Changed& change, const core::Plan& plan) {
  std::size_t moves = 0;
  for (std::size_t i = 0; i < sessions; ++i) moves += change.before[i] != plan.placed[i] ? 1U : 0U;
  if (moves != change.moves) throw std::runtime_error(std::to_string(moves) + " sessions moved");
}

void expect_owner(MemberIndex owner) {
  if (owner > members) throw std::runtime_error("a session was placed nowhere");
}

}  // namespace

Rows placement(Stage& stage) {
  const auto names = ids("session-", sessions);
  const auto instances = ids("web-", members + 1);
  const std::vector<std::string> old(instances.begin(), instances.end() - 1);
  std::vector<SessionHash> hashes(sessions);
  const auto hash_all = [&] { std::ranges::transform(names, hashes.begin(), core::session_hash); };
  hash_all();

  const auto all = placement_of(old);
  const auto more = placement_of(instances);
  const auto less = placement_of({old.begin(), old.end() - 1});
  const std::vector<MemberIndex> none(sessions, core::nobody);
  const auto begun = all.place(hashes, none).placed;
  const Changed join{begun, sessions / (members + 1)};
  Changed leave{begun, sessions / members};
  for (MemberIndex& owner : leave.before) owner = owner == members - 1 ? core::nobody : owner;
  expect_moves(join, more.place(hashes, join.before));
  expect_moves(leave, less.place(hashes, leave.before));

  const auto block = [](auto work) { return [=] { return timed(work); }; };
  Row row{"placement", "Placement of 1,000,000 sessions on 100 instances",
          "Who should own which session. The first line is what one writes first: rendezvous hashing, "
          "FNV-1a over both ids and a mixer for every pair (5,000 sessions, times 200). It keeps neither a "
          "balance within one nor to what is owned already, as Tenure's placement does.",
          time_column};
  row.entries =
      measure({{"naive rendezvous", Kind::peer,
                block([&] { expect_owner(by_hand(std::span(names).first(floor_sessions), old).back()); }),
                static_cast<double>(floor_sessions) / static_cast<double>(sessions)},
               {"Tenure, from nothing, ids hashed", Kind::tenure, block([&] {
                  hash_all();
                  expect_owner(all.place(hashes, none).placed.back());
                })}},
              stage.rounds());
  Row change{"placement-change", "Placement of 1,000,000 sessions when one of 100 instances joins or leaves",
             "The ids are hashed already. It was checked that only the sessions that must move do.", ""};
  change.entries = measure({{"Tenure, one joins", Kind::tenure,
                             block([&] { expect_owner(more.place(hashes, join.before).placed.back()); })},
                            {"Tenure, one leaves", Kind::tenure,
                             block([&] { expect_owner(less.place(hashes, leave.before).placed.back()); })}},
                           stage.rounds());
  return {row, change};
}

}  // namespace tenure::bench
