#include "core/election/election_plan.hpp"

#include <algorithm>
#include <utility>

#include "core/base/check.hpp"
#include "core/base/text.hpp"

namespace tenure::core {

tl::expected<ElectionPlan, std::string> plan_election(std::string key, const ElectionOptions& options) {
  const Duration lease =
      options.lease.value_or(std::min<Duration>(std::chrono::seconds(15), options.ttl_max));
  const auto usual = make_timing({.ttl = lease, .ttl_max = options.ttl_max});
  if (!usual) return tl::unexpected("the lease: " + usual.error());
  const auto whole = [](Duration duration) { return std::chrono::duration_cast<Ttl>(duration); };
  const Duration renew = options.renew.value_or(whole(lease / 3));
  const Duration grace = options.grace.value_or(whole(lease / 3));
  const Duration drain = options.drain.value_or(whole(lease * 2 / 15));
  const Duration node_timeout = std::min<Duration>(whole(lease / 15), std::chrono::seconds(1));
  if (renew <= Duration::zero()) return tl::unexpected("renew " + to_text(renew) + " must be above zero");
  // Without any, leadership is given up when the first renewal fails.
  if (grace != Duration::zero() && grace < grace_min) {
    return tl::unexpected("a grace of " + to_text(grace) + " is too short; the least is " +
                          to_text(grace_min));
  }
  if (drain < grace_min) {
    return tl::unexpected("a drain of " + to_text(drain) + " is too short; the least is " +
                          to_text(grace_min));
  }
  // Each by itself first: a sum that overflows would seem to fit.
  for (const auto& [name, part] : {std::pair("renew ", renew), {"grace ", grace}, {"drain ", drain}}) {
    if (part < lease) continue;
    return tl::unexpected(name + to_text(part) + " does not fit into the lease of " + to_text(lease));
  }
  // A leader hears that a renewal failed after the node timeout at the latest; then come the grace and the drain.
  const Duration needed = renew + node_timeout + grace + drain + usual->margin;
  if (needed >= lease) {
    return tl::unexpected("renew " + to_text(renew) + " + node timeout " + to_text(node_timeout) +
                          " + grace " + to_text(grace) + " + drain " + to_text(drain) + " + margin " +
                          to_text(usual->margin) + " = " + to_text(needed) +
                          " does not fit into the lease of " + to_text(lease));
  }
  const auto timing = make_timing({lease, options.ttl_max, drain, renew, node_timeout});
  must(timing.has_value(), "what fits with a grace fits without");
  const Duration look_every =
      std::clamp<Duration>(renew / 10, std::chrono::milliseconds(20), std::chrono::seconds(1));
  return ElectionPlan{std::move(key), true, *timing, grace, look_every};
}

}  // namespace tenure::core
