#include "tenure/lock.hpp"

#include <algorithm>

#include "api/context.hpp"
#include "core/base/duration_reader.hpp"
#include "core/base/names.hpp"
#include "core/base/text.hpp"

namespace tenure {

using detail::usage;

// What the options amount to, for every acquisition alike; or what is wrong with them.
struct detail::LockPlan {
  std::string key;
  core::Timing timing{};
  std::optional<core::Duration> hold_max{};
  std::string error{};
};

namespace {

tl::expected<detail::LockPlan, std::string> make_plan(const std::string& name, const LockOptions& options,
                                                      const detail::Context& context) {
  if (auto error = core::name_error("the name", name)) return tl::unexpected(std::move(*error));
  auto key = redis::lock_key(context.lock_prefix, name, context.nodes.keyspace);
  if (!key) return tl::unexpected(std::move(key.error()));
  const auto refuse = [&](const std::string& why) { return tl::unexpected(name + ": " + why); };
  core::DurationReader reader;
  auto lengths = core::timing_options(reader.read("ttl", options.ttl), context.nodes.keyspace.cap);
  lengths.grace = reader.read("grace", options.grace);
  lengths.node_timeout = reader.read("node_timeout", options.node_timeout);
  if (reader.error()) return refuse(*reader.error());
  std::optional<core::Duration> hold_max;
  if (options.hold_max) hold_max = core::saturated(*options.hold_max);
  if (hold_max && *hold_max < lengths.ttl) {
    return refuse("a hold_max of " + core::to_text(*hold_max) + " is shorter than the TTL of " +
                  core::to_text(lengths.ttl));
  }
  const auto timing = core::make_timing(lengths);
  if (!timing) return refuse(timing.error());
  return detail::LockPlan{std::move(*key), *timing, hold_max};
}

}  // namespace

Lock::Lock(std::shared_ptr<detail::Context> context, std::string name, const LockOptions& options)
    : context_(std::move(context)), name_(std::move(name)) {
  auto plan = make_plan(name_, options, *context_);
  if (!plan) plan = detail::LockPlan{.key = {}, .error = std::move(plan.error())};
  plan_ = std::make_shared<const detail::LockPlan>(std::move(*plan));
}

tl::expected<Lease, Refusal> Lock::try_acquire() const {
  return acquire({.wait_max = std::chrono::milliseconds::zero()});
}

tl::expected<Lease, Refusal> Lock::acquire(const Wait& wait, const std::stop_token& stop) const {
  if (!plan_->error.empty()) return tl::unexpected(usage(plan_->error));
  if (wait.retry_delay <= std::chrono::milliseconds::zero()) {
    return tl::unexpected(usage(name_ + ": retry_delay must be above zero"));
  }

  runtime::AcquireOptions options;
  options.timing = plan_->timing;
  options.wait_max.reset();
  if (wait.wait_max) options.wait_max = std::max(core::saturated(*wait.wait_max), core::Duration::zero());
  options.retries = wait.retries;
  options.retry_delay = core::saturated(wait.retry_delay);
  options.hold_max = plan_->hold_max;
  if (wait.on_waiting) {
    options.on_waiting = [&](const core::Refusal& why) {
      wait.on_waiting(detail::refusal(why, name_, *context_));
    };
  }
  auto lease = context_->client.acquire(plan_->key, options, stop);
  if (!lease) return tl::unexpected(detail::refusal(lease.error(), name_, *context_));
  return detail::Held::handle({context_, name_, std::move(*lease)});
}

}  // namespace tenure
