#include "cli/fleet/fleet_look.hpp"

#include <algorithm>
#include <set>
#include <span>

#include "cli/ask_all.hpp"
#include "cli/lock/lock_plan.hpp"
#include "cli/message.hpp"
#include "core/base/number.hpp"
#include "redis/text/failure_text.hpp"
#include "runtime/wall_clock.hpp"

namespace tenure::cli {

namespace {

using core::Failure;

constexpr std::size_t beats_per_call = 500;

template <class Item>
std::span<const Item> part(const std::vector<Item>& all, std::size_t from, std::size_t size) {
  return std::span(all).subspan(from, std::min(size, all.size() - from));
}

FleetFacts::Result understood(const redis::FoundResult& found) {
  return {poll::read_result(found.beginning), core::read_number<std::uint64_t>(found.token).value_or(0)};
}

}  // namespace

FleetLook::FleetLook(ChosenFleet fleet)
    : FleetLook(std::move(fleet), [](const std::string& sentence) { say(sentence); }) {}

FleetLook::FleetLook(ChosenFleet fleet, Tell tell)
    : fleet_(std::move(fleet)), tell_(std::move(tell)), sessions_(sessions_of(fleet_)) {}

std::string FleetLook::said(const Failure& failure) const {
  return redis::failure_text(fleet_.data, failure);
}

FleetLook::Done FleetLook::read_beats(redis::Caller& redis, FleetFacts& facts) const {
  const auto known = redis.call({"HKEYS", fleet_.keys.nodes()});
  if (!known) return tl::unexpected(said(known.error()));
  for (std::size_t from = 0; from < known->items.size(); from += beats_per_call) {
    const auto some = part(known->items, from, beats_per_call);
    core::LookRequest request;
    for (const auto& item : some) request.keys.push_back(fleet_.keys.node(item.text));
    const auto answer =
        redis.call(redis::script_call(request, fleet_.store.redis->keyspace, "", redis::CallBy::body));
    if (!answer) return tl::unexpected(said(answer.error()));
    const auto found = redis::found_keys(*answer, some.size());
    if (!found) return tl::unexpected(said(found.error()));
    for (std::size_t i = 0; i < some.size(); ++i) {
      const auto& key = (*found)[i];
      if (key.exists()) facts.beats.push_back({some[i].text, key.value, key.left});
    }
  }
  return {};
}

FleetLook::Done FleetLook::read_results(redis::Caller& redis, const Ids& ids, FleetFacts& facts) const {
  facts.results.reserve(ids.size());
  for (std::size_t from = 0; from < ids.size(); from += redis::results_per_call) {
    const auto some = part(ids, from, redis::results_per_call);
    const auto answer = redis.call(redis::results_call(fleet_.keys, some));
    if (!answer) return tl::unexpected(said(answer.error()));
    const auto found = redis::results(*answer, some.size());
    if (!found) return tl::unexpected(said(found.error()));
    for (const auto& it : *found) facts.results.push_back(understood(it));
  }
  return {};
}

FleetLook::Done FleetLook::read_leases(const Ids& ids, FleetFacts& facts) const {
  const NodeInspector& nodes = *fleet_.store.inspector;
  LeasesLooked looked = nodes.leases(fleet_.keys.leases(), ids);
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
    if (const auto said = poll::read_instance(beat.text)) said_owned += said->owned;
  }
  const auto owned = static_cast<std::uint64_t>(std::ranges::count_if(facts.leases, &LeaseView::holds));
  if (!facts.sessions.good.empty() && said_owned <= owned) return;
  const NodeInspector& nodes = *fleet_.store.inspector;
  Looked looked = nodes.leases_under(fleet_.keys.leases());
  if (!enough(looked.failures, nodes.names().size())) {
    tell_("leases of sessions that are not in Redis could not be counted: " +
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
  auto sessions = sessions_.read();
  if (!sessions) return tl::unexpected(sessions.error());
  facts.sessions = std::move(*sessions);
  auto redis = connect_to_data(fleet_);
  if (!redis) return tl::unexpected(said(redis.error()));
  if (auto done = read_beats(*redis, facts); !done) return tl::unexpected(done.error());
  Ids ids;
  ids.reserve(facts.sessions.good.size());
  for (const auto& session : facts.sessions.good) ids.push_back(session.id);
  if (auto done = read_results(*redis, ids, facts); !done) return tl::unexpected(done.error());
  if (auto done = read_leases(ids, facts); !done) return tl::unexpected(done.error());
  find_unlisted(facts);
  read_records(facts);
  return view_of(std::move(facts));
}

}  // namespace tenure::cli
