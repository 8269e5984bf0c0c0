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
  if (auto error = context.store->ttl_error(timing->ttl)) return tl::unexpected(name + ": " + *error);
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

namespace {

runtime::AcquireOptions options_of(const detail::LockPlan& plan, const Wait& wait) {
  runtime::AcquireOptions options;
  options.timing = plan.timing;
  options.wait_max.reset();
  if (wait.wait_max) options.wait_max = std::max(core::saturated(*wait.wait_max), core::Duration::zero());
  options.retries = wait.retries;
  options.retry_delay = core::saturated(wait.retry_delay);
  options.hold_max = plan.hold_max;
  return options;
}

// What is wrong, if anything is.
std::optional<Refusal> error_in(const detail::LockPlan& plan, const Wait& wait, const std::string& name) {
  if (!plan.error.empty()) return usage(plan.error);
  if (wait.retry_delay <= std::chrono::milliseconds::zero()) {
    return usage(name + ": retry_delay must be above zero");
  }
  return std::nullopt;
}

struct Acquire final : runtime::AsyncAcquire {
  using Answer = Handler<tl::expected<Lease, Refusal>>;
  Acquire(const std::shared_ptr<detail::Context>& its_context, const std::string& its_name,
          std::shared_ptr<const detail::LockPlan> its_plan, Answer its_handler)
      : context(its_context), name(its_name), plan(std::move(its_plan)), handler(std::move(its_handler)) {}

  void tell(const core::Refusal& why) override {
    if (const auto its_context = context.lock()) on_waiting(detail::waiting(why, name, *its_context));
  }
  void done(tl::expected<runtime::Lease, core::Refusal> end) override {
    auto its_context = context.lock();
    if (!its_context) return;
    if (!end) {
      std::move(handler)(tl::unexpected(detail::refusal(std::move(end.error()), name, *its_context)));
    } else {
      std::move(handler)(
          detail::Held::handle({std::move(its_context), std::move(name), plan->timing, std::move(*end)}));
    }
  }

  std::weak_ptr<detail::Context> context;  // which polls: it is there when this is run
  std::string name;
  std::shared_ptr<const detail::LockPlan> plan;
  std::function<void(const Refusal&)> on_waiting{};
  Answer handler;
};

// One that makes no sense.
struct Refuse final : runtime::AsyncCall {
  Refuse(Refusal its_why, Acquire::Answer its_handler)
      : why(std::move(its_why)), handler(std::move(its_handler)) {}
  void run(const std::shared_ptr<runtime::Engine>&) override {
    std::move(handler)(tl::unexpected(std::move(why)));
  }

  Refusal why;
  Acquire::Answer handler;
};

}  // namespace

tl::expected<Lease, Refusal> Lock::acquire(const Wait& wait, const std::stop_token& stop) const {
  if (auto error = error_in(*plan_, wait, name_)) return tl::unexpected(std::move(*error));
  runtime::AcquireOptions options = options_of(*plan_, wait);
  if (wait.on_waiting) {
    options.on_waiting = [&](const core::Refusal& why) {
      wait.on_waiting(detail::waiting(why, name_, *context_));
    };
  }
  auto lease = context_->client.acquire(plan_->key, options, stop);
  if (!lease) return tl::unexpected(detail::refusal(std::move(lease.error()), name_, *context_));
  return detail::Held::handle({context_, name_, plan_->timing, std::move(*lease)});
}

void Lock::async_acquire(const Wait& wait, Handler<tl::expected<Lease, Refusal>> handler,
                         const std::stop_token& stop) const {
  if (auto error = error_in(*plan_, wait, name_)) {
    return context_->client.post(std::make_shared<Refuse>(std::move(*error), std::move(handler)));
  }
  auto call = std::make_shared<Acquire>(context_, name_, plan_, std::move(handler));
  call->on_waiting = wait.on_waiting;
  runtime::AcquireOptions options = options_of(*plan_, wait);
  if (wait.on_waiting) options.on_waiting = [](const core::Refusal&) {};
  context_->client.async_acquire(std::move(call), plan_->key, std::move(options), stop);
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
