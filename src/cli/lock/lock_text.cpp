#include <array>
#include <ctime>

#include "cli/lock/lock_output.hpp"
#include "cli/plural.hpp"
#include "cli/table.hpp"
#include "core/base/text.hpp"
#include "redis/grant_text.hpp"
#include "runtime/instance_id.hpp"
#include "runtime/text/refusal_text.hpp"

namespace tenure::cli {

namespace {

std::string left_column(core::Ttl left) {
  if (left == core::Ttl(-2)) return "-";
  return left == core::Ttl(-1) ? "for ever" : runtime::left_text(left);
}

std::string token_column(const core::Holder& holder) {
  return holder.token == 0 ? "-" : std::to_string(holder.token);
}

std::string kind_column(const LockView& lock) {
  if (!lock.kind) return "-";
  return std::string(word_for(*lock.kind)) +
         (lock.kind == LeaseKind::session ? " of " + core::printable(lock.fleet, 60) : "");
}

Row row_of(const LockView& lock) {
  const std::string owner = core::printable(lock.holder.owner, 60);
  return {core::printable(lock.name, 60),
          kind_column(lock),
          {word_for(lock.state), tone_of(lock.state)},
          owner.empty() ? "-" : owner,
          token_column(lock.holder),
          left_column(lock.left),
          std::to_string(lock.waiters),
          std::to_string(lock.shown_on) + "/" + std::to_string(lock.nodes_all)};
}

// Of a key that exists.
std::string holder_words(const core::Holder& holder, core::Ttl left) {
  return runtime::holder_text({holder, redis::time_left(left.count())});
}

std::string node_words(const std::optional<redis::FoundKey>& key) {
  if (!key) return "no answer";
  if (!key->exists())
    return key->waiters == 0 ? "nothing" : "nothing; waiting: " + std::to_string(key->waiters);
  return holder_words(redis::read_holder(key->value), key->left) +
         (key->waiters == 0 ? "" : "; waiting: " + std::to_string(key->waiters));
}

// In the time zone of whoever asks.
std::string time_text(std::time_t time) {
  std::tm parts{};
  std::array<char, 32> text{};
  localtime_r(&time, &parts);
  std::strftime(text.data(), text.size(), "%F %T", &parts);
  return text.data();
}

}  // namespace

Tone tone_of(LockState state) {
  switch (state) {
    case LockState::held:
      return Tone::good;
    case LockState::perhaps:
    case LockState::kept:
    case LockState::broken:
      return Tone::warning;
    case LockState::foreign:
      return Tone::bad;
    case LockState::free:
      break;
  }
  return Tone::plain;
}

std::string lock_words(const LeaseView& lock) {
  const std::string on = std::to_string(lock.shown_on) + " of " + std::to_string(lock.nodes_all) + " nodes";
  const bool several = lock.nodes_all > 1;
  switch (lock.state) {
    case LockState::held:
    case LockState::kept:
    case LockState::foreign:
      return holder_words(lock.holder, lock.left);
    case LockState::perhaps:
      return "perhaps " + holder_words(lock.holder, lock.left) + ": shown on " + on +
             ", and others do not answer";
    case LockState::broken:
      return core::printable(lock.holder.owner) + ", and free in " + runtime::left_text(lock.left);
    case LockState::free:
      break;
  }
  if (lock.shown_on == 0 || !several) return "free";
  return "free; what is left of " + core::printable(lock.holder.owner) + " on " + on + " ends in " +
         left_column(lock.left);
}

std::string lock_table(const std::vector<LockView>& locks, const Screen& screen) {
  std::vector<Row> rows{{"NAME", "KIND", "STATE", "OWNER", "TOKEN", "LEFT", "WAITING", "NODES"}};
  for (const auto& lock : locks) rows.push_back(row_of(lock));
  return aligned(rows, screen);
}

std::string fleet_lines(const std::vector<FleetCount>& fleets) {
  std::string lines;
  for (const auto& [fleet, sessions, instances] : fleets) {
    lines += "fleet " + core::printable(fleet, 60) + ": " + plural(sessions, "session") + " held by " +
             plural(instances, "instance") + "\n";
  }
  return lines;
}

std::string kind_words(const LockView& lock) {
  switch (*lock.kind) {
    case LeaseKind::election:
      return "an election";
    case LeaseKind::session:
      return "a session of the fleet " + core::printable(lock.fleet, 60);
    case LeaseKind::lock:
      break;
  }
  return "a lock";
}

std::string lock_page(const LockView& lock, const std::vector<std::string>& names, const Paint& paint) {
  std::string text = paint(Tone::heading, core::printable(lock.name)) + ": " +
                     (lock.kind ? kind_words(lock) + ", " : "") +
                     paint(tone_of(lock.state), lock_words(lock)) + "\n";
  if (const auto time = runtime::began(lock.holder.owner)) {
    text += "its owner is a process since " + time_text(*time) + "\n";
  }
  if (lock.waiters > 0) text += "waiting: " + std::to_string(lock.waiters) + "\n";
  for (std::size_t i = 0; i < lock.nodes.size() && names.size() > 1; ++i) {
    text += "  " + names[i] + ": " +
            paint(lock.nodes[i] ? Tone::plain : Tone::bad, node_words(lock.nodes[i])) + "\n";
  }
  return text;
}

}  // namespace tenure::cli
