#include "cli/web/recorder.hpp"

#include <algorithm>
#include <optional>

#include "cli/contains_text.hpp"
#include "cli/json.hpp"
#include "runtime/wall_clock.hpp"

namespace tenure::cli {

namespace {

// A look that shows more is not told one by one: whoever watches asks for all of it anyway.
constexpr std::size_t changes_max = 500;
// Of one answer, shared by the lanes of a page: the last of each are told.
constexpr std::size_t spans_max = 20'000;

SeenOwner seen(const std::string& name, const LeaseView& lease) {
  return {name, lease.holder.owner, lease.holder.token};
}

std::optional<std::uint64_t> known(std::uint64_t token) {
  return token == 0 ? std::nullopt : std::optional(token);
}

void add_span(Json& json, const OwnedSpan& span) {
  json.open_object().key("owner").text(span.owner);
  json.key("token").number_or_null(known(span.token));
  json.key("from_ms").number(span.from);
  json.key("from_min_ms").number_or_null(span.from_min);
  json.key("to_ms").number_or_null(span.to);
  json.key("to_min_ms").number_or_null(span.to ? std::optional(span.to_min) : std::nullopt);
  json.close_object();
}

template <class Spans>
void add_closed(Json& json, std::string_view key, const Spans& spans, UnixMs from) {
  json.key(key).open_array();
  for (const ClosedSpan& it : spans) {
    if (it.to && *it.to < from) continue;
    json.open_object();
    if (!it.node.empty()) json.key("node").text(it.node);
    json.key("why").text(it.why).key("from_ms").number(it.from);
    json.key("to_ms").number_or_null(it.to);
    json.close_object();
  }
  json.close_array();
}

}  // namespace

// Changes of a process that is started again have larger numbers than those of the one before, unless that had one in every
// millisecond.
Recorder::Recorder() : events_(static_cast<std::uint64_t>(runtime::wall_now_ms())) {}

void Recorder::saw_leases(const AllLeases& leases, When when) {
  std::vector<SeenOwner> locks;
  std::vector<SeenOwner> elections;
  for (const LockView& it : leases.looked.locks) {
    if (it.holds()) (it.kind == LeaseKind::election ? elections : locks).push_back(seen(it.name, it));
  }
  for (auto* const group : {&locks, &elections}) std::ranges::sort(*group, NaturalLess{}, &SeenOwner::name);
  const std::lock_guard lock(mutex_);
  record({LeaseKind::lock}, locks, when.at);
  record({LeaseKind::election}, elections, when.at);
  events_.set_look({when.at, when.next});
}

void Recorder::saw_fleet(const std::string& fleet, const FleetView& view, When when) {
  std::vector<SeenOwner> owned;
  for (const SessionView& it : view.sessions) {
    if (it.lease.holds()) owned.push_back(seen(it.session.id, it.lease));
  }
  std::vector<ClosedSpan> closed;
  for (const ClosedNode& it : view.closed) closed.push_back({it.node, it.what, 0, {}});
  const std::lock_guard lock(mutex_);
  record({LeaseKind::session, fleet}, owned, when.at);
  history_.saw_closed(closed, when.at);
  events_.set_look({when.at, when.next}, fleet);
}

void Recorder::saw_no_leases(const std::string& why, When when) {
  const std::lock_guard lock(mutex_);
  history_.saw_nothing({LeaseKind::lock}, why, when.at);
  history_.saw_nothing({LeaseKind::election}, why, when.at);
  events_.set_look({when.at, when.next, why});
}

void Recorder::saw_no_fleet(const std::string& fleet, const std::string& why, When when) {
  const std::lock_guard lock(mutex_);
  history_.saw_nothing({LeaseKind::session, fleet}, why, when.at);
  events_.set_look({when.at, when.next, why}, fleet);
}

void Recorder::forget_fleet(const std::string& fleet) {
  const std::lock_guard lock(mutex_);
  history_.forget({LeaseKind::session, fleet});
  events_.forget_looks(fleet);
}

void Recorder::record(const LaneGroup& group, const std::vector<SeenOwner>& owned, UnixMs at) {
  const auto changes = history_.saw(group, owned, at);
  if (changes.size() > changes_max) {
    Json json;
    json.open_object().key("count").number(changes.size());
    json.key("at_ms").number(at).close_object();
    events_.add_change("many", json.written(), group.fleet);
    return;
  }
  for (const OwnerChange& it : changes) tell(group, it);
}

void Recorder::tell(const LaneGroup& group, const OwnerChange& change) {
  Json json;
  json.open_object().key("kind").text(word_for(group.kind));
  json.key("fleet").text_or_null(group.fleet);
  json.key("name").text(change.name);
  json.key("owner").text_or_null(change.owner);
  json.key("token").number_or_null(known(change.token));
  json.key("was").text_or_null(change.was);
  json.key("at_ms").number(change.at).key("at_min_ms").number(change.at_min).close_object();
  events_.add_change("change", json.written(), group.fleet);
}

std::string Recorder::timeline_json(const TimelineQuery& query) const {
  const std::lock_guard lock(mutex_);
  std::vector<const History::Lanes::value_type*> shown;
  for (const auto& lane : history_.lanes(query.group)) {
    const bool ended = lane.second.back().to && *lane.second.back().to < query.from;
    if (!ended && contains_text(lane.first, query.search)) shown.push_back(&lane);
  }
  const std::size_t spans_each = spans_max / query.page.limit;
  Json json;
  json.open_object().key("at_ms").number(runtime::wall_now_ms());
  json.key("began_ms").number_or_null(history_.since(query.group));
  json.key("look_ms").number_or_null(history_.interval(query.group));
  add_page(json, "lanes", query.page, shown.size(), [&](std::size_t at) {
    const auto& [name, spans] = *shown[at];
    json.open_object().key("name").text(name).key("spans").open_array();
    const std::size_t left_out = spans.size() - std::min(spans.size(), spans_each);
    for (std::size_t i = left_out; i < spans.size(); ++i) {
      OwnedSpan span = spans[i];
      if (span.to && *span.to < query.from) continue;
      if (i == left_out && left_out > 0) span.from_min.reset();
      add_span(json, span);
    }
    json.close_array().close_object();
  });
  add_closed(json, "quarantines", history_.closed(), query.from);
  add_closed(json, "blind", history_.blind(query.group), query.from);
  json.close_object();
  return json.written() + "\n";
}

}  // namespace tenure::cli
