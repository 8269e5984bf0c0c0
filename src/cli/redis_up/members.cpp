#include "cli/redis_up/members.hpp"

#include <ranges>
#include <thread>

#include "cli/message.hpp"
#include "runtime/boot_clock.hpp"

namespace tenure::cli {

std::optional<std::string> Members::start(ServerProcess& member, const std::string& what,
                                          const std::string& again,
                                          const std::function<std::optional<std::string>()>& launch) {
  if (member.running()) {
    if (auto why = member.wait_until_it_answers()) return why;
    say(member.port_text() + ": already running");
    return std::nullopt;
  }
  const bool was_new = member.is_new();
  if (auto why = launch()) return why;
  started_.push_back(&member);
  say(member.port_text() + ": " + what +
      (was_new ? " started, its data is in " : " started again with the data in ") +
      member.directory().string() + (was_new ? "" : again));
  return std::nullopt;
}

void Members::take_back() const {
  for (const ServerProcess* member : std::views::reverse(started_)) {
    if (const auto why = member->terminate()) {
      say(*why);
    } else {
      member->remove_what_launch_made();
    }
  }
}

std::optional<std::string> wait_until_nothing(const std::function<std::optional<std::string>()>& trouble) {
  const core::Time deadline = runtime::boot_now() + settle_within;
  for (;;) {
    auto why = trouble();
    if (!why || runtime::boot_now() >= deadline) return why;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

}  // namespace tenure::cli
