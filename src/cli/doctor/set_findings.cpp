#include "cli/doctor/set_findings.hpp"

#include <algorithm>
#include <map>

#include "core/base/text.hpp"

namespace tenure::cli {

namespace {

using Findings = std::vector<Finding>;
using Nodes = std::vector<std::optional<NodeInSet>>;

// What a healthy NTP never reaches; with a short cap sooner, or the error would come without a warning.
core::Duration clock_tolerance(core::Ttl cap) {
  return std::min<core::Duration>(std::chrono::seconds(1), core::Duration(cap) / 4);
}

void judge_identity(Findings& all, const Nodes& nodes) {
  std::map<std::string, std::size_t, std::less<>> first;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (!nodes[i] || nodes[i]->server.empty()) continue;
    const auto [before, is_first] = first.emplace(nodes[i]->server, i);
    if (is_first) continue;
    all.push_back({Severity::error, "same_server", i,
                   "it is the same server as " + nodes[before->second]->name,
                   "it would have two votes, and when it fails two are gone", "name each server once"});
  }
}

struct Clock {
  std::size_t node = 0;
  core::Duration ahead{};
};

core::Duration apart(core::Duration one, core::Duration other) {
  return one < other ? other - one : one - other;
}

// Of three and more the middle one. Of two nobody can say which is wrong, but ours is a witness: the one that is
// nearer to it. Ours itself is no measure: when it is the wrong one, nodes that agree are well.
Clock reference(std::vector<Clock> clocks) {
  if (clocks.size() < 3) {
    return *std::ranges::min_element(clocks, {},
                                     [](const Clock& it) { return apart(it.ahead, core::Duration::zero()); });
  }
  std::ranges::sort(clocks, {}, &Clock::ahead);
  return clocks[clocks.size() / 2];
}

std::string ahead_text(core::Duration ahead) {
  const auto whole = std::chrono::round<std::chrono::milliseconds>(apart(ahead, core::Duration::zero()));
  return core::to_text(whole) + (ahead < core::Duration::zero() ? " behind " : " ahead of ");
}

void judge_clocks(Findings& all, const Nodes& nodes, core::Ttl cap) {
  std::vector<Clock> clocks;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i] && nodes[i]->clock_ahead) clocks.push_back({i, *nodes[i]->clock_ahead});
  }
  if (clocks.empty()) return;
  const auto [right_one, right] = reference(clocks);
  const std::string whose = "that of " + (clocks.size() < 3 ? nodes[right_one]->name : "most nodes");
  const auto tolerance = clock_tolerance(cap);
  const std::string why = "after lost data fencing tokens rest on clocks that agree within the cap, " +
                          core::to_text(cap) + "; half of that is too much";
  for (const auto& [node, ahead] : clocks) {
    if (apart(ahead, right) <= tolerance) continue;
    const bool far = apart(ahead, right) >= core::Duration(cap) / 2;
    all.push_back({far ? Severity::error : Severity::warning, "clock", node,
                   "its clock is " + ahead_text(ahead - right) + whose, why,
                   "set the clocks by NTP, slowly: a step forward ends leases early"});
  }
  if (apart(right, core::Duration::zero()) > tolerance) {
    all.push_back({Severity::warning,
                   "own_clock",
                   {},
                   "this machine's clock is " + ahead_text(-right) + whose,
                   "the end of a quarantine is then shown wrongly",
                   "set the clock of this machine by NTP"});
  }
}

void judge_number(Findings& all, std::size_t count) {
  if (count % 2 != 0) return;
  all.push_back({Severity::note,
                 "even",
                 {},
                 std::to_string(count) + " nodes are an even number",
                 "they tolerate no more failures than " + std::to_string(count - 1),
                 "take one more or one less"});
}

}  // namespace

std::vector<Finding> findings_of_all(const std::vector<std::optional<NodeInSet>>& nodes, core::Ttl cap) {
  Findings all;
  judge_identity(all, nodes);
  judge_clocks(all, nodes, cap);
  judge_number(all, nodes.size());
  return all;
}

}  // namespace tenure::cli
