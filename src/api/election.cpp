#include "tenure/election.hpp"

#include "api/context.hpp"
#include "core/base/duration_reader.hpp"
#include "core/base/names.hpp"
#include "redis/text/refusal_text.hpp"
#include "runtime/engine/election.hpp"
#include "runtime/engine/loss_text.hpp"
#include "tenure/client.hpp"

namespace tenure {

struct detail::Running {
  std::shared_ptr<Context> context;
  std::string name;
  std::shared_ptr<runtime::Election> election;
};

namespace {

const std::string no_name;  // of an election that was moved from

std::optional<Leader> to_public(const std::optional<core::Holder>& holder) {
  if (!holder) return std::nullopt;
  return Leader{holder->owner, holder->token};
}

}  // namespace

tl::expected<Election, Refusal> Client::election(std::string name, const ElectionOptions& options) const {
  const auto refuse = [](std::string why) { return tl::unexpected(detail::usage(std::move(why))); };
  if (auto error = core::name_error("the name", name)) return refuse(std::move(*error));
  const auto key = redis::lock_key("", name, context_->nodes.keyspace);
  if (!key) return refuse(key.error());
  core::DurationReader reader;
  const core::ElectionOptions lengths{.lease = reader.read("lease", options.lease),
                                      .ttl_max = context_->nodes.keyspace.cap,
                                      .renew = reader.read("renew", options.renew),
                                      .grace = reader.read("grace", options.grace),
                                      .drain = reader.read("drain", options.drain)};
  if (reader.error()) return refuse(name + ": " + *reader.error());
  auto plan = core::plan_election(*key, lengths);
  if (!plan) return refuse(name + ": " + plan.error());
  plan->candidate = !options.observe;
  auto election = context_->client.election(std::move(*plan));
  election->handlers.on_hindered = [name, context = context_](const core::Refusal& why) {
    context->client.log(redis::waiting_text(why, name, context->nodes));
  };
  return Election(
      std::make_unique<detail::Running>(detail::Running{context_, std::move(name), std::move(election)}));
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
  running_->election->handlers.on_elected = [context = running_->context, name = running_->name,
                                             handler = std::move(handler)](const auto& term) {
    handler(detail::Held::handle({context, name, context->client.lend(term)}));
  };
}

void Election::on_lost(std::function<void(const TermEnd& end)> handler) {
  if (!running_) return;
  running_->election->handlers.on_lost = [handler = std::move(handler)](core::LossReason reason,
                                                                        core::Token term, bool drained) {
    handler({detail::loss(reason), term, drained, runtime::loss_text(reason)});
  };
}

void Election::on_leader_changed(
    std::function<void(const std::optional<Leader>& before, const std::optional<Leader>& now)> handler) {
  if (!running_) return;
  running_->election->handlers.on_leader_changed = [handler = std::move(handler)](const auto& before,
                                                                                  const auto& now) {
    handler(to_public(before), to_public(now));
  };
}

bool Election::start() { return running_ && running_->election->start(); }

bool Election::stop(const std::stop_token& give_up) { return !running_ || running_->election->stop(give_up); }

void Election::run(const std::stop_token& stop, const std::function<void(const Lease& term)>& work) {
  if (!running_) return;
  // A copy: the work may let this Election go.
  const auto [context, name, shared] = *running_;
  runtime::Election& election = *shared;
  // One that is still being stopped is waited for.
  if (!election.start()) {
    election.stop();
    if (!election.start()) return;
  }
  // However the work ends: the name is given back before anybody hears of it.
  struct Ending {
    runtime::Election& election;
    ~Ending() { election.stop(); }
  };
  const Ending ending{election};
  const std::stop_callback on_stop(stop, [&] { election.request_stop(); });
  while (const auto term = election.begin_work(stop)) {
    try {
      work(detail::Held::handle({context, name, context->client.lend(term)}));
    } catch (...) {
      election.request_stop();  // first: nobody wants another term
      election.end_work();
      throw;
    }
    if (election.end_work()) return;
  }
}

void Election::step_down() {
  if (running_) running_->election->step_down();
}

bool Election::is_leader() const { return term().has_value(); }

bool Election::wait_for_leadership(BootClock::time_point deadline, const std::stop_token& stop) const {
  return running_ && running_->election->wait(core::Time(deadline.time_since_epoch()), stop) != nullptr;
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
