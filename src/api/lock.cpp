#include "tenure/lock.hpp"

#include <algorithm>

#include "api/context.hpp"
#include "core/names.hpp"
#include "core/text.hpp"

namespace tenure {

namespace {

using detail::usage;

std::optional<core::Duration> counted(const std::optional<std::chrono::milliseconds>& duration) {
  if (!duration) return std::nullopt;
  return detail::counted(*duration);
}

tl::expected<core::Timing, std::string> timing_of(const LockOptions& options, core::Duration cap) {
  core::TimingOptions timing;
  timing.ttl_max = cap;
  timing.ttl = counted(options.ttl).value_or(std::min(timing.ttl, cap));
  timing.grace = counted(options.grace);
  timing.node_timeout = counted(options.node_timeout);
  if (const auto hold_max = counted(options.hold_max); hold_max && *hold_max < timing.ttl) {
    return tl::unexpected("a longest hold of " + core::shown(*hold_max) + " is shorter than the TTL of " +
                          core::shown(timing.ttl));
  }
  return core::make_timing(timing);
}

tl::expected<std::string, std::string> key_of(const std::string& name, const detail::Context& context) {
  if (auto error = core::name_error("the name", name)) return tl::unexpected(std::move(*error));
  std::string key = context.lock_prefix + name;
  if (context.nodes.keyspace.owns(key)) {
    return tl::unexpected("the name " + name + " cannot be used: its key would be " + key +
                          ", which Tenure needs for itself");
  }
  return key;
}

}  // namespace

Lock::Lock(std::shared_ptr<detail::Context> context, std::string name, LockOptions options)
    : context_(std::move(context)), name_(std::move(name)), options_(options) {}

tl::expected<Lease, Refusal> Lock::try_acquire() const {
  return acquire({.wait_max = std::chrono::milliseconds::zero()});
}

tl::expected<Lease, Refusal> Lock::acquire(const Wait& wait, const std::stop_token& stop) const {
  auto key = key_of(name_, *context_);
  if (!key) return tl::unexpected(usage(std::move(key.error())));
  auto timing = timing_of(options_, context_->nodes.keyspace.cap);
  if (!timing) return tl::unexpected(usage(name_ + ": " + timing.error()));
  if (wait.retry_delay <= std::chrono::milliseconds::zero()) {
    return tl::unexpected(usage(name_ + ": a retry delay must be above zero"));
  }

  runtime::AcquireOptions options;
  options.timing = *timing;
  if (wait.wait_max) options.wait_max = std::max(detail::counted(*wait.wait_max), core::Duration::zero());
  if (!wait.wait_max) options.wait_max.reset();
  options.retries = wait.retries;
  options.retry_delay = detail::counted(wait.retry_delay);
  options.hold_max = counted(options_.hold_max);
  if (wait.on_waiting) {
    options.on_waiting = [&](const core::Refusal& why) {
      wait.on_waiting(detail::refusal(why, name_, *context_));
    };
  }
  auto lease = context_->client.acquire(*key, options, stop);
  if (!lease) return tl::unexpected(detail::refusal(lease.error(), name_, *context_));
  return Lease(std::make_unique<detail::Held>(detail::Held{context_, name_, std::move(*lease)}));
}

}  // namespace tenure
