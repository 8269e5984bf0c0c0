#include "cli/fleet/poll_log.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "api/refusal_log.hpp"
#include "cli/log_line.hpp"
#include "cli/message.hpp"
#include "core/base/text.hpp"

namespace tenure::cli {

namespace {

// More sessions than a person follows line by line.
constexpr std::size_t few = 50;

// What others say is cut; what we advise to paste is not.
std::size_t detail_max(const LogEvent& event) {
  const bool advises = event.name == log_event::quarantine.name || event.name == log_event::not_open.name;
  return advises ? std::string::npos : 1'000;
}

std::uint64_t left_until(BootClock::time_point time) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(time - BootClock::now());
  return static_cast<std::uint64_t>(std::max<std::int64_t>(0, left.count()));
}

}  // namespace

PollLog::PollLog(std::string instance, std::string fleet_prefix, Style style)
    : instance_(std::move(instance)), lease_prefix_(std::move(fleet_prefix) + "lease:"), style_(style) {}

void PollLog::hear(const FleetEvent& event) {
  const auto& [kind, session, token, reason, detail, deadline, not_open] = event;
  switch (kind) {
    case FleetEvent::Kind::acquired:
      return write({log_event::lease_acquired, "Lease acquired", session, token});
    case FleetEvent::Kind::uncertain:
      return write(
          {log_event::lease_uncertain, "Lease uncertain, polling pauses", session, token, {}, detail});
    case FleetEvent::Kind::certain:
      return write({log_event::lease_certain, "Lease certain again", session, token});
    case FleetEvent::Kind::ended:
      return write({log_event::lease_released, "Lease released", session, token,
                    reason ? std::string(to_string(*reason)) : ""});
    case FleetEvent::Kind::not_open: {
      // Without a reason it has just changed, and may be open by now.
      Line line{not_open ? detail::log_event_of(*not_open) : log_event::quarantine, "No new leases"};
      line.reason = not_open ? to_string(not_open->why) : "";
      line.detail = detail;
      if (deadline != BootClock::time_point()) line.opens_in_ms = left_until(deadline);
      return write(line);
    }
    case FleetEvent::Kind::open:
      return write({log_event::open, "New leases again"});
    case FleetEvent::Kind::ending:
    case FleetEvent::Kind::instances:
    case FleetEvent::Kind::sessions:
      return;
  }
}

void PollLog::hear(const PollEvent& event) {
  using Kind = PollEvent::Kind;
  const auto& [kind, session, token, detail, outcome, took] = event;
  switch (kind) {
    case Kind::started:
      return write({log_event::poll_started, "Poll started", session, token});
    case Kind::polled:
      return;
    case Kind::failed:
      return write({log_event::poll_failed, "Poll failed", session, token, {}, detail});
    case Kind::recovered:
      return write({log_event::poll_recovered, "Poll succeeded again", session, token});
    case Kind::refused:
      return write({log_event::result_refused, "Result refused", session, token, {}, detail});
    case Kind::bad_session:
      return write({log_event::session_bad, "Session cannot be polled", session, 0, {}, detail});
    case Kind::good_session:
      return write({log_event::session_good, "Session can be polled again", session});
    case Kind::source_away:
      return write({log_event::sessions_unreadable, "Sessions cannot be read", {}, 0, {}, detail});
    case Kind::source_back:
      return write({log_event::sessions_readable, "Sessions can be read again"});
    case Kind::results_dropped:
      return write({log_event::results_dropped, "Results are lost", {}, 0, {}, detail});
    case Kind::results_back:
      return write({log_event::results_stored, "Results are stored again"});
  }
}

void PollLog::hear(const Event& event) {
  if (!event.name.starts_with(lease_prefix_)) return;
  const std::string session = event.name.substr(lease_prefix_.size());
  if (event.kind == Event::Kind::renewed) {
    write({log_event::lease_renewed, "Lease renewed", session, event.token});
  } else if (event.kind == Event::Kind::lost) {
    write({log_event::lease_lost, "Lease lost", session, event.token, {}, event.detail});
  }
}

void PollLog::start(const Start& start) {
  const auto& [fleet, redis, data, ttl] = start;
  Line line{log_event::starting, "Starting"};
  line.facts = {{"fleet", fleet}, {"redis", redis}};
  if (!data.empty()) line.facts.push_back({"data", data});
  line.facts.push_back({"ttl", ttl});
  write(line);
}

void PollLog::serving(const std::string& url) {
  Line line{log_event::serving, "Serving"};
  line.facts = {{"url", url}};
  write(line);
}

void PollLog::leaving() { write({log_event::leaving, "Leaving", {}, 0, {}, "handing over all sessions"}); }

void PollLog::left(const std::string& sums) { write({log_event::left, "Left", {}, 0, {}, sums}); }

void PollLog::write(const Line& line) {
  const std::lock_guard lock(mutex_);
  if (line.event.name == log_event::lease_acquired.name) owned_ += 1;
  if (line.event.name == log_event::lease_released.name) owned_ -= 1;
  const LogLevel usual = owned_ <= few ? LogLevel::debug : LogLevel::info;
  if (line.event.level > style_.level.value_or(usual)) return;
  // Polling goes on also when nobody reads.
  write_line(style_.json ? as_json(line) : as_text(line), [this] { return can_write(); });
}

// A terminal may be held for ever (Ctrl-S), and a pipe be full: that costs lines, and no session.
bool PollLog::can_write() {
  pollfd out{STDOUT_FILENO, POLLOUT, 0};
  const int ready = ::poll(&out, 1, held_up_ ? 0 : 1'000);
  held_up_ = ready == 0;
  return ready > 0;
}

std::string PollLog::as_text(const Line& line) const {
  std::string text = wall_time() + " " + line.words + ": instance=" + core::printable(instance_);
  for (const auto& [key, value] : line.facts)
    text += " " + std::string(key) + "=" + core::printable(std::get<std::string>(value), 500);
  if (!line.session.empty()) text += " endpoint=" + core::printable(line.session);
  if (line.token != 0) text += " token=" + std::to_string(line.token);
  if (!line.reason.empty()) text += " reason=" + line.reason;
  if (!line.detail.empty()) text += " (" + core::printable(line.detail, detail_max(line.event)) + ")";
  return text;
}

std::string PollLog::as_json(const Line& line) const {
  LogLine log{line.event.level, line.event.name, line.words, line.facts};
  if (!line.session.empty()) {
    log.message += ": " + line.session;
    log.fields.push_back({"session", line.session});
  }
  if (line.token != 0) log.fields.push_back({"token", line.token});
  if (!line.reason.empty()) log.fields.push_back({"reason", line.reason});
  if (!line.detail.empty()) {
    log.message += ": " + line.detail;
    log.fields.push_back({"detail", line.detail});
  }
  if (line.opens_in_ms) log.fields.push_back({"opens_in_ms", *line.opens_in_ms});
  return json_line(log, {{"instance", instance_}});
}

}  // namespace tenure::cli
