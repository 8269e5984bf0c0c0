#include "core/lease/reconfiguration.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "core/base/check.hpp"

namespace tenure::core {

namespace {

// In place of why: from which set to which the node was brought, "3-a>5-b"; and on, if that was begun anew.
std::vector<std::string> sets_on(std::string_view way) {
  std::vector<std::string> sets;
  while (!way.empty()) {
    const auto end = std::min(way.find('>'), way.size());
    sets.emplace_back(way.substr(0, end));
    way.remove_prefix(std::min(end + 1, way.size()));
  }
  return sets;
}

// The way so far of a node that is closed. One that is open has arrived.
const std::string& way_of(const Record& record) {
  return record.reconfigured() && !record.open ? record.why : record.terms.set;
}

// Which sets could go on without this node, and must be looked at?
std::vector<std::string> left_by(const Record& record) {
  if (record.terms.set != no_set) return {record.terms.set};
  return sets_on(record.why);
}

// And in which ones does it certainly have no vote any more, once it is closed?
std::vector<std::string> missing_in(const Record& record) {
  auto sets = record.reconfigured() ? sets_on(record.why) : std::vector<std::string>{};
  if (std::ranges::find(sets, record.terms.set) == sets.end()) sets.push_back(record.terms.set);
  return sets;
}

}  // namespace

tl::expected<Reconfiguration, Reconfiguration::Obstacle> Reconfiguration::plan(
    Terms target, std::vector<FoundRecord> records, const std::vector<std::string>& abandoned,
    Naming naming) {
  const auto is_abandoned = [&](const std::string& set) {
    return std::ranges::find(abandoned, set) != abandoned.end();
  };
  std::map<std::string, NodeIndex> others;  // sets that could go on, each with a node that names it
  std::map<std::string, std::size_t> named;
  std::optional<NodeIndex> stranger;  // a node that does not belong to a set of the new one's name
  for (NodeIndex node = 0; node < records.size(); ++node) {
    const auto& record = records[node].read;
    if (!record && !records[node].absent()) return tl::unexpected(Obstacle{Obstacle::Kind::foreign, node});
    const auto missing = record ? missing_in(*record) : std::vector<std::string>{};
    if (node < nodes_in(target.set) && std::ranges::find(missing, target.set) == missing.end())
      stranger = node;
    for (const auto& set : missing) named[set] += 1;
    if (!record) continue;
    for (const auto& set : left_by(*record)) others.try_emplace(set, node);
  }
  if (naming == Naming::chosen && stranger && named.contains(target.set) && !is_abandoned(target.set)) {
    return tl::unexpected(Obstacle{Obstacle::Kind::same, *stranger, target.set});
  }
  for (const auto& [set, node] : others) {
    const std::size_t nodes = nodes_in(set);
    if (nodes == 0 || set == target.set || is_abandoned(set)) continue;
    const std::size_t needed = nodes - quorum_of(nodes) + 1;
    if (named[set] < needed) {
      return tl::unexpected(Obstacle{Obstacle::Kind::alive, node, set, named[set], needed});
    }
  }
  return Reconfiguration(std::move(target), std::move(records));
}

Reconfiguration::Reconfiguration(Terms target, std::vector<FoundRecord> records)
    : target_(std::move(target)),
      members_(nodes_in(target_.set)),
      records_(std::move(records)),
      longest_(target_.cap) {
  must(members_ >= 1 && members_ <= records_.size(), "every node of the new set is named");
  bool all = true;
  for (NodeIndex node = 0; node < records_.size(); ++node) {
    const auto& record = records_[node].read;
    if (record) longest_ = std::max(longest_, record->longest);
    all = all && (node < members_ ? record && record->terms == target_ && (record->open || !record->unknown())
                                  : !record || record->terms.set == no_set);
  }
  // Else all join anew, also those that show the new set already: a quarantine that somebody has sat out before the
  // others were closed would be no wait at all.
  joined_.assign(records_.size(), all);
}

// Where the node is to go. One that leaves has no part in the new set: it must not be taken for a member of it.
std::string Reconfiguration::end_of_way(NodeIndex node) const {
  return ">" + (node < members_ ? target_.set : std::string(no_set));
}

bool Reconfiguration::closed(NodeIndex node) const {
  const auto& record = records_[node].read;
  return record && record->terms.set == no_set && record->why.ends_with(end_of_way(node));
}

std::vector<Reconfiguration::Step> Reconfiguration::steps() const {
  std::vector<Step> closing;
  std::vector<Step> joining;
  for (NodeIndex node = 0; node < records_.size(); ++node) {
    const auto& [record, text] = records_[node];
    if (joined_[node]) continue;
    if (!closed(node)) {
      // One without a record, too: or somebody who names the new set already begins its quarantine too early.
      const std::string from = record ? way_of(*record) : "";
      closing.push_back({node, text, {longest_, std::string(no_set)}, longest_, from + end_of_way(node)});
    } else if (node < members_) {
      joining.push_back({node, text, target_, longest_, record->why});
    }
  }
  return closing.empty() ? joining : closing;
}

void Reconfiguration::taken(NodeIndex node, FoundRecord record) {
  joined_.at(node) = record.read && record.read->terms == target_;
  records_[node] = std::move(record);
}

}  // namespace tenure::core
