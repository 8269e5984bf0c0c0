#include "core/lease/majority_reads.hpp"

#include <algorithm>
#include <utility>

namespace tenure::core {

bool MajorityRead::seen_by_majority(std::size_t name) const {
  const auto states = states_of(answers_, name);
  const auto unseen_by = std::ranges::count(states, nullptr);
  return states.size() - static_cast<std::size_t>(unseen_by) >= quorum_of(states.size());
}

std::vector<NodeFailure> MajorityRead::failures(std::size_t name) const {
  auto failures = failures_;
  for (NodeIndex node = 0; node < answers_.size(); ++node) {
    if (answers_[node] && !(*answers_[node])[name].known) failures.push_back({node, not_looked_at});
  }
  return failures;
}

void MajorityRead::on_reply(RequestId request, const Reply& reply) {
  const NodeIndex node = unanswered_.extract(request).mapped();
  const auto* states = std::get_if<KeyStates>(&reply);
  const auto* failure = std::get_if<Failure>(&reply);
  if (states != nullptr && states->size() == names_) {
    answers_[node] = *states;
  } else {
    failures_.push_back({node, failure != nullptr ? *failure : misfit});
  }
}

MajorityReads::Id MajorityReads::ask(std::vector<std::string> keys, Duration node_timeout, Time now,
                                     Outbox& out) {
  const Id id = ++last_;
  MajorityRead& read = reads_[id];
  read.names_ = keys.size();
  read.answers_.resize(nodes_);
  read.ends_at_ = now + node_timeout;
  const LookRequest request{std::move(keys)};
  for (NodeIndex node = 0; node < nodes_; ++node) {
    const RequestId sent = out.send(node, request, node_timeout);
    read.unanswered_.emplace(sent, node);
    asked_.emplace(sent, id);
  }
  return id;
}

std::optional<MajorityReads::Id> MajorityReads::on_reply(RequestId request, const Reply& reply) {
  const auto asked = asked_.extract(request);
  if (asked.empty()) return std::nullopt;
  reads_.at(asked.mapped()).on_reply(request, reply);
  return asked.mapped();
}

std::vector<MajorityReads::Id> MajorityReads::on_timer(Time now, Outbox& out) {
  std::vector<Id> over;
  for (auto& [id, read] : reads_) {
    if (now < read.ends_at_) continue;
    over.push_back(id);
    while (!read.complete()) {
      const auto [request, node] = *read.unanswered_.begin();
      out.drop(node, request);
      asked_.erase(request);
      read.on_reply(request, silence);
    }
  }
  return over;
}

void MajorityReads::end(Id id, Outbox& out) {
  const auto read = reads_.extract(id);
  for (const auto& [request, node] : read.mapped().unanswered_) {
    out.forget(request);
    asked_.erase(request);
  }
}

void MajorityReads::end_all(Outbox& out) {
  while (!reads_.empty()) end(reads_.begin()->first, out);
}

std::optional<Time> MajorityReads::wake() const {
  std::optional<Time> first;
  for (const auto& [id, read] : reads_) first = sooner(first, read.ends_at_);
  return first;
}

}  // namespace tenure::core
