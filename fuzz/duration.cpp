// Durations, as people type them and as programs give them: read exactly, or refused; nothing overflows on the way, and
// lengths that are accepted together fit together.
// The first line is what is typed; the others are numbers of milliseconds, for one field of options each.
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <system_error>

#include "core/base/check.hpp"
#include "core/base/duration_reader.hpp"
#include "core/base/duration_text.hpp"
#include "core/election/election_plan.hpp"
#include "fuzz/target.hpp"
#include "fuzz/values.hpp"

namespace tenure::fuzz {

namespace {

using core::Duration;
using core::must;
using std::chrono::milliseconds;

void try_typed(std::string_view text) {
  const auto typed = core::parse_duration(text);
  if (!typed) {
    must(!typed.error().empty(), "a refusal says why");
    return;
  }
  must(*typed >= milliseconds(1) && *typed <= core::duration_max, "what is typed is of use");
  const auto whole = std::chrono::duration_cast<milliseconds>(*typed);
  must(whole == *typed, "nothing is rounded");
  must(core::parse_duration(std::to_string(whole.count()) + "ms") == *typed, "what was read can be written");
}

std::optional<milliseconds> next_given(std::string_view& input) {
  const auto line = next_line(input);
  if (!line) return std::nullopt;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(line->data(), line->data() + line->size(), number);
  if (error != std::errc{} || end != line->data() + line->size()) return std::nullopt;
  return milliseconds(number);
}

void try_given(milliseconds given) {
  const auto back = [](Duration read) { return std::chrono::duration_cast<milliseconds>(read); };
  core::DurationReader reader;
  const Duration read = reader.read("field", given);
  if (reader.error()) {
    must(reader.error()->starts_with("field "), "a refusal names the field");
  } else {
    must(read >= Duration::zero() && read <= core::duration_max && back(read) == given, "it is read exactly");
  }
  const Duration cut = core::saturated(given);
  must(cut <= core::duration_max && cut >= -core::duration_max, "it is cut at the longest");
  must((given < milliseconds::zero()) == (cut < Duration::zero()), "it keeps its sign");
  must(back(cut) == given || reader.error(), "only what is refused elsewhere is cut");
}

struct Given {
  std::optional<milliseconds> ttl, cap, renew, grace, last;
};

void try_lock(const Given& given) {
  core::DurationReader reader;
  const Duration cap = reader.read("ttl_max", given.cap).value_or(core::ttl_max_default);
  auto lengths = core::timing_options(reader.read("ttl", given.ttl), cap);
  lengths.renew = reader.read("renew", given.renew);
  lengths.grace = reader.read("grace", given.grace);
  lengths.node_timeout = reader.read("node_timeout", given.last);
  const auto timing = core::make_timing(lengths);
  if (!timing) return;
  must(timing->ttl >= core::ttl_min && timing->ttl <= cap && cap <= core::ttl_cap_max, "a TTL is in range");
  must(timing->grace >= core::grace_min, "a grace can be kept");
  must(timing->renew + timing->grace + timing->node_timeout + timing->margin < timing->ttl, "a lease fits");
}

void try_election(const Given& given) {
  core::DurationReader reader;
  core::ElectionOptions options;
  options.lease = reader.read("lease", given.ttl);
  options.ttl_max = reader.read("ttl_max", given.cap).value_or(options.ttl_max);
  options.renew = reader.read("renew", given.renew);
  options.grace = reader.read("grace", given.grace);
  options.drain = reader.read("drain", given.last);
  const auto plan = core::plan_election("key", options);
  if (!plan) return;
  const core::Timing& timing = plan->timing;
  must(timing.ttl >= core::ttl_min && timing.ttl <= options.ttl_max, "a lease is in range");
  must(timing.grace >= core::grace_min, "a drain can be kept");
  must(timing.renew + plan->grace + timing.grace + timing.node_timeout + timing.margin < timing.ttl,
       "a term fits");
}

}  // namespace

void try_input(std::string_view input) {
  const auto typed = next_line(input);
  if (!typed) return;
  try_typed(*typed);
  Given given;
  for (auto* field : {&given.ttl, &given.cap, &given.renew, &given.grace, &given.last}) {
    *field = next_given(input);
    if (*field) try_given(**field);
  }
  try_lock(given);
  try_election(given);
}

}  // namespace tenure::fuzz
