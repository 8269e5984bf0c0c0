#include "tenure/election.hpp"

#include <algorithm>

#include "api/context.hpp"
#include "api/lengths.hpp"
#include "api/refusal_log.hpp"
#include "core/base/duration_reader.hpp"
#include "core/base/names.hpp"
#include "core/base/text.hpp"
#include "runtime/boot_clock.hpp"
#include "runtime/engine/election.hpp"
#include "tenure/client.hpp"

namespace tenure {

struct detail::Running {
  std::shared_ptr<Context> context;
  std::string name;
  core::Timing timing;
  std::shared_ptr<runtime::Election> election;
};

namespace {

using NotStarted = runtime::Election::NotStarted;
using End = runtime::Election::Waited::End;

// Of an election that was moved from.
const std::string no_name;
constexpr auto moved_from = "this Election takes no part: it was moved from";

Refusal client_closed() { return {Refusal::Code::closed, "the client is closed"}; }

Refusal explained(NotStarted why, const std::string& name) {
  switch (why) {
    case NotStarted::still_stopping:
      return detail::usage("the election " + name + " is still being stopped");
    case NotStarted::no_thread:
      return {Refusal::Code::system, "this machine refuses: there is no thread for the handlers of " + name};
    case NotStarted::closed:
      break;
  }
  return client_closed();
}

std::optional<Leader> to_public(const std::optional<core::Holder>& holder) {
  if (!holder) return std::nullopt;
  return Leader{holder->owner, holder->token};
}

// With what was in the way.
Refusal waited_too_long(const runtime::Election::Waited& waited, const std::string& name,
                        const detail::Context& context) {
  const std::string what = "waited too long to lead " + name;
  if (const auto& leader = waited.leader) {
    return {.code = Refusal::Code::waited,
            .message = what + ": " + core::printable(leader->owner) + " leads (term " +
                       std::to_string(leader->token) + ")",
            .holder = Holder{leader->owner, leader->token}};
  }
  if (!waited.hindrance) return {Refusal::Code::waited, what};
  Refusal shown = detail::refusal(*waited.hindrance, name, context);
  shown.code = Refusal::Code::waited;
  shown.message.insert(0, what + ": ");
  return shown;
}

}  // namespace

tl::expected<Election, Refusal> Client::election(std::string name, const ElectionOptions& options) const {
  const auto refuse = [](std::string why) { return tl::unexpected(detail::usage(std::move(why))); };
  if (auto error = core::name_error("the name", name)) return refuse(std::move(*error));
  const auto key = context_->store->lock_key("", name);
  if (!key) return refuse(key.error());
  auto plan = detail::plan_of(options, *key, context_->store->terms().cap);
  if (!plan) return refuse(name + ": " + plan.error());
  const core::Timing timing = plan->timing;
  if (auto error = context_->store->ttl_error(timing.ttl)) return refuse(name + ": " + *error);
  if (options.observe) plan->look_every = std::max(plan->look_every, context_->store->look_every_min());
  auto election = context_->client.election(std::move(*plan));
  Election made(std::make_unique<detail::Running>(
      detail::Running{context_, std::move(name), timing, std::move(election)}));
  made.on_hindered({});
  return made;
}

Election::Election(std::unique_ptr<detail::Running> running) : running_(std::move(running)) {}

Election::~Election() {
  // What the handlers hold goes here and now, and not on a thread that may still have the election in its hands.
  if (running_ && stop()) running_->election->handlers = {};
}

Election::Election(Election&&) noexcept = default;

Election& Election::operator=(Election&& other) noexcept {
  // The old one leaves with the temporary.
  Election incoming(std::move(other));
  std::swap(running_, incoming.running_);
  return *this;
}

void Election::on_elected(std::function<void(const Lease& term)> handler) {
  if (!running_) return;
  auto& place = running_->election->handlers.on_elected;
  place = {};
  if (!handler) return;
  place = [context = running_->context, name = running_->name, timing = running_->timing,
           handler = std::move(handler)](const auto& term) {
    handler(detail::Held::handle({context, name, timing, context->client.lend(term)}));
  };
}

void Election::on_lost(std::function<void(const TermEnd& end)> handler) {
  if (!running_) return;
  auto& place = running_->election->handlers.on_lost;
  place = {};
  if (!handler) return;
  place = [handler = std::move(handler)](core::LossReason reason, core::Token term, bool drained) {
    handler({detail::loss(reason), term, drained, describe(detail::loss(reason))});
  };
}

void Election::on_leader_changed(
    std::function<void(const std::optional<Leader>& before, const std::optional<Leader>& now)> handler) {
  if (!running_) return;
  auto& place = running_->election->handlers.on_leader_changed;
  place = {};
  if (!handler) return;
  place = [handler = std::move(handler)](const auto& before, const auto& now) {
    handler(to_public(before), to_public(now));
  };
}

void Election::on_hindered(std::function<void(const Refusal& why)> handler) {
  if (!running_) return;
  const auto context = running_->context;
  // To the log of the client, where nobody else hears it.
  if (!handler) {
    handler = [context, name = running_->name](const Refusal& why) {
      auto fields = detail::log_fields_of(why);
      fields.insert(fields.begin(), {"name", name});
      context->client.log(detail::log_event_of(why), why.message, std::move(fields));
    };
  }
  running_->election->handlers.on_hindered = [context, name = running_->name,
                                              handler = std::move(handler)](const core::Refusal& why) {
    handler(detail::hindered(why, name, *context));
  };
}

tl::expected<void, Refusal> Election::start() {
  if (!running_) return tl::unexpected(detail::usage(moved_from));
  // Copies: a handler may let this Election go before it is known to have started.
  const auto election = running_->election;
  const std::string name = running_->name;
  if (const auto started = election->start(); !started) {
    return tl::unexpected(explained(started.error(), name));
  }
  return {};
}

tl::expected<void, Refusal> Election::stop(const std::stop_token& give_up) {
  if (!running_ || running_->election->stop(give_up)) return {};
  return tl::unexpected(detail::still_stopping("the election " + running_->name, give_up));
}

tl::expected<void, Refusal> Election::run(const std::stop_token& stop,
                                          const std::function<void(const Lease& term)>& work) {
  if (!running_) return tl::unexpected(detail::usage(moved_from));
  // A copy: the work may let this Election go.
  const auto [context, name, timing, shared] = *running_;
  runtime::Election& election = *shared;
  // One that is still being stopped is waited for.
  auto started = election.start();
  if (!started && started.error() == NotStarted::still_stopping) {
    election.stop();
    started = election.start();
  }
  if (!started) return tl::unexpected(explained(started.error(), name));
  // However the work ends: the name is given back before anybody hears of it.
  struct Ending {
    runtime::Election& election;
    ~Ending() { election.stop(); }
  };
  const Ending ending{election};
  const std::stop_callback on_stop(stop, [&] { election.request_stop(); });
  while (const auto term = election.begin_work(*started, stop)) {
    try {
      work(detail::Held::handle({context, name, timing, context->client.lend(term)}));
    } catch (...) {
      election.request_stop();  // first: nobody wants another term
      election.end_work();
      throw;
    }
    if (election.end_work()) return {};
  }
  if (!stop.stop_requested() && context->client.closed()) return tl::unexpected(client_closed());
  return {};
}

void Election::step_down() {
  if (running_) running_->election->step_down();
}

bool Election::is_leader() const { return term().has_value(); }

namespace {

tl::expected<std::uint64_t, Refusal> to_public(const runtime::Election::Waited& waited,
                                               const std::string& name, const detail::Context& context) {
  const auto refuse = [](Refusal::Code code, std::string why) {
    return tl::unexpected(Refusal{code, std::move(why)});
  };
  switch (waited.end) {
    case End::leads:
      return waited.term->token;
    case End::too_long:
      return tl::unexpected(waited_too_long(waited, name, context));
    case End::given_up:
      return refuse(Refusal::Code::cancelled, "the wait to lead " + name + " was cancelled");
    case End::stopped:
    case End::not_started:
      break;
  }
  if (context.client.closed()) return tl::unexpected(client_closed());
  if (waited.end == End::stopped) {
    return refuse(Refusal::Code::cancelled, "the election " + name + " was stopped");
  }
  return refuse(Refusal::Code::usage, "the election " + name + " does not run: start it first");
}

struct WaitToLead final : runtime::Election::AsyncWait {
  using Answer = Handler<tl::expected<std::uint64_t, Refusal>>;
  WaitToLead(const detail::Running& running, Answer its_handler)
      : name(running.name), context(running.context), handler(std::move(its_handler)) {}
  void done(const runtime::Election::Waited& end) override {
    if (const auto it = context.lock()) std::move(handler)(to_public(end, name, *it));
  }

  std::string name;
  std::weak_ptr<detail::Context> context;  // which polls: it is there when this is run
  Answer handler;
};

}  // namespace

tl::expected<std::uint64_t, Refusal> Election::wait_for_leadership(
    std::optional<std::chrono::milliseconds> wait_max, const std::stop_token& stop) const {
  if (!running_) return tl::unexpected(detail::usage(moved_from));
  const auto& [context, name, timing, election] = *running_;
  const core::Time deadline = wait_max ? runtime::boot_now() + core::saturated(*wait_max) : core::Time::max();
  return to_public(election->wait(deadline, stop), name, *context);
}

void Election::async_wait_for_leadership(Handler<tl::expected<std::uint64_t, Refusal>> handler,
                                         const std::stop_token& stop) const {
  if (!running_) return std::move(handler)(tl::unexpected(detail::usage(moved_from)));
  running_->election->async_wait(std::make_shared<WaitToLead>(*running_, std::move(handler)), stop);
}

std::optional<std::uint64_t> Election::term() const {
  const auto term = running_ ? running_->election->leads() : nullptr;
  return term ? std::optional(term->token) : std::nullopt;
}

std::optional<Leader> Election::current_leader() const {
  return running_ ? to_public(running_->election->leader()) : std::nullopt;
}

const std::string& Election::candidate_id() const { return running_ ? running_->context->id : no_name; }
const std::string& Election::name() const { return running_ ? running_->name : no_name; }

}  // namespace tenure
