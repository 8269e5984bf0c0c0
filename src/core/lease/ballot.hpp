// Counts one vote per node towards a majority of the configured nodes (T7).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/check.hpp"
#include "core/nodes.hpp"

namespace tenure::core {

enum class Verdict : std::uint8_t { open, won, lost };

class Ballot {
 public:
  explicit Ballot(std::size_t nodes) : votes_(nodes, Vote::none) { must(nodes > 0, "a ballot has nodes"); }

  Verdict on_vote(NodeIndex node, bool granted) {
    must(node < votes_.size(), "a vote comes from a configured node");
    // A repeated reply must not count as a second node.
    if (votes_[node] == Vote::none) {
      votes_[node] = granted ? Vote::granted : Vote::refused;
      (granted ? granted_ : refused_) += 1;
    }
    return verdict();
  }

  Verdict verdict() const {
    if (granted_ >= quorum()) return Verdict::won;
    // With an even number of nodes a tie is no quorum either way; it must still end (T6).
    if (votes_.size() - refused_ < quorum()) return Verdict::lost;
    return Verdict::open;
  }

  bool voted(NodeIndex node) const { return votes_.at(node) != Vote::none; }
  std::size_t quorum() const { return quorum_of(votes_.size()); }

 private:
  enum class Vote : std::uint8_t { none, granted, refused };

  std::vector<Vote> votes_;
  std::size_t granted_ = 0;
  std::size_t refused_ = 0;
};

}  // namespace tenure::core
