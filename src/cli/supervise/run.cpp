#include "cli/supervise/run.hpp"

#include <cerrno>

#include "api/lengths.hpp"
#include "cli/args/whole.hpp"
#include "cli/message.hpp"
#include "cli/nodes/advice.hpp"
#include "cli/nodes/client_of.hpp"
#include "cli/supervise/claim.hpp"
#include "cli/supervise/command.hpp"
#include "cli/supervise/descriptors.hpp"
#include "cli/supervise/stop_on_signal.hpp"
#include "cli/supervise/supervise.hpp"
#include "tenure/client.hpp"

namespace tenure::cli {

namespace {

// What the options amount to.
struct Plan : Claim {
  LockOptions lock;
};

tl::expected<Plan, std::string> make_plan(const RunArgs& args) {
  auto claim = make_claim({args.name, args.lock_prefix, args.id, args.nodes});
  if (!claim) return tl::unexpected(std::move(claim.error()));
  const LockOptions lock{.ttl = whole(args.ttl), .grace = whole(args.grace)};
  const core::Ttl cap = claim->nodes.keyspace.cap;
  if (const auto timing = detail::timing_of(lock, cap); !timing) {
    return tl::unexpected(naming_cap(timing.error(), args.ttl, cap));
  }
  return Plan{std::move(*claim), lock};
}

ClientOptions client_options(const RunArgs& args, const Plan& plan) {
  ClientOptions options = client_of(plan.nodes, plan.id);
  options.lock_prefix = args.lock_prefix;
  options.diagnose = true;
  return options;
}

std::string with_advice(const Refusal& refusal, const Plan& plan) {
  return refusal.message + advice_on(refusal.not_open, plan.nodes);
}

Wait wait_of(const RunArgs& args, const Plan& plan) {
  Wait wait;
  wait.wait_max = args.no_wait ? std::chrono::milliseconds::zero() : whole(args.wait);
  if (!args.quiet) wait.on_waiting = [&](const Refusal& why) { say(with_advice(why, plan)); };
  return wait;
}

ExitCode exit_code_of(Refusal::Code code) {
  switch (code) {
    case Refusal::Code::held:
      return ExitCode::busy;
    case Refusal::Code::waited:
      return ExitCode::waited;
    case Refusal::Code::not_open:
      return ExitCode::not_open;
    case Refusal::Code::too_slow:
    case Refusal::Code::no_quorum:
      return ExitCode::no_quorum;
    case Refusal::Code::usage:
      return ExitCode::usage;
    case Refusal::Code::cancelled:
    case Refusal::Code::closed:
    case Refusal::Code::lost:
    case Refusal::Code::system:
      break;
  }
  return ExitCode::own_error;
}

int refused(const Refusal& refusal, const RunArgs& args, const Plan& plan) {
  const ExitCode code = exit_code_of(refusal.code);
  const bool others_turn = code == ExitCode::busy || (code == ExitCode::waited && refusal.holder);
  if (!others_turn || !args.quiet) say(with_advice(refusal, plan));
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
int finish(const RunArgs& args, const Ending& ending, Lease& lease) {
  const auto released = lease.release();
  if (ending.lost) return number(ExitCode::lost);
  if (!ending.exit_code) {
    return watchdog_killed(args.name);
  }
  if (!released) {
    say(released.error().message);
    return *ending.exit_code;
  }
  if (*released == Released::released) return *ending.exit_code;
  // Since its last renewal; there is no telling how much of the work was done without it.
  return fail(ExitCode::lost, "lost " + args.name + ": its key was gone from Redis when the command ended");
}

// What must be there before the first thread.
struct Guards {
  explicit Guards(Command& command) : watchdog(command, signals) {}

  Signals signals;
  Watchdog watchdog;
};

int run_under(Lease& lease, const Command& command, const RunArgs& args, Guards& guards) {
  const Ending ending = supervise({args.name, lease, guards.watchdog, guards.signals});
  if (!ending.start_error) return finish(args, ending, lease);
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
  const auto client = open_client(plan->nodes, client_options(args, *plan));
  if (!client) return fail_at_start(client.error());
  StopOnSignal stop(guards.signals);
  auto lease = client->lock(args.name, plan->lock).acquire(wait_of(args, *plan), stop.token());
  const auto signal = stop.finish();
  if (signal) {
    if (lease) lease->release();
    return number_of_signal(*signal);
  }
  if (!lease) return refused(lease.error(), args, *plan);
  return run_under(*lease, *command, args, guards);
}

}  // namespace tenure::cli
