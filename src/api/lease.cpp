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

tl::expected<BootClock::time_point, Refusal> Lease::extend() {
  if (!held_) return tl::unexpected(Refusal{Refusal::Code::lost, moved_from});
  const auto deadline = held_->lease.extend();
  if (deadline) return runtime::to_public(*deadline);
  const auto& [lost, why] = deadline.error();
  return tl::unexpected(Refusal{lost ? Refusal::Code::lost : Refusal::Code::no_quorum,
                                held_->name + " was not extended: " + why});
}

tl::expected<Released, Refusal> Lease::release() {
  if (!held_) return tl::unexpected(detail::usage(moved_from));
  const core::Released released = held_->lease.release();
  switch (released.outcome) {
    case core::ReleaseOutcome::released:
      return Released::released;
    case core::ReleaseOutcome::expired:
      return Released::expired;
    case core::ReleaseOutcome::taken:
      return Released::taken;
    case core::ReleaseOutcome::failed:
      break;
  }
  const auto& names = held_->context->store->names();
  Refusal refusal{Refusal::Code::no_quorum,
                  "could not release " + held_->name + ", which ends by itself within " +
                      core::to_text(held_->timing.ttl) + runtime::failures_text(released.failures, names)};
  for (const auto& [node, failure] : released.failures) {
    refusal.failed.push_back({names.at(node), failure.detail});
  }
  return tl::unexpected(std::move(refusal));
}

}  // namespace tenure
