// Questions to every node who holds some names, and what a majority answers. For those who want to know: it decides nothing
// about leases.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/lease/view.hpp"
#include "core/outbox.hpp"

namespace tenure::core {

// One question, as far as nodes have answered it.
class MajorityRead {
 public:
  bool complete() const { return unanswered_.empty(); }
  bool seen_by_majority(std::size_t name) const;
  View view(std::size_t name) const { return view_of(states_of(answers_, name)); }
  // Of the nodes that did not answer, or answered something else, or could not look at that name.
  std::vector<NodeFailure> failures(std::size_t name) const;

 private:
  friend class MajorityReads;

  void on_reply(RequestId request, const Reply& reply);

  std::size_t names_ = 0;
  std::map<RequestId, NodeIndex> unanswered_{};
  std::vector<std::optional<KeyStates>> answers_{};  // by node
  std::vector<NodeFailure> failures_{};
  Time ends_at_{};
};

// Those under way.
class MajorityReads {
 public:
  using Id = std::uint64_t;

  explicit MajorityReads(std::size_t nodes) : nodes_(nodes) {}

  // At most as many names as BatchMax says.
  Id ask(std::vector<std::string> keys, Duration node_timeout, Time now, Outbox& out);
  // The one that it answers; nothing when that has ended.
  std::optional<Id> on_reply(RequestId request, const Reply& reply);
  // Those whose time is over: what is silent has failed, and they are complete.
  std::vector<Id> on_timer(Time now, Outbox& out);
  const MajorityRead& at(Id id) const { return reads_.at(id); }
  // What was not answered yet is of no interest any more.
  void end(Id id, Outbox& out);
  void end_all(Outbox& out);
  std::optional<Time> wake() const;

 private:
  std::size_t nodes_;
  std::map<Id, MajorityRead> reads_;
  std::map<RequestId, Id> asked_;
  Id last_ = 0;
};

}  // namespace tenure::core
