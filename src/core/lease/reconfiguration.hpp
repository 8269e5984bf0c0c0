// Changes what the clients of a set agree on: which nodes decide, or the longest TTL. No two majorities may give leases
// beside each other, however far it comes and whoever dies on the way:
//
//   1. Close: every node named, also one that is new, gets a record of no set, so that nobody is given or keeps anything
//      there, and no quarantine begins. When all are closed, no old set has a majority left.
//   2. Join: every node of the new set gets its record, quarantined for the longest TTL that anybody could have had.
//
// Whoever drives it performs the steps, in any order, and says what came of them. Broken off, it is simply begun again.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "core/lease/record.hpp"
#include "core/nodes.hpp"

namespace tenure::core {

class Reconfiguration {
 public:
  // Why it cannot be.
  struct Obstacle {
    enum class Kind : std::uint8_t {
      foreign,  // the node has a record that Tenure did not write
      alive,    // so few nodes of another set are named that the others could go on by themselves
      same,     // a set of that name is in use, and the node is not one of it
    };
    Kind kind = Kind::foreign;
    NodeIndex node = 0;
    std::string set{};      // the other one
    std::size_t named = 0;  // how many nodes of it are
    std::size_t needed = 0;
  };
  // Puts a record in the place of the one that was seen, in quarantine.
  struct Step {
    NodeIndex node = 0;
    std::string seen{};  // FoundRecord::text
    Terms terms{};
    Ttl longest{};
    std::string why{};
  };

  // What each node shows: first the nodes of the new set, then others that leave.
  // Of a set that is abandoned somebody says that no other nodes of it give leases. A name that somebody chose may
  // stand for other nodes than before; one made of addresses cannot.
  enum class Naming : std::uint8_t { by_addresses, chosen };
  static tl::expected<Reconfiguration, Obstacle> plan(Terms target, std::vector<FoundRecord> records,
                                                      const std::vector<std::string>& abandoned = {},
                                                      Naming naming = Naming::by_addresses);

  // What is to be done now. None: it is done.
  std::vector<Step> steps() const;
  // That step was taken, and left this record. Of one whose record had changed since, or of which no answer came,
  // nothing is known: it is planned anew.
  void taken(NodeIndex node, FoundRecord record);

  // No lease of anybody lasts longer than that from when it is done.
  Ttl longest() const { return longest_; }
  // Is nothing to be changed?
  bool idle() const { return steps().empty(); }

 private:
  Reconfiguration(Terms target, std::vector<FoundRecord> records);
  std::string end_of_way(NodeIndex node) const;
  bool closed(NodeIndex node) const;

  Terms target_;
  std::size_t members_ = 0;
  std::vector<FoundRecord> records_;
  std::vector<bool> joined_{};  // by node: its record is that of the new set, written after all were closed
  Ttl longest_{};
};

}  // namespace tenure::core
