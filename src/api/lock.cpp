#include "tenure/lock.hpp"

#include <algorithm>
#include <system_error>

#include "api/context.hpp"
#include "api/lengths.hpp"
#include "core/base/duration_reader.hpp"
#include "core/base/names.hpp"
#include "core/base/text.hpp"
#include "core/lease/view.hpp"

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
  auto key = context.store->lock_key(context.lock_prefix, name);
  if (!key) return tl::unexpected(std::move(key.error()));
  const auto timing = detail::timing_of(options, context.store->terms().cap);
  if (!timing) return tl::unexpected(name + ": " + timing.error());
  std::optional<core::Duration> hold_max;
  if (options.hold_max) hold_max = core::saturated(*options.hold_max);
  return detail::LockPlan{std::move(*key), *timing, hold_max};
}

Refusal nobody_can_tell(std::vector<core::NodeFailure> failures, const std::string& name,
                        const detail::Context& context) {
  const auto& store = *context.store;
  Refusal refusal = detail::refusal({.failures = std::move(failures)}, name, context);
  // As many as must have answered, and shown different things.
  if (store.names().size() - refusal.failed.size() >= store.quorum()) {
    refusal.message = "the nodes that answered do not agree, and another could decide";
    for (const auto& [address, detail] : refusal.failed) refusal.message += ": " + address + ": " + detail;
  }
  refusal.message.insert(0, "nobody can tell who holds " + name + ": ");
  return refusal;
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
      wait.on_waiting(detail::waiting(why, name_, *context_));
    };
  }
  auto lease = context_->client.acquire(plan_->key, options, stop);
  if (!lease) return tl::unexpected(detail::refusal(std::move(lease.error()), name_, *context_));
  return detail::Held::handle({context_, name_, plan_->timing, std::move(*lease)});
}

tl::expected<std::optional<Holder>, Refusal> Lock::holder() const {
  if (!plan_->error.empty()) return tl::unexpected(usage(plan_->error));
  if (context_->client.closed()) {
    return tl::unexpected(
        Refusal{Refusal::Code::closed, "who holds " + name_ + " was not asked: the client is closed"});
  }
  try {
    const auto answers = context_->store->look(plan_->key, plan_->timing.node_timeout);
    std::vector<const core::KeyState*> states;
    for (const auto& answer : answers) states.push_back(answer ? &*answer : nullptr);
    const core::View view = core::view_of(states);
    if (view.holder) return Holder{view.holder->owner, view.holder->token, view.left};
    if (view.decided) return std::nullopt;
    return tl::unexpected(nobody_can_tell(runtime::failures_in(answers), name_, *context_));
  } catch (const std::system_error& error) {
    return tl::unexpected(
        Refusal{Refusal::Code::system, std::string("this machine refuses: ") + error.what()});
  }
}

}  // namespace tenure
