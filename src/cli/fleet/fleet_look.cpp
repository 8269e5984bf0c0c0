#include "cli/fleet/fleet_look.hpp"

#include <algorithm>
#include <set>

#include "cli/lock/lock_plan.hpp"
#include "cli/message.hpp"
#include "runtime/wall_clock.hpp"

namespace tenure::cli {

FleetLook::FleetLook(ChosenFleet fleet)
    : FleetLook(std::move(fleet), [](const std::string& sentence) { say(sentence); }) {}

FleetLook::FleetLook(ChosenFleet fleet, Tell tell)
    : fleet_(std::move(fleet)), tell_(std::move(tell)), data_(open_data(fleet_)) {}

FleetLook::Done FleetLook::read_leases(const Ids& ids, FleetFacts& facts) const {
  const NodeInspector& nodes = *fleet_.store.inspector;
  LeasesLooked looked = nodes.leases(fleet_.leases(), ids);
  if (auto trouble = failures_said(looked.failures, nodes.names())) {
    if (!enough(looked.failures, nodes.names().size())) return tl::unexpected(*trouble);
    tell_(*trouble);
  }
  facts.leases = std::move(looked.leases);
  return {};
}

// A program may have its sessions from elsewhere (SessionSource): then only leases and heartbeats tell of them. All keys
// are gone through only if there is something to find.
void FleetLook::find_unlisted(FleetFacts& facts) const {
  std::uint64_t said_owned = 0;
  for (const auto& beat : facts.beats) {
    if (beat.said) said_owned += beat.said->owned;
  }
  const auto owned = static_cast<std::uint64_t>(std::ranges::count_if(facts.leases, &LeaseView::holds));
  if (!facts.sessions.good.empty() && said_owned <= owned) return;
  const NodeInspector& nodes = *fleet_.store.inspector;
  Looked looked = nodes.leases_under(fleet_.leases());
  if (!enough(looked.failures, nodes.names().size())) {
    tell_("leases of sessions that are listed nowhere could not be counted: " +
          *failures_said(looked.failures, nodes.names()));
    return;
  }
  std::set<std::string> listed;
  for (const auto& session : facts.sessions.good) listed.insert(session.id);
  std::erase_if(looked.locks, [&](const LockView& lease) { return listed.contains(lease.name); });
  for (LockView& lease : looked.locks) facts.unlisted.push_back(static_cast<LeaseView&&>(lease));
}

// Of nodes that do not answer, read_leases() has told.
void FleetLook::read_records(FleetFacts& facts) const {
  ClosedNodes closed = fleet_.store.inspector->closed_nodes();
  facts.closed = std::move(closed.nodes);
  facts.open = closed.open;
}

tl::expected<FleetView, std::string> FleetLook::look() {
  FleetFacts facts;
  facts.now_ms = runtime::wall_now_ms();
  auto sessions = data_->sessions();
  if (!sessions) return tl::unexpected(std::move(sessions.error()));
  facts.sessions = std::move(*sessions);
  auto beats = data_->beats();
  if (!beats) return tl::unexpected(std::move(beats.error()));
  facts.beats = std::move(*beats);
  Ids ids;
  ids.reserve(facts.sessions.good.size());
  for (const auto& session : facts.sessions.good) ids.push_back(session.id);
  auto results = data_->results(ids);
  if (!results) return tl::unexpected(std::move(results.error()));
  facts.results = std::move(*results);
  if (auto done = read_leases(ids, facts); !done) return tl::unexpected(done.error());
  find_unlisted(facts);
  read_records(facts);
  return view_of(std::move(facts));
}

}  // namespace tenure::cli
