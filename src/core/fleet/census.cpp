#include "core/fleet/census.hpp"

#include <algorithm>

namespace tenure::core {

namespace {

using std::chrono::milliseconds;

// News may come in crowds: when many join together, one look is enough for several of them.
constexpr Duration gap_min = milliseconds(50);

}  // namespace

void Census::join(Time now) {
  joined_ = true;
  next_ = now;
}

void Census::leave(Outbox& out) {
  if (!joined_) return;
  joined_ = false;
  if (beating_) out.forget(beating_->request);
  beating_.reset();
  // The answer is of no interest: where it gets lost the last beat runs out by itself.
  const RequestId last = out.send(plan_.node, BeatRequest{plan_.fleet, plan_.id, plan_.beat, Ttl::zero(), {}},
                                  plan_.node_timeout);
  out.forget(last);
}

void Census::beat_by(Time when) {
  if (joined_) next_ = std::min(next_, std::max(when, last_ + gap_min));
}

std::optional<Census::News> Census::on_reply(RequestId request, const Reply& reply, Time now,
                                             Random& random) {
  if (!beating_ || beating_->request != request) return std::nullopt;
  beating_.reset();
  if (const auto* failure = std::get_if<Failure>(&reply)) return fail(*failure, now, random);
  if (const auto* taken = std::get_if<IdTaken>(&reply)) return *taken;
  const auto* live = std::get_if<LiveMembers>(&reply);
  // Who beats is among those who live.
  if (live == nullptr || std::ranges::find(live->members, plan_.id, &Member::id) == live->members.end())
    return fail(misfit, now, random);
  failures_ = 0;
  Time dies = Time::max();
  for (const Member& member : live->members) {
    if (member.id != plan_.id) dies = std::min(dies, now + member.left + milliseconds(2));
  }
  beat_by(dies);
  return *live;
}

// Tried again soon, and well before the last beat runs out.
Census::News Census::fail(const Failure& failure, Time now, Random& random) {
  const Duration longest =
      std::min<Duration>(milliseconds(100) * (1U << std::min(failures_, 6U)), plan_.every / 2);
  failures_ += 1;
  next_ = std::min(next_, now + random.between(longest / 2, longest));
  return failure;
}

std::optional<Census::News> Census::on_timer(Time now, Random& random, Outbox& out) {
  if (!joined_) return std::nullopt;
  if (beating_) {
    if (now < beating_->gives_up) return std::nullopt;
    out.drop(plan_.node, beating_->request);
    beating_.reset();
    return fail(silence, now, random);
  }
  if (!due(now)) return std::nullopt;
  const RequestId sent = out.send(
      plan_.node, BeatRequest{plan_.fleet, plan_.id, plan_.beat, plan_.ttl, owned_}, plan_.node_timeout);
  beating_ = Beating{sent, now + plan_.node_timeout};
  last_ = now;
  // A little earlier or later, so that instances that began together do not beat together for ever.
  next_ = now + random.between(plan_.every * 9 / 10, plan_.every);
  return std::nullopt;
}

std::optional<Time> Census::wake() const {
  if (!joined_) return std::nullopt;
  return beating_ ? beating_->gives_up : next_;
}

}  // namespace tenure::core
