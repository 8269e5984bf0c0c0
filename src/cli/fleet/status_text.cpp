#include <algorithm>
#include <array>
#include <cstdio>

#include "cli/fleet/fleet_output.hpp"
#include "cli/plural.hpp"
#include "cli/secrets.hpp"
#include "core/base/text.hpp"

namespace tenure::cli {

namespace {

// At most one decimal, and none where it says nothing.
std::string decimal(double number) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f", number);
  const std::string written = text.data();
  return written.ends_with(".0") ? written.substr(0, written.size() - 2) : written;
}

std::string summary(const FleetView& view, const std::string& fleet, const Paint& paint) {
  std::string text = paint(Tone::heading, "fleet " + core::printable(fleet)) + ": " +
                     plural(view.instances.size(), "instance") + ", " +
                     plural(view.sessions.size(), "session") + ", " + std::to_string(view.owned) + " owned";
  if (view.unlisted > 0) text += " (" + std::to_string(view.unlisted) + " of them not listed in Redis)";
  for (const auto& [count, word] : {std::pair(view.paused, " paused"),
                                    {view.nobody, " with nobody"},
                                    {view.failing, " failing"},
                                    {view.bad.size(), " bad"}}) {
    if (count > 0) text += ", " + std::to_string(count) + word;
  }
  return text + "\n";
}

std::string balance_words(const FleetView& view, const Paint& paint) {
  if (!view.balance) return "balance: " + paint(Tone::bad, "no instance is ready") + "\n";
  const bool even = std::ranges::all_of(view.instances, [](const auto& it) { return it.weight == 1; });
  const std::string each = even ? "" : " for each weight of one";
  return "balance: most " + decimal(view.balance->most) + ", fewest " + decimal(view.balance->fewest) + each +
         ": " +
         (view.balance->within_one ? paint(Tone::good, "balanced within one")
                                   : paint(Tone::warning, "not balanced within one")) +
         "\n";
}

Tone tone_of(const InstanceView& instance) {
  if (instance.ready()) return Tone::good;
  return instance.status == "leaving" ? Tone::warning : Tone::bad;
}

std::string instances_table(const FleetView& view, const Screen& screen) {
  std::vector<Row> rows{{"INSTANCE", "STATUS", "AGE", "WEIGHT", "OWNED", "SHARE", "BEAT LEFT"}};
  for (const auto& it : view.instances) {
    rows.push_back({core::printable(it.id, 60),
                    {core::printable(it.status, 20), tone_of(it)},
                    it.started_ms ? age_words(it.age_ms) : "-",
                    std::to_string(it.weight),
                    std::to_string(it.owned),
                    it.ready() ? decimal(it.share) : "-",
                    left_words(it.left)});
  }
  return aligned(rows, screen);
}

std::string more(std::size_t all, std::size_t shown) {
  return all > shown ? "and " + std::to_string(all - shown) + " more; --all shows them\n" : "";
}

std::string leases_table(const FleetView& view, std::size_t lines_max, const Screen& screen) {
  std::vector<Row> rows{{"SESSION", "OWNER", "TOKEN", "LEFT", "EVERY", "LAST"}};
  const std::size_t shown = std::min(view.sessions.size(), lines_max);
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& it = view.sessions[i];
    const auto token = it.lease.holder.token;
    rows.push_back({core::printable(it.session.id, 60), owner_cell(it),
                    token == 0 || !it.lease.taken() ? "-" : std::to_string(token), lease_left(it),
                    it.session.paused ? "paused" : core::to_text(it.session.interval),
                    result_cell(it, view.now_ms)});
  }
  return aligned(rows, screen) + more(view.sessions.size(), shown);
}

// A heading, and a line for each; nothing at all where there is none.
std::string list(const std::string& heading, const std::vector<std::string>& lines, std::size_t lines_max) {
  if (lines.empty()) return "";
  std::string text = "\n" + heading + "\n";
  const std::size_t shown = std::min(lines.size(), lines_max);
  for (std::size_t i = 0; i < shown; ++i) text += "  " + lines[i] + "\n";
  return text + more(lines.size(), shown);
}

}  // namespace

std::string status_page(const FleetView& view, const std::string& fleet, std::size_t lines_max,
                        const Screen& screen) {
  const Paint& paint = screen.paint;
  std::string text = summary(view, fleet, paint) + balance_words(view, paint);
  if (!view.closed.empty()) text += "\n" + closed_words(view, paint);
  if (!view.instances.empty()) text += "\n" + instances_table(view, screen);
  if (!view.sessions.empty()) text += "\n" + leases_table(view, lines_max, screen);
  std::vector<std::string> nobody;
  std::vector<std::string> failing;
  for (const auto& it : view.sessions) {
    const std::string id = core::printable(it.session.id, 60);
    if (it.nobody()) nobody.push_back(id);
    if (it.failing()) {
      failing.push_back(id + ": " + without_secrets(core::printable(it.result.text->error)) + " (" +
                        result_words(it, view.now_ms) + ")");
    }
  }
  std::vector<std::string> bad;
  for (const auto& [id, why] : view.bad) bad.push_back(core::printable(id, 60) + ": " + why);
  return text + list(paint(Tone::bad, "Sessions with nobody:"), nobody, lines_max) +
         list(paint(Tone::bad, "Failing polls:"), failing, lines_max) +
         list(paint(Tone::bad, "Bad sessions, which nobody polls:"), bad, lines_max);
}

}  // namespace tenure::cli
