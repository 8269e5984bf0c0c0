#include "tenure/lease.hpp"

#include "api/context.hpp"
#include "core/base/text.hpp"
#include "runtime/boot_clock.hpp"
#include "runtime/engine/loss_text.hpp"
#include "runtime/public_time.hpp"
#include "runtime/text/refusal_text.hpp"

namespace tenure {

namespace {

// Of a lease that was moved from.
const std::string no_name;
constexpr auto moved_from = "this Lease holds nothing: it was moved from";

std::stop_token stopped() {
  std::stop_source source;
  source.request_stop();
  return source.get_token();
}

core::LossReason reason_of(Loss loss) {
  switch (loss) {
    case Loss::missing:
      return core::LossReason::missing;
    case Loss::taken:
      return core::LossReason::taken;
    case Loss::hold_over:
      return core::LossReason::over;
    case Loss::closed:
      return core::LossReason::closed;
    case Loss::stepped_down:
      return core::LossReason::stepped_down;
    case Loss::stopped:
      return core::LossReason::stopped;
    case Loss::not_renewed:
      break;
  }
  return core::LossReason::not_renewed;
}

}  // namespace

Loss detail::loss(core::LossReason reason) {
  switch (reason) {
    case core::LossReason::missing:
      return Loss::missing;
    case core::LossReason::taken:
      return Loss::taken;
    case core::LossReason::over:
      return Loss::hold_over;
    case core::LossReason::closed:
      return Loss::closed;
    case core::LossReason::stepped_down:
      return Loss::stepped_down;
    case core::LossReason::stopped:
      return Loss::stopped;
    case core::LossReason::not_renewed:
      break;
  }
  return Loss::not_renewed;
}

std::string describe(Loss loss) { return runtime::loss_text(reason_of(loss)); }

BootClock::time_point BootClock::now() noexcept { return runtime::to_public(runtime::boot_now()); }

Lease::Lease(std::unique_ptr<detail::Held> held) : held_(std::move(held)) {}
Lease::~Lease() = default;
Lease::Lease(Lease&&) noexcept = default;
Lease& Lease::operator=(Lease&&) noexcept = default;

const std::string& Lease::name() const { return held_ ? held_->name : no_name; }
std::uint64_t Lease::token() const { return held_ ? held_->lease.token() : 0; }
bool Lease::held() const { return held_ && held_->lease.held(); }
BootClock::time_point Lease::deadline() const {
  return held_ ? runtime::to_public(held_->lease.deadline()) : runtime::to_public({});
}
BootClock::duration Lease::ttl() const { return held_ ? held_->timing.ttl : BootClock::duration::zero(); }
BootClock::duration Lease::grace() const { return held_ ? held_->timing.grace : BootClock::duration::zero(); }
std::stop_token Lease::lost() const { return held_ ? held_->lease.lost() : stopped(); }

std::optional<Loss> Lease::loss() const {
  if (!held_) return std::nullopt;
  const auto reason = held_->lease.loss();
  return reason ? std::optional(detail::loss(*reason)) : std::nullopt;
}

tl::expected<BootClock::time_point, Refusal> detail::extended(const runtime::Calls::Extension& end,
                                                              const std::string& name) {
  if (end) return runtime::to_public(*end);
  const auto& [lost, why] = end.error();
  return tl::unexpected(
      Refusal{lost ? Refusal::Code::lost : Refusal::Code::no_quorum, name + " was not extended: " + why});
}

tl::expected<Released, Refusal> detail::released(const core::Released& end, const std::string& name,
                                                 core::Duration ttl, const Context& context) {
  switch (end.outcome) {
    case core::ReleaseOutcome::released:
      return Released::released;
    case core::ReleaseOutcome::expired:
      return Released::expired;
    case core::ReleaseOutcome::taken:
      return Released::taken;
    case core::ReleaseOutcome::failed:
      break;
  }
  const auto& names = context.store->names();
  Refusal refusal{Refusal::Code::no_quorum, "could not release " + name + ", which ends by itself within " +
                                                core::to_text(ttl) +
                                                runtime::failures_text(end.failures, names)};
  for (const auto& [node, failure] : end.failures) {
    refusal.failed.push_back({names.at(node), failure.detail});
  }
  return tl::unexpected(std::move(refusal));
}

tl::expected<BootClock::time_point, Refusal> Lease::extend() {
  if (!held_) return tl::unexpected(Refusal{Refusal::Code::lost, moved_from});
  return detail::extended(held_->lease.extend(), held_->name);
}

tl::expected<Released, Refusal> Lease::release() {
  if (!held_) return tl::unexpected(detail::usage(moved_from));
  return detail::released(held_->lease.release(), held_->name, held_->timing.ttl, *held_->context);
}

namespace {

// Of the client, which polls: it is there when they are run.
struct Extend final : runtime::AsyncExtend {
  using Answer = Handler<tl::expected<BootClock::time_point, Refusal>>;
  Extend(std::string its_name, Answer its_handler)
      : name(std::move(its_name)), handler(std::move(its_handler)) {}
  void done(const runtime::Calls::Extension& end) override {
    std::move(handler)(detail::extended(end, name));
  }

  std::string name;
  Answer handler;
};

struct Release final : runtime::AsyncRelease {
  using Answer = Handler<tl::expected<Released, Refusal>>;
  Release(const detail::Held& held, Answer its_handler)
      : name(held.name), ttl(held.timing.ttl), context(held.context), handler(std::move(its_handler)) {}
  void done(const core::Released& end) override {
    if (const auto its_context = context.lock()) {
      std::move(handler)(detail::released(end, name, ttl, *its_context));
    }
  }

  std::string name;
  core::Duration ttl;
  std::weak_ptr<detail::Context> context;
  Answer handler;
};

}  // namespace

void Lease::async_extend(Handler<tl::expected<BootClock::time_point, Refusal>> handler) {
  if (!held_) return std::move(handler)(extend());
  held_->lease.async_extend(std::make_shared<Extend>(held_->name, std::move(handler)));
}

void Lease::async_release(Handler<tl::expected<Released, Refusal>> handler) {
  if (!held_) return std::move(handler)(release());
  held_->lease.async_release(std::make_shared<Release>(*held_, std::move(handler)));
}

}  // namespace tenure
