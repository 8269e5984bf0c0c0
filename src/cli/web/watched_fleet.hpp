// A fleet as its last look shows it, with what earlier looks showed of each session: how long its polls took. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/endpoint/page_of.hpp"
#include "cli/fleet/fleet_view.hpp"
#include "cli/json.hpp"

namespace tenure::cli {

// How long the last polls of a session took, the oldest first.
class LatencyTrail {
 public:
  static constexpr std::int32_t failed = -1;

  // Adds the result, unless it was added before.
  void add(const poll::ResultText& result);
  std::span<const std::int32_t> milliseconds() const { return std::span(took_).first(count_); }

 private:
  static constexpr std::size_t kept = 30;

  std::array<std::int32_t, kept> took_{};
  std::uint8_t count_ = 0;
  std::optional<std::int64_t> last_at_{};
};

struct WatchedFleet {
  FleetView view{};
  std::vector<LatencyTrail> trails{};  // of its sessions, in their order
};

// The trails of the look before, if there was one, go on.
WatchedFleet watched(FleetView view, const WatchedFleet* before);

enum class SessionOrder : std::uint8_t {
  id,
  failing,  // what has no owner or fails first, what is paused last
  owner,
  latency,  // the slowest first
  due,      // the next first
};

struct SessionQuery {
  std::string search{};  // in id, address or owner, whatever the case; empty: all
  SessionOrder order = SessionOrder::id;
  Page page{};
};

// The error is an answer for whoever asked.
tl::expected<SessionQuery, http::Response> session_query_of(const http::Request& request);

// docs/http-api.md says what is in it.
std::string sessions_page_json(const WatchedFleet& fleet, const std::string& name, const SessionQuery& query);

// When it is polled next, by its interval. Nothing: nobody will, or nobody knows, because it backs off after a failure.
std::optional<std::int64_t> next_due_ms(const SessionView& session, std::int64_t now_ms);

}  // namespace tenure::cli
