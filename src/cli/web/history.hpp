// Who owned what, and when: made from looks at the nodes, one after the other. Pure: time comes as an argument.
// It knows no more than looks show. A change lies between two of them, and whatever began and ended between two was not seen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "cli/lock/lock_view.hpp"
#include "cli/natural_order.hpp"

namespace tenure::cli {

using UnixMs = std::int64_t;

// What is looked at together: all locks, all elections, or the sessions of one fleet.
struct LaneGroup {
  LeaseKind kind = LeaseKind::lock;
  std::string fleet{};  // of sessions

  bool operator<(const LaneGroup& other) const {
    return std::tie(kind, fleet) < std::tie(other.kind, other.fleet);
  }
};

// Somebody had it: from a moment between the first two of these times to one between the last two.
struct OwnedSpan {
  std::string owner{};
  std::uint64_t token = 0;  // 0: not known
  std::optional<UnixMs>
      from_min{};     // the last look that did not see it; nothing: it was there when the record began
  UnixMs from = 0;    // the first that did
  UnixMs to_min = 0;  // the last that did
  std::optional<UnixMs> to{};  // the first that did not; nothing: it goes on
};

// A time in which a node gave no leases, or nothing could be seen.
struct ClosedSpan {
  std::string node{};  // empty: all of them
  std::string why{};
  UnixMs from = 0;
  std::optional<UnixMs> to{};
};

struct OwnerChange {
  std::string name;
  std::string was{};    // the owner before; empty: nobody
  std::string owner{};  // empty: nobody
  std::uint64_t token = 0;
  UnixMs at_min = 0;  // it happened between these
  UnixMs at = 0;
};

// One of these, as a look shows it.
struct SeenOwner {
  std::string name;
  std::string owner;
  std::uint64_t token = 0;
};

class History {
 public:
  struct Limits {
    UnixMs kept = 3'600'000;      // of what has ended
    std::size_t spans = 200'000;  // of all; what has ended first is forgotten first
  };
  History() : History(Limits{}) {}
  explicit History(Limits limits) : limits_(limits) {}

  using Lane = std::vector<OwnedSpan>;                     // the oldest first
  using Lanes = std::map<std::string, Lane, NaturalLess>;  // by name

  // All of a group that are owned at that time, by name in natural order. What is missing has no owner. The first look at a group
  // changes nothing: it only shows how things are.
  std::vector<OwnerChange> saw(const LaneGroup& group, std::span<const SeenOwner> owned, UnixMs at);
  // The group could not be seen.
  void saw_nothing(const LaneGroup& group, const std::string& why, UnixMs at);
  void forget(const LaneGroup& group);
  // Which nodes give no leases at that time, and why.
  void saw_closed(std::span<const ClosedSpan> closed, UnixMs at);

  const Lanes& lanes(const LaneGroup& group) const;
  // Since when there is a record of the group; nothing: there is none.
  std::optional<UnixMs> since(const LaneGroup& group) const;
  // The time between the last two looks that saw the group.
  std::optional<UnixMs> interval(const LaneGroup& group) const;
  // When the group was not seen, and when nodes gave no leases; the oldest first.
  std::vector<ClosedSpan> blind(const LaneGroup& group) const;
  const std::deque<ClosedSpan>& closed() const { return closed_; }

 private:
  struct Group {
    Lanes lanes{};
    std::optional<UnixMs> looked{};    // the last that saw it
    std::optional<UnixMs> interval{};  // from the one before
    std::optional<UnixMs> since{};     // the first that saw it, or what came before is forgotten
    std::deque<ClosedSpan> blind{};
  };

  OwnedSpan begun(const SeenOwner& seen, const Group& group, UnixMs at) const;
  void forget_old(UnixMs now);
  void forget_before(UnixMs time);

  Limits limits_;
  std::map<LaneGroup, Group> groups_{};
  std::deque<ClosedSpan> closed_{};
  std::size_t spans_ = 0;
  UnixMs forget_at_ = 0;
};

}  // namespace tenure::cli
