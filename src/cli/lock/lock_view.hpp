// What several nodes show for one name, put together: who has it, if anybody. Pure: asks nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/lease/grant.hpp"
#include "redis/script_call.hpp"

namespace tenure::cli {

enum class LockState : std::uint8_t {
  free,     // too few nodes show anything: nobody has it
  held,     // a majority shows the same grant
  perhaps,  // it could be a majority together with nodes that do not answer
  kept,     // given back, and kept a moment for a waiter
  broken,   // waits until its last holder cannot believe in it any more
  foreign,  // taken by something that Tenure did not write
};

const char* word_for(LockState state);

// What a lease is of.
enum class LeaseKind : std::uint8_t { lock, election, session };

const char* word_for(LeaseKind kind);

struct LeaseName {
  std::string name;
  LeaseKind kind = LeaseKind::lock;
  std::string fleet{};  // of a session
};

// Whose key it is, the prefix of all keys (Keyspace::root) taken off. An election whose name has ":lease:" in its midst
// cannot be told from a session.
LeaseName lease_name(const std::string& key, const std::string& lock_prefix);

// Nothing for a node that did not answer.
using FoundKeys = std::vector<std::optional<redis::FoundKey>>;

// Who has it, and for how long: as much as is kept of each of many sessions.
struct LeaseView {
  LockState state = LockState::free;
  core::Holder holder{};        // of the grant that most nodes show; also of leftovers that hold nothing
  core::Ttl left{-2};           // the longest that it shows; -1: no expiry, -2: there is nothing at all
  std::uint32_t shown_on = 0;   // how many nodes show that grant
  std::uint32_t nodes_all = 0;  // of so many

  bool taken() const { return state != LockState::free; }
  // Has somebody a grant, as far as anybody can tell?
  bool holds() const { return state == LockState::held || state == LockState::perhaps; }
};

struct LockView : LeaseView {
  std::string name{};
  std::string grant{};  // its stamp, or the whole value if it is foreign
  std::int64_t waiters = 0;
  // Since when it is held is not in Redis today.
  FoundKeys nodes{};
  std::optional<LeaseKind> kind{};  // nothing: not asked, or nothing is kept for the name
  std::string fleet{};              // of a session
};

// The majority is one of all nodes, whether they answer or not.
LockView view_of(std::string name, FoundKeys nodes);
LockView view_of(LeaseName name, FoundKeys nodes);

}  // namespace tenure::cli
