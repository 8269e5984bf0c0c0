#include "kubernetes/lease_task.hpp"

#include <algorithm>

#include "core/base/number.hpp"
#include "core/base/overload.hpp"

namespace tenure::kubernetes {

using core::Applied;
using core::Failure;
using core::FailureCode;
using core::KeyAnswer;
using core::Token;

namespace {

// Who is refused so often meets somebody who changes the Lease all the time, without taking it.
constexpr int tries_max = 5;

core::Holder holder_of(const Lease& lease) { return {lease.holder, lease.grant ? lease.token : 0}; }

// Nobody has it, as far as we know.
bool can_be_had(const Observations::Seen* seen, core::Time now) {
  return seen == nullptr || seen->lease.free() || seen->over(now);
}

Failure odd(std::string why) { return {Applied::no, FailureCode::protocol, std::move(why)}; }

// The grant that an order is about, and where it says so the token.
struct Wanted {
  const core::Grant* grant = nullptr;
  Token token = 0;
};

Wanted wanted_by(const Order& order) {
  return std::visit(core::Overload{[](const Renew& it) { return Wanted{&it.grant, it.token}; },
                                   [](const PutBack& it) { return Wanted{&it.grant, it.token}; },
                                   [](const GiveBack& it) { return Wanted{&it.grant}; },
                                   [](const Confirm& it) { return Wanted{&it.grant}; },
                                   [](const auto&) { return Wanted{}; }},
                    order);
}

}  // namespace

core::KeyState key_state(const Observations::Seen& seen, core::Time now) {
  if (can_be_had(&seen, now)) return {};
  core::KeyState state;
  state.holder = holder_of(seen.lease);
  state.grant = seen.lease.grant;
  state.left = seen.left(now);
  return state;
}

// It would take a million changes a second for many seconds, and a clock that stands still, to give what a later one gives.
tl::expected<Token, std::string> LeaseTask::fresh_token(const std::string& version,
                                                        const std::optional<std::chrono::seconds>& date) {
  if (!date) return tl::unexpected(std::string("the API server does not say what time it is (header Date)"));
  const auto changes = core::read_number<Token>(version);
  const Token micros = static_cast<Token>(Micros(*date).count());
  if (!changes || *changes > core::token_max - std::min(micros, core::token_max)) {
    return tl::unexpected(
        std::string("the API server counts its changes in a way that tokens cannot be made of"));
  }
  return micros + *changes;
}

Step LeaseTask::start(Sight& sight, const Moment& now) {
  const auto* seen = sight.seen.find(object_);
  const Wanted wanted = wanted_by(order_);
  // Whoever holds it knows what it looks like: one call is enough, as long as nobody else has touched it.
  const bool known = seen != nullptr && wanted.grant != nullptr && seen->lease.grant == *wanted.grant &&
                     (wanted.token == 0 || seen->lease.token == wanted.token) && !seen->over(now.boot);
  return known ? decide(Read{seen, {}, {}}, sight, now) : read(sight);
}

// Who takes it has to know how new that is what it has read, also where nothing is.
Step LeaseTask::read(const Sight& sight) {
  const bool takes = std::holds_alternative<Take>(order_);
  call_ = {"GET", takes ? list_target(sight.name_space, object_) : lease_target(sight.name_space, object_)};
  return call_;
}

Step LeaseTask::write(ApiCall call, Outcome then) {
  if (++written_ > tries_max) {
    return Outcome(Failure{Applied::no, FailureCode::busy, "somebody keeps changing the Lease " + object_});
  }
  call_ = std::move(call);
  then_ = std::move(then);
  return call_;
}

Step LeaseTask::replace(const Sight& sight, std::string body, Outcome then) {
  return write({"PUT", lease_target(sight.name_space, object_), std::move(body)}, std::move(then));
}

Step LeaseTask::create(const Sight& sight, std::string body, Outcome then) {
  return write({"POST", leases_target(sight.name_space), std::move(body)}, std::move(then));
}

Step LeaseTask::on_answer(const ApiAnswer& answer, Sight& sight, const Moment& now) {
  return call_.writes() ? on_written(answer, sight, now) : on_read(answer, sight, now);
}

Outcome LeaseTask::on_failure(const Failure& failure) const {
  Failure told = failure;
  if (!call_.writes()) told.applied = Applied::no;
  return told;
}

Step LeaseTask::on_read(const ApiAnswer& answer, Sight& sight, const Moment& now) {
  Read found{nullptr, {}, answer.date};
  std::optional<Lease> lease;
  if (std::holds_alternative<Take>(order_)) {
    if (!answer.fine()) return Outcome(failure_of(call_, answer));
    auto list = read_list(answer.body);
    if (!list) return Outcome(odd(std::move(list.error())));
    found.version = read_at_ = std::move(list->version);
    lease = std::move(list->first);
  } else if (answer.status != 404) {
    if (!answer.fine()) return Outcome(failure_of(call_, answer));
    auto one = read_lease(answer.body);
    if (!one) return Outcome(odd(std::move(one.error())));
    lease = std::move(*one);
  }
  if (lease) {
    found.seen = &sight.seen.see(object_, std::move(*lease), now.boot);
  } else {
    sight.seen.see_none(object_);
  }
  return decide(found, sight, now);
}

Step LeaseTask::on_written(const ApiAnswer& answer, Sight& sight, const Moment& now) {
  // It was changed, made or deleted by somebody else since it was read. Of the namespace only what makes objects is told.
  const bool overtaken = answer.status == 409 || (answer.status == 404 && call_.method == "PUT");
  if (overtaken) return read(sight);
  if (!answer.fine()) return Outcome(failure_of(call_, answer));
  auto lease = read_lease(answer.body);
  // It is written all the same.
  if (!lease) return Outcome(Failure{Applied::perhaps, FailureCode::protocol, lease.error()});
  sight.seen.see(object_, std::move(*lease), now.boot);
  return then_;
}

Step LeaseTask::decide(const Read& read, const Sight& sight, const Moment& now) {
  return std::visit([&](const auto& order) { return decide(order, read, sight, now); }, order_);
}

Step LeaseTask::decide(const Take& order, const Read& read, const Sight& sight, const Moment& now) {
  Shown shown{order.grant, 0, order.ttl, now.wall};
  const auto* seen = read.seen;
  // Asked again: an answer was lost.
  if (seen != nullptr && seen->lease.grant == order.grant) {
    shown.token = seen->lease.token;
    return replace(sight, renewed_lease(seen->lease, shown), core::Granted{shown.token});
  }
  if (!can_be_had(seen, now.boot)) return Outcome(core::Held{holder_of(seen->lease), seen->left(now.boot)});
  const auto fresh = fresh_token(read.version, read.date);
  if (!fresh) return Outcome(odd(fresh.error()));
  if (seen == nullptr) {
    shown.token = *fresh;
    return create(sight, new_lease(object_, shown), core::Granted{shown.token});
  }
  if (seen->lease.token >= core::token_max) {
    return Outcome(odd("the annotation tenure/token of the Lease " + object_ + " leaves no larger number"));
  }
  shown.token = std::max(seen->lease.token + 1, *fresh);
  return replace(sight, taken_lease(seen->lease, shown), core::Granted{shown.token});
}

Step LeaseTask::decide(const Renew& order, const Read& read, const Sight& sight, const Moment& now) {
  // What has run out may be given to somebody else at this moment, and is not revived.
  if (can_be_had(read.seen, now.boot)) return Outcome(KeyAnswer::missing);
  const Lease& lease = read.seen->lease;
  if (lease.grant != order.grant || lease.token != order.token) return Outcome(KeyAnswer::foreign);
  return replace(sight, renewed_lease(lease, {order.grant, order.token, order.ttl, now.wall}),
                 KeyAnswer::done);
}

Step LeaseTask::decide(const PutBack& order, const Read& read, const Sight& sight, const Moment& now) {
  const Shown shown{order.grant, order.token, order.ttl, now.wall};
  // Somebody has had it since.
  if (read.seen != nullptr && read.seen->lease.token > order.token) return Outcome(KeyAnswer::foreign);
  if (can_be_had(read.seen, now.boot)) {
    if (!order.heal) return Outcome(KeyAnswer::missing);
    if (read.seen == nullptr) return create(sight, new_lease(object_, shown), KeyAnswer::done);
    return replace(sight, taken_lease(read.seen->lease, shown), KeyAnswer::done);
  }
  if (read.seen->lease.grant != order.grant) return Outcome(KeyAnswer::foreign);
  return replace(sight, renewed_lease(read.seen->lease, shown), KeyAnswer::done);
}

Step LeaseTask::decide(const GiveBack& order, const Read& read, const Sight& sight, const Moment& now) {
  const bool over = can_be_had(read.seen, now.boot);
  if (read.seen != nullptr && read.seen->lease.grant == order.grant) {
    return replace(sight, released_lease(read.seen->lease, now.wall),
                   over ? KeyAnswer::missing : KeyAnswer::done);
  }
  return Outcome(over ? KeyAnswer::missing : KeyAnswer::foreign);
}

Step LeaseTask::decide(const Confirm& order, const Read& read, const Sight& sight, const Moment& now) {
  if (can_be_had(read.seen, now.boot)) return Outcome(KeyAnswer::missing);
  const Lease& lease = read.seen->lease;
  if (lease.grant != order.grant) return Outcome(KeyAnswer::foreign);
  return replace(sight, renewed_lease(lease, {order.grant, order.token, lease.length, now.wall}),
                 KeyAnswer::done);
}

Step LeaseTask::decide(const Look&, const Read& read, const Sight&, const Moment& now) {
  return Outcome(read.seen != nullptr ? key_state(*read.seen, now.boot) : core::KeyState{});
}

}  // namespace tenure::kubernetes
