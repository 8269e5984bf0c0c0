#include "cli/supervise/run.hpp"

#include <algorithm>
#include <cerrno>

#include "cli/message.hpp"
#include "cli/supervise/claim.hpp"
#include "cli/supervise/command.hpp"
#include "cli/supervise/descriptors.hpp"
#include "cli/supervise/stop_on_signal.hpp"
#include "cli/supervise/supervise.hpp"
#include "core/base/text.hpp"
#include "core/lease/timing.hpp"
#include "redis/net/speech.hpp"
#include "redis/text/refusal_text.hpp"
#include "runtime/engine/client.hpp"

namespace tenure::cli {

namespace {

// What the options amount to.
struct Plan : Claim {
  core::Timing timing;
};

tl::expected<Plan, std::string> make_plan(const RunArgs& args) {
  auto claim = make_claim({args.name, args.lock_prefix, args.id, args.nodes});
  if (!claim) return tl::unexpected(std::move(claim.error()));
  auto options = core::timing_options(args.ttl, claim->nodes.keyspace.cap);
  options.grace = args.grace;
  const auto timing = core::make_timing(options);
  if (!timing) return tl::unexpected(timing.error());
  return Plan{std::move(*claim), *timing};
}

runtime::AcquireOptions acquire_options(const RunArgs& args, const Plan& plan) {
  runtime::AcquireOptions options;
  options.timing = plan.timing;
  options.wait_max = args.no_wait ? core::Duration::zero() : args.wait;
  if (!args.quiet) {
    options.on_waiting = [&](const core::Refusal& why) {
      say(redis::waiting_text(why, args.name, plan.nodes));
    };
  }
  return options;
}

ExitCode exit_code_of(core::RefusalCode code) {
  switch (code) {
    case core::RefusalCode::held:
      return ExitCode::busy;
    case core::RefusalCode::waited:
      return ExitCode::waited;
    case core::RefusalCode::not_open:
      return ExitCode::not_open;
    case core::RefusalCode::too_slow:
    case core::RefusalCode::no_quorum:
      return ExitCode::no_quorum;
    case core::RefusalCode::cancelled:
      break;
  }
  return ExitCode::own_error;
}

int refused(core::Refusal refusal, const RunArgs& args, const Plan& plan) {
  refusal.failures = redis::diagnosed(std::move(refusal.failures), plan.nodes);
  const ExitCode code = exit_code_of(refusal.code);
  const bool others_turn = code == ExitCode::busy || (code == ExitCode::waited && refusal.held);
  if (!others_turn || !args.quiet) say(redis::refusal_text(refusal, args.name, plan.nodes));
  return code == ExitCode::busy ? args.busy_code.value_or(number(code)) : number(code);
}

int not_started(int error, const Command& command, const RunArgs& args) {
  if (error == ETIME) {
    return fail(ExitCode::lost, "lost " + args.name + " before the command was started: tenure was held up");
  }
  const auto [code, sentence] = command.missing(error);
  return fail(code, sentence);
}

// The lease is given back in every case; what it says then may change how the run ends.
int finish(const RunArgs& args, const Plan& plan, const Ending& ending, runtime::Lease& lease) {
  const core::Released released = lease.release();
  if (ending.lost) return number(ExitCode::lost);
  if (!ending.exit_code) {
    return watchdog_killed(args.name);
  }
  switch (released.outcome) {
    case core::ReleaseOutcome::released:
      return *ending.exit_code;
    case core::ReleaseOutcome::failed:
      say("could not release " + args.name + ", which ends by itself within " +
          core::to_text(plan.timing.ttl) + redis::failures_text(released.failures, plan.nodes));
      return *ending.exit_code;
    case core::ReleaseOutcome::expired:
    case core::ReleaseOutcome::taken:
      break;
  }
  // Since its last renewal; there is no telling how much of the work was done without it.
  return fail(ExitCode::lost, "lost " + args.name + ": its key was gone from Redis when the command ended");
}

// What must be there before the first thread.
struct Guards {
  explicit Guards(Command& command) : watchdog(command, signals) {}

  Signals signals;
  Watchdog watchdog;
};

int run_under(runtime::Lease& lease, const Command& command, const RunArgs& args, const Plan& plan,
              Guards& guards) {
  const Ending ending = supervise({args.name, lease, plan.timing, guards.watchdog, guards.signals});
  if (!ending.start_error) return finish(args, plan, ending, lease);
  lease.release();
  return not_started(*ending.start_error, command, args);
}

}  // namespace

int run(const RunArgs& args) {
  const auto plan = make_plan(args);
  if (!plan) return fail(ExitCode::usage, plan.error());
  if (const auto lack = lack_of_descriptors(descriptors_to_stay(plan->nodes.addresses.size()))) {
    return fail(ExitCode::own_error, *lack);
  }
  auto command = Command::find(args.command);
  if (!command) return fail(command.error().code, command.error().sentence);
  if (const auto warning = redis::warning_of_even(plan->nodes); warning && !args.quiet) say(*warning);

  command->set_environment("TENURE_NAME", args.name);
  Guards guards(*command);
  runtime::Client client(as_client(plan->nodes, plan->owner));
  StopOnSignal stop(guards.signals);
  auto lease = client.acquire(plan->key, acquire_options(args, *plan), stop.token());
  const auto signal = stop.finish();
  if (signal) {
    if (lease) lease->release();
    return number_of_signal(*signal);
  }
  if (!lease) return refused(lease.error(), args, *plan);
  return run_under(*lease, *command, args, *plan, guards);
}

}  // namespace tenure::cli
