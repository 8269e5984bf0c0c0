#include "consul/record_text.hpp"

#include <algorithm>
#include <chrono>

#include "consul/json_fields.hpp"
#include "core/base/number.hpp"
#include "core/lease/timing.hpp"
#include "poll/json.hpp"

namespace tenure::consul {

namespace {

core::Token in_microseconds(std::int64_t ms) {
  return static_cast<core::Token>(std::max<std::int64_t>(ms, 0)) * 1000;
}

std::optional<core::Ttl> length(std::optional<std::uint64_t> ms) {
  constexpr auto most = std::chrono::duration_cast<core::Ttl>(core::ttl_cap_max).count();
  if (!ms || *ms < 1 || *ms > static_cast<std::uint64_t>(most)) return std::nullopt;
  return core::Ttl(static_cast<core::Ttl::rep>(*ms));
}

// The server's data is older than what the client has seen of it. In quarantine only what was given after it tells: what was lost
// before it had smaller tokens.
bool went_back(const StoredRecord& stored, const Entry* fence, const Introduction& who) {
  const core::Record& record = stored.record;
  if (who.went_back) return true;
  if (record.open) return is_behind(stored, fence, who.seen);
  return who.seen > in_microseconds(record.made_ms + record.terms.cap.count());
}

}  // namespace

std::string record_text(const StoredRecord& stored) {
  const core::Record& record = stored.record;
  poll::Json text;
  text.open_object().key("version").number(1);
  text.key("cap_ms").number(record.terms.cap.count()).key("set").text(record.terms.set);
  text.key("epoch").text(record.epoch).key("state").text(record.open ? "open" : "quarantined");
  text.key("made_ms").number(record.made_ms).key("wall_ms").number(record.wall_ms);
  text.key("longest_ms").number(record.longest.count()).key("why").text(record.why);
  text.key("base").number(stored.base);
  return text.close_object().written();
}

std::optional<StoredRecord> read_record(std::string_view text) {
  const auto value = poll::read_json(text);
  const auto* object = value ? value->if_object() : nullptr;
  if (object == nullptr) return std::nullopt;
  const auto cap = length(number_in(*object, "cap_ms"));
  const auto longest = length(number_in(*object, "longest_ms"));
  const auto set = text_in(*object, "set");
  const auto epoch = text_in(*object, "epoch");
  const auto state = text_in(*object, "state");
  const auto why = text_in(*object, "why");
  const auto made = number_in(*object, "made_ms");
  const auto wall = number_in(*object, "wall_ms");
  const auto base = number_in(*object, "base");
  if (!cap || !longest || *longest < *cap || !set || !epoch || epoch->empty() || !state || !why || !made ||
      !wall || !base || *base > core::token_max || *made > core::token_max || *wall > core::token_max) {
    return std::nullopt;
  }
  if (*state != "open" && *state != "quarantined") return std::nullopt;
  return StoredRecord{{{*cap, *set},
                       *epoch,
                       *state == "open",
                       static_cast<std::int64_t>(*made),
                       static_cast<std::int64_t>(*wall),
                       *longest,
                       *why},
                      *base};
}

bool is_behind(const StoredRecord& stored, const Entry* fence, core::Token seen) {
  const core::Token reached = fence != nullptr ? stored.base + fence->modified : stored.base;
  return std::max(reached, put_back_in(fence)) < seen;
}

std::optional<StoredRecord> admit(const Entry* found, const Entry* fence, const Introduction& who) {
  StoredRecord made{{who.terms, who.epoch, false, who.server_ms, who.wall_ms, who.terms.cap, "unknown"}};
  if (found == nullptr) return made;
  const auto stored = read_record(found->value);
  if (!stored || stored->record.terms != who.terms) return std::nullopt;
  const core::Record& record = stored->record;
  if (went_back(*stored, fence, who)) {
    made.record.why = "restored";
    made.base = stored->base;
    // What was sat out is not over because it begins again.
    if (!record.open) made.record.longest = record.longest;
    return made;
  }
  // It is opened by who has sat it out by a clock that runs while a machine sleeps, and nobody sets. The times here tell nothing of
  // that: the agent's and ours are the same clock where both are on one machine, and one jump would end it.
  return std::nullopt;
}

StoredRecord opened(StoredRecord stored, const Entry* fence, const Introduction& who) {
  stored.record.open = true;
  // Whatever was given before was below the time of then, and clocks agree within the cap, which a quarantine outlasts.
  stored.base = std::max({stored.base, in_microseconds(who.server_ms), who.seen, put_back_in(fence)});
  return stored;
}

std::optional<StoredRecord> founded(const Entry* found, const Entry* fence, const Introduction& who) {
  core::Token base = 0;
  if (found != nullptr) {
    const auto stored = read_record(found->value);
    if (!stored || stored->record.open || !stored->record.unknown() ||
        stored->record.terms.set != who.terms.set) {
      return std::nullopt;
    }
    base = stored->base;
  }
  return opened({{who.terms, who.epoch, true, who.server_ms, who.wall_ms, who.terms.cap, "new"}, base}, fence,
                who);
}

std::string fence_text(core::Token put_back, std::string_view word) {
  return std::to_string(put_back) + " " + std::string(word);
}

core::Token put_back_in(const Entry* fence) {
  if (fence == nullptr) return 0;
  const std::string_view text = fence->value;
  const auto token = core::read_number<core::Token>(text.substr(0, text.find(' ')));
  return token && *token <= core::token_max ? *token : 0;
}

}  // namespace tenure::consul
