#include "cli/fleet/poll_log.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>

#include "cli/json.hpp"
#include "cli/message.hpp"
#include "core/base/text.hpp"

namespace tenure::cli {

namespace {

// More sessions than a person follows line by line.
constexpr std::size_t few = 50;

// "2026-01-11T08:15:30.123Z"
std::string wall_time() {
  const auto now = std::chrono::system_clock::now();
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  const auto milliseconds =
      std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count() % 1000;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  const std::size_t length = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &parts);
  const std::string digits = std::to_string(milliseconds);
  return std::string(text.data(), length) + "." + std::string(3 - digits.size(), '0') + digits + "Z";
}

std::int64_t left_until(BootClock::time_point time) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(time - BootClock::now());
  return std::max<std::int64_t>(0, left.count());
}

}  // namespace

PollLog::PollLog(std::string instance, std::string fleet_prefix, Style style)
    : instance_(std::move(instance)), lease_prefix_(std::move(fleet_prefix) + "lease:"), style_(style) {}

void PollLog::hear(const FleetEvent& event) {
  const auto& [kind, session, token, reason, detail, deadline, not_open] = event;
  switch (kind) {
    case FleetEvent::Kind::acquired:
      return write({"lease_acquired", "Lease acquired", session, token});
    case FleetEvent::Kind::uncertain:
      return write({"lease_uncertain", "Lease uncertain, polling pauses", session, token});
    case FleetEvent::Kind::certain:
      return write({"lease_certain", "Lease certain again", session, token});
    case FleetEvent::Kind::ended:
      return write({"lease_released", "Lease released", session, token,
                    reason ? std::string(to_string(*reason)) : ""});
    case FleetEvent::Kind::not_open: {
      Line line{"not_open", "No new leases", {}, 0, {}, detail};
      if (deadline != BootClock::time_point()) line.opens_in_ms = left_until(deadline);
      return write(line);
    }
    case FleetEvent::Kind::open:
      return write({"open", "New leases again"});
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
      return write({"poll_started", "Poll started", session, token, {}, {}, true});
    case Kind::polled:
      return;
    case Kind::failed:
      return write({"poll_failed", "Poll failed", session, token, {}, detail});
    case Kind::recovered:
      return write({"poll_recovered", "Poll succeeded again", session, token});
    case Kind::refused:
      return write({"result_refused", "Result refused", session, token, {}, detail});
    case Kind::bad_session:
      return write({"session_bad", "Session cannot be polled", session, 0, {}, detail});
    case Kind::good_session:
      return write({"session_good", "Session can be polled again", session});
    case Kind::source_away:
      return write({"sessions_unreadable", "Sessions cannot be read", {}, 0, {}, detail});
    case Kind::source_back:
      return write({"sessions_readable", "Sessions can be read again"});
    case Kind::results_dropped:
      return write({"results_dropped", "Results are lost", {}, 0, {}, detail});
    case Kind::results_back:
      return write({"results_stored", "Results are stored again"});
  }
}

void PollLog::hear(const Event& event) {
  if (!event.name.starts_with(lease_prefix_)) return;
  const std::string session = event.name.substr(lease_prefix_.size());
  if (event.kind == Event::Kind::renewed) {
    write({"lease_renewed", "Lease renewed", session, event.token, {}, {}, true});
  } else if (event.kind == Event::Kind::lost) {
    write({"lease_lost", "Lease lost", session, event.token, {}, event.detail});
  }
}

void PollLog::start(const Start& start) {
  const auto& [fleet, redis, data, ttl] = start;
  Line line{"starting", "Starting"};
  line.facts = {{"fleet", fleet}, {"redis", redis}};
  if (!data.empty()) line.facts.emplace_back("data", data);
  line.facts.emplace_back("ttl", ttl);
  write(line);
}

void PollLog::say(std::string_view kind, const std::string& sentence) {
  const std::string owned(kind);
  write({owned.c_str(), "Note", {}, 0, {}, sentence});
}

void PollLog::write(const Line& line) {
  const std::lock_guard lock(mutex_);
  if (std::string_view(line.kind) == "lease_acquired") owned_ += 1;
  if (std::string_view(line.kind) == "lease_released") owned_ -= 1;
  const bool debug = style_.level == LogLevel::debug || (style_.level == LogLevel::usual && owned_ <= few);
  if (line.debug && !debug) return;
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
  for (const auto& [name, value] : line.facts)
    text += std::string(" ") + name + "=" + core::printable(value, 500);
  if (!line.session.empty()) text += " endpoint=" + core::printable(line.session);
  if (line.token != 0) text += " token=" + std::to_string(line.token);
  if (!line.reason.empty()) text += " reason=" + line.reason;
  // What others say is cut; what we advise to paste is not.
  const std::size_t most = std::string_view(line.kind) == "not_open" ? std::string::npos : 1'000;
  if (!line.detail.empty()) text += " (" + core::printable(line.detail, most) + ")";
  return text;
}

std::string PollLog::as_json(const Line& line) const {
  Json json;
  json.open_object().key("time").text(wall_time());
  json.key("level").text(line.debug ? "debug" : "info");
  json.key("event").text(line.kind).key("instance").text(instance_);
  for (const auto& [name, value] : line.facts) json.key(name).text(value);
  if (!line.session.empty()) json.key("endpoint").text(line.session);
  if (line.token != 0) json.key("token").number(static_cast<std::int64_t>(line.token));
  if (!line.reason.empty()) json.key("reason").text(line.reason);
  if (!line.detail.empty()) json.key("detail").text(line.detail);
  if (line.opens_in_ms) json.key("opens_in_ms").number(*line.opens_in_ms);
  return json.close_object().written();
}

}  // namespace tenure::cli
