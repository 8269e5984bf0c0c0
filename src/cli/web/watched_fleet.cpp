#include "cli/web/watched_fleet.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

#include "cli/contains_text.hpp"
#include "cli/fleet/fleet_output.hpp"
#include "cli/natural_order.hpp"
#include "cli/secrets.hpp"
#include "poll/schedule.hpp"

namespace tenure::cli {

namespace {

using Indices = std::vector<std::size_t>;

bool matches(const SessionView& session, const std::string& search) {
  return contains_text(session.session.id, search) ||
         contains_text(without_secrets(session.session.address), search) ||
         (session.lease.taken() && contains_text(session.lease.holder.owner, search));
}

int urgency(const SessionView& it) {
  if (it.session.paused) return 4;
  if (it.nobody()) return 0;
  if (it.failing()) return 1;
  return it.result.text ? 3 : 2;
}

std::string_view owner_of(const SessionView& it) {
  return it.lease.taken() ? std::string_view(it.lease.holder.owner) : std::string_view();
}

// By a number that is worked out once for each.
template <class Key>
void sort_by(Indices& shown, const Key& key) {
  std::vector<std::pair<std::int64_t, std::size_t>> keyed;
  keyed.reserve(shown.size());
  for (const std::size_t i : shown) keyed.emplace_back(key(i), i);
  std::ranges::sort(keyed);
  std::ranges::transform(keyed, shown.begin(), [](const auto& it) { return it.second; });
}

// What has none goes last.
constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();

// They come by id, and those that are equal stay so.
void sort(Indices& shown, const FleetView& view, SessionOrder order) {
  const auto& all = view.sessions;
  switch (order) {
    case SessionOrder::id:
      return;
    case SessionOrder::failing:
      return sort_by(shown, [&](std::size_t i) { return urgency(all[i]); });
    case SessionOrder::owner:
      std::ranges::sort(shown, [&](std::size_t one, std::size_t other) {
        const auto a = owner_of(all[one]);
        const auto b = owner_of(all[other]);
        if (a == b) return one < other;
        return a.empty() || b.empty() ? b.empty() : natural_order(a, b) < 0;
      });
      return;
    case SessionOrder::latency:
      return sort_by(shown, [&](std::size_t i) {
        const auto& result = all[i].result.text;
        return result && result->took_ms ? -std::max<std::int64_t>(*result->took_ms, 0) : none;
      });
    case SessionOrder::due:
      return sort_by(shown, [&](std::size_t i) { return next_due_ms(all[i], view.now_ms).value_or(none); });
  }
}

}  // namespace

void LatencyTrail::add(const poll::ResultText& result) {
  if (!result.at_ms || result.at_ms == last_at_) return;
  last_at_ = result.at_ms;
  if (count_ == kept) {
    std::ranges::copy(std::span(took_).subspan(1), took_.begin());
    count_ -= 1;
  }
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  const auto took = std::clamp<std::int64_t>(result.took_ms.value_or(0), 0, most);
  took_[count_] = result.ok ? static_cast<std::int32_t>(took) : failed;
  count_ += 1;
}

WatchedFleet watched(FleetView view, const WatchedFleet* before) {
  WatchedFleet now{std::move(view), {}};
  now.trails.reserve(now.view.sessions.size());
  static const WatchedFleet none_before;
  const auto& old = before == nullptr ? none_before : *before;
  std::size_t at = 0;  // both are by id, in natural order
  for (const SessionView& it : now.view.sessions) {
    while (at < old.view.sessions.size() &&
           natural_order(old.view.sessions[at].session.id, it.session.id) < 0)
      at += 1;
    const bool known = at < old.view.sessions.size() && old.view.sessions[at].session.id == it.session.id;
    now.trails.push_back(known ? old.trails[at] : LatencyTrail());
    if (it.result.text) now.trails.back().add(*it.result.text);
  }
  return now;
}

std::optional<std::int64_t> next_due_ms(const SessionView& session, std::int64_t now_ms) {
  if (session.session.paused || session.nobody() || session.failing()) return std::nullopt;
  const poll::Cadence cadence(session.session.id, session.session.interval);
  auto polled = session.result.text ? session.result.text->at_ms : std::nullopt;
  // By the clock of who polled: one that is far ahead says nothing.
  if (polled && (*polled < 0 || *polled > now_ms + session.session.interval.count())) polled.reset();
  const poll::WallTime last{poll::Milliseconds(polled.value_or(now_ms))};
  return cadence.after(last).time_since_epoch().count();
}

tl::expected<SessionQuery, http::Response> session_query_of(const http::Request& request) {
  static const std::map<std::string, SessionOrder, std::less<>> orders{{"id", SessionOrder::id},
                                                                       {"failing", SessionOrder::failing},
                                                                       {"owner", SessionOrder::owner},
                                                                       {"latency", SessionOrder::latency},
                                                                       {"due", SessionOrder::due}};
  auto page = page_of(request);
  if (!page) return tl::unexpected(std::move(page.error()));
  const auto order = orders.find(request.parameter("sort").value_or("id"));
  if (order == orders.end()) {
    return tl::unexpected(error_json(400, "sort must be id, failing, owner, latency or due"));
  }
  return SessionQuery{request.parameter("search").value_or(""), order->second, *page};
}

std::string sessions_page_json(const WatchedFleet& fleet, const std::string& name,
                               const SessionQuery& query) {
  const FleetView& view = fleet.view;
  Indices shown;
  for (std::size_t i = 0; i < view.sessions.size(); ++i) {
    if (query.search.empty() || matches(view.sessions[i], query.search)) shown.push_back(i);
  }
  sort(shown, view, query.order);
  Json json;
  json.open_object().key("fleet").text(name).key("at_ms").number(view.now_ms);
  add_page(json, "sessions", query.page, shown.size(), [&](std::size_t at) {
    const SessionView& it = view.sessions[shown[at]];
    json.open_object();
    add_session_fields(json, it);
    json.key("due_ms").number_or_null(next_due_ms(it, view.now_ms));
    json.key("latencies").open_array();
    for (const auto ms : fleet.trails[shown[at]].milliseconds()) json.number(ms);
    json.close_array().close_object();
  });
  json.close_object();
  return json.written() + "\n";
}

}  // namespace tenure::cli
