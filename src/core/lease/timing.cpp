#include "core/lease/timing.hpp"

#include <algorithm>
#include <utility>

#include "core/base/text.hpp"

namespace tenure::core {

namespace {

using std::chrono::milliseconds;

// Two clocks that are both being slewed differ in rate by up to a tenth; stores round to a
// millisecond.
Duration margin_for(Duration ttl) { return ttl / 10 + milliseconds(2); }

}  // namespace

tl::expected<Timing, std::string> make_timing(const TimingOptions& options) {
  const Duration ttl = options.ttl;
  const auto refuse = [](std::string why) { return tl::unexpected(std::move(why)); };
  if (options.ttl_max > ttl_cap_max) {
    return refuse("a cap of " + to_text(options.ttl_max) + " is too long; the most is " +
                  to_text(ttl_cap_max));
  }
  if (ttl < ttl_min) {
    return refuse("a TTL of " + to_text(ttl) + " is too short; the least is " + to_text(ttl_min));
  }
  if (ttl > options.ttl_max) {
    return refuse("a TTL of " + to_text(ttl) + " is over the cap of " + to_text(options.ttl_max));
  }
  const auto whole = std::chrono::duration_cast<Ttl>(ttl);
  if (whole != ttl) {
    return refuse("a TTL of " + to_text(ttl) + " is not in whole milliseconds");
  }

  Timing timing;
  timing.ttl = whole;
  timing.margin = margin_for(ttl);
  timing.renew = options.renew.value_or(whole / 3);
  timing.grace = options.grace.value_or(whole / 6);
  timing.node_timeout =
      options.node_timeout.value_or(std::min<Duration>(whole / 10, std::chrono::seconds(1)));
  if (timing.renew <= Duration::zero() || timing.node_timeout <= Duration::zero()) {
    return refuse("renewal " + to_text(timing.renew) + " and node timeout " + to_text(timing.node_timeout) +
                  " must be above zero");
  }
  if (timing.grace < grace_min) {
    return refuse("a grace of " + to_text(timing.grace) + " is too short; the least is " +
                  to_text(grace_min));
  }
  for (const auto& [name, part] : {std::pair("renewal ", timing.renew),
                                   {"grace ", timing.grace},
                                   {"node timeout ", timing.node_timeout}}) {
    if (part >= ttl) return refuse(name + to_text(part) + " does not fit into the TTL of " + to_text(ttl));
  }
  // One renewal that gets no answer must not cost the lease.
  const Duration needed = timing.renew + timing.node_timeout + timing.grace + timing.margin;
  if (needed >= ttl) {
    return refuse("renewal " + to_text(timing.renew) + " + node timeout " + to_text(timing.node_timeout) +
                  " + grace " + to_text(timing.grace) + " + margin " + to_text(timing.margin) + " = " +
                  to_text(needed) + " does not fit into the TTL of " + to_text(ttl));
  }
  return timing;
}

}  // namespace tenure::core
