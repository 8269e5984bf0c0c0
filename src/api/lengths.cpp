#include "api/lengths.hpp"

#include <utility>

#include "core/base/duration_reader.hpp"
#include "core/base/text.hpp"

namespace tenure::detail {

tl::expected<core::Timing, std::string> timing_of(const LockOptions& options, core::Ttl cap) {
  core::DurationReader reader;
  auto lengths = core::timing_options(reader.read("ttl", options.ttl), cap);
  lengths.grace = reader.read("grace", options.grace);
  lengths.node_timeout = reader.read("node_timeout", options.node_timeout);
  if (reader.error()) return tl::unexpected(*reader.error());
  if (options.hold_max && core::saturated(*options.hold_max) < lengths.ttl) {
    return tl::unexpected("a hold_max of " + core::to_text(core::saturated(*options.hold_max)) +
                          " is shorter than the TTL of " + core::to_text(lengths.ttl));
  }
  return core::make_timing(lengths);
}

tl::expected<core::ElectionPlan, std::string> plan_of(const ElectionOptions& options, std::string key,
                                                      core::Ttl cap) {
  core::DurationReader reader;
  const core::ElectionOptions lengths{.lease = reader.read("lease", options.lease),
                                      .ttl_max = cap,
                                      .renew = reader.read("renew", options.renew),
                                      .grace = reader.read("grace", options.grace),
                                      .drain = reader.read("drain", options.drain)};
  if (reader.error()) return tl::unexpected(*reader.error());
  auto plan = core::plan_election(std::move(key), lengths);
  if (plan) plan->candidate = !options.observe;
  return plan;
}

}  // namespace tenure::detail
