#include "cli/supervise/elect.hpp"

#include <cerrno>

#include "cli/message.hpp"
#include "cli/supervise/claim.hpp"
#include "cli/supervise/command.hpp"
#include "cli/supervise/descriptors.hpp"
#include "cli/supervise/elect_events.hpp"
#include "cli/supervise/stop_on_signal.hpp"
#include "cli/supervise/supervise.hpp"
#include "core/base/text.hpp"
#include "core/lease/access.hpp"
#include "redis/net/speech.hpp"
#include "redis/text/refusal_text.hpp"
#include "runtime/engine/election.hpp"

namespace tenure::cli {

namespace {

// What the options amount to.
struct Plan : Claim {
  core::ElectionPlan election;
};

tl::expected<Plan, std::string> make_plan(const ElectArgs& args) {
  auto claim = make_claim({args.name, std::nullopt, args.id, args.nodes});
  if (!claim) return tl::unexpected(std::move(claim.error()));
  const core::Ttl cap = claim->nodes.keyspace.cap;
  core::ElectionOptions options;
  options.lease = args.lease.value_or(std::min<core::Duration>(options.lease, cap));
  options.ttl_max = cap;
  options.renew = args.renew;
  options.grace = args.grace;
  options.drain = args.drain;
  auto election = core::plan_election(claim->key, options);
  if (!election) return tl::unexpected(election.error());
  election->candidate = !args.observe;
  return Plan{std::move(*claim), std::move(*election)};
}

class Electing {
 public:
  Electing(const ElectArgs& args, const Plan& plan) : args_(args), plan_(plan) {}

  // Tells what happens, until a signal ends it.
  int announce() {
    Signals signals;
    ElectEvents events(args_.name, args_.json);
    StopOnSignal stop(signals);
    runtime::Client client(as_client(plan_.nodes, plan_.owner));
    const auto election = stand(client, stop);
    election->handlers.on_elected = [&](const auto& term) { events.elected(term->token); };
    election->handlers.on_lost = [&](auto reason, auto term, bool drained) {
      events.lost(reason, term, drained);
    };
    election->handlers.on_leader_changed = [&](const auto&, const auto& now) { events.leader(now); };
    election->start();
    events.wait(stop.token());
    election->stop();
    if (denied_) return fail(ExitCode::no_quorum, *denied_);
    return events.all_read() ? number(ExitCode::done)
                             : fail(ExitCode::own_error, "nobody reads the output any more");
  }

  // Runs the command in one term after the other, until it ends by itself or a signal ends it. A watchdog is made
  // before the first thread: so every campaign has a client of its own, whose threads are gone with it.
  int lead(Command& command) {
    Signals signals;
    while (true) {
      Watchdog watchdog(command, signals);
      StopOnSignal stop(signals);
      runtime::Client client(as_client(plan_.nodes, plan_.owner));
      const auto election = stand(client, stop);
      election->handlers.on_elected = [&](const auto& term) { own_term_ = term->token; };
      election->handlers.on_leader_changed = [&](const auto&, const auto& now) { say_leader(now); };
      election->start();
      const auto term = election->begin_work(stop.token());
      const auto signal = stop.finish();
      std::optional<Ending> ending;
      if (term && !signal) {
        const auto lease = client.lend(term);
        ending = supervise({args_.name, lease, plan_.election.timing, watchdog, signals});
      }
      election->request_stop();  // first: a term without a command is wanted by nobody
      if (term) election->end_work();
      election->stop();
      if (!ending && denied_ && !signal) return fail(ExitCode::no_quorum, *denied_);
      if (!ending) return number_of_signal(signal.value_or(SIGTERM));
      if (const auto code = exit_code_of(*ending, command)) return *code;
      say(args_.name + ": campaigning again");
    }
  }

 private:
  // Its handlers run until it has stopped: what they note may be read then.
  std::shared_ptr<runtime::Election> stand(runtime::Client& client, StopOnSignal& stop) {
    auto election = client.election(plan_.election);
    election->handlers.on_hindered = [this, &stop](core::Refusal why) {
      why.failures = redis::diagnosed(std::move(why.failures), plan_.nodes);
      if (core::majority_denies_access(why.failures, plan_.nodes.addresses.size())) {
        denied_ = redis::refusal_text(why, args_.name, plan_.nodes);
        stop.stop();
      } else {
        say(redis::waiting_text(why, args_.name, plan_.nodes));
      }
    };
    return election;
  }

  void say_leader(const std::optional<core::Holder>& now) {
    if (now == told_) return;
    told_ = now;
    if (!now) return say(args_.name + ": there is no leader");
    // Another may go by our id, or have gone by it.
    const std::string who = now->token == own_term_ ? "we lead" : core::printable(now->owner) + " leads";
    say(args_.name + ": " + who + " (term " + std::to_string(now->token) + ")");
  }

  // Nothing: leadership was lost, and is wanted again.
  std::optional<int> exit_code_of(const Ending& ending, const Command& command) const {
    if (ending.start_error && *ending.start_error != ETIME) {
      const auto [code, sentence] = command.missing(*ending.start_error);
      return fail(code, sentence);
    }
    if (ending.start_error || ending.lost) {
      if (ending.asked_to_end) return number_of_signal(*ending.asked_to_end);
      return std::nullopt;
    }
    if (ending.exit_code) return ending.exit_code;
    return watchdog_killed(args_.name);
  }

  const ElectArgs& args_;
  const Plan& plan_;
  core::Token own_term_ = 0;
  std::optional<core::Holder> told_{};   // who leads, as was last said
  std::optional<std::string> denied_{};  // why no campaign can come to anything
};

}  // namespace

int elect(const ElectArgs& args) {
  const auto plan = make_plan(args);
  if (!plan) return fail(ExitCode::usage, plan.error());
  if (const auto lack = lack_of_descriptors(descriptors_to_stay(plan->nodes.addresses.size()))) {
    return fail(ExitCode::own_error, *lack);
  }
  if (const auto warning = redis::warning_of_even(plan->nodes)) say(*warning);
  Electing electing(args, *plan);
  if (args.command.empty()) return electing.announce();
  auto command = Command::find(args.command);
  if (!command) return fail(command.error().code, command.error().sentence);
  command->set_environment("TENURE_NAME", args.name);
  return electing.lead(*command);
}

}  // namespace tenure::cli
