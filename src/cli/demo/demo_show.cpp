#include "cli/demo/demo_show.hpp"

#include <unistd.h>

#include <array>
#include <cstdio>
#include <utility>

#include "cli/natural_order.hpp"
#include "cli/screen/screen.hpp"
#include "runtime/boot_clock.hpp"

namespace tenure::cli {

namespace {

constexpr std::size_t story_lines = 8;

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(width, text.size()), ' ');
  return text;
}

std::string seconds_text(core::Duration duration) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f", std::chrono::duration<double>(duration).count());
  return text.data();
}

}  // namespace

DemoShow::DemoShow(bool plain, std::vector<std::string> sessions)
    : plain_(plain), began_(runtime::boot_now()) {
  for (auto& session : sessions) rows_.try_emplace(std::move(session));
}

std::string DemoShow::elapsed() const { return seconds_text(runtime::boot_now() - began_) + " s"; }

void DemoShow::line(const std::string& text) {
  std::printf("%8s  %s\n", elapsed().c_str(), text.c_str());
  std::fflush(stdout);
}

void DemoShow::watch_at(const std::string& url) {
  const std::lock_guard lock(mutex_);
  url_ = url;
  if (plain_) line("Watch it in a browser: " + url);
}

void DemoShow::tell(const std::string& sentence) {
  const std::lock_guard lock(mutex_);
  if (plain_) return line(sentence);
  story_.push_back(padded(elapsed(), 9) + sentence);
  if (story_.size() > story_lines) story_.pop_front();
}

void DemoShow::polled(const std::string& session, const std::string& instance, std::uint64_t token) {
  const std::lock_guard lock(mutex_);
  if (plain_) line(instance + " polls " + session + " (token " + std::to_string(token) + ")");
  Row& row = rows_[session];
  row.polled_by = instance;
  row.polled_at = runtime::boot_now();
  row.polls += 1;
}

void DemoShow::owners(const std::map<std::string, std::string>& owners) {
  const std::lock_guard lock(mutex_);
  for (const auto& [session, owner] : owners) {
    Row& row = rows_[session];
    if (row.owner == owner) continue;
    if (plain_) line(session + ": " + (owner.empty() ? "nobody owns it" : owner + " owns it"));
    row.owner = owner;
  }
}

std::string DemoShow::picture(const Paint& paint) const {
  const core::Time now = runtime::boot_now();
  std::map<std::string, int, NaturalLess> shares;
  std::string text;
  const auto add = [&](const std::string& line) { text += line + "\n"; };
  add(paint(Tone::heading, "Three instances poll nine sessions") + ": each by one of them at a time.   " +
      elapsed() + "   Ctrl-C ends it");
  add("Watch it in a browser: " + url_);
  add("");
  add(paint(Tone::heading, "  session    owner            polls   last poll"));
  for (const auto& [session, row] : rows_) {
    if (!row.owner.empty()) shares[row.owner] += 1;
    const bool fresh = row.polls > 0 && now - row.polled_at < std::chrono::milliseconds(400);
    const std::string owner = padded(row.owner.empty() ? "nobody" : row.owner, 17);
    add("  " + padded(session, 11) + paint(row.owner.empty() ? Tone::bad : Tone::plain, owner) +
        padded(std::to_string(row.polls), 8) +
        (row.polls == 0 ? "" : seconds_text(now - row.polled_at) + " s ago, by " + row.polled_by) +
        (fresh ? paint(Tone::good, "  *") : ""));
  }
  add("");
  for (const auto& [owner, count] : shares) {
    add("  " + padded(owner, 17) + std::string(static_cast<std::size_t>(count), '#') + " " +
        std::to_string(count));
  }
  add("");
  for (const auto& sentence : story_) add("  " + sentence);
  return text;
}

void DemoShow::draw() {
  if (plain_) return;
  const std::lock_guard lock(mutex_);
  const Screen screen = screen_of(STDOUT_FILENO);
  // From the top left corner, each line to its end: nothing flickers.
  std::string text = "\033[H";
  for (const char letter : fitted(picture(screen.paint), screen)) {
    text += letter == '\n' ? "\033[K\n" : std::string(1, letter);
  }
  std::fputs((text + "\033[J").c_str(), stdout);
  std::fflush(stdout);
}

}  // namespace tenure::cli
