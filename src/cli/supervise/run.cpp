#include "cli/supervise/run.hpp"

#include <cerrno>
#include <chrono>
#include <optional>
#include <semaphore>
#include <stop_token>

#include "api/lengths.hpp"
#include "api/refusal_log.hpp"
#include "cli/args/whole.hpp"
#include "cli/endpoint/endpoint.hpp"
#include "cli/endpoint/lent.hpp"
#include "cli/endpoint/metrics_page.hpp"
#include "cli/endpoint/own_json.hpp"
#include "cli/lock/lock_look.hpp"
#include "cli/log.hpp"
#include "cli/message.hpp"
#include "cli/nodes/advice.hpp"
#include "cli/nodes/client_of.hpp"
#include "cli/notify.hpp"
#include "cli/supervise/claim.hpp"
#include "cli/supervise/command.hpp"
#include "cli/supervise/countdown.hpp"
#include "cli/supervise/stop_on_signal.hpp"
#include "cli/supervise/supervise.hpp"
#include "cli/supervise/terminal.hpp"
#include "core/lease/record.hpp"
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
  const core::Ttl cap = claim->store.cap();
  if (const auto timing = detail::timing_of(lock, cap); !timing) {
    return tl::unexpected(naming_cap(timing.error(), args.ttl, cap));
  }
  return Plan{std::move(*claim), lock};
}

ClientOptions client_options(const RunArgs& args, const Plan& plan) {
  ClientOptions options = client_of(plan.store, plan.id);
  options.lock_prefix = args.lock_prefix;
  options.diagnose = true;
  return options;
}

std::string with_advice(const Refusal& refusal, const Plan& plan) {
  return refusal.message + advice_on(refusal, plan.store);
}

// Where there is a countdown, it says who holds the name, and how long a quarantine lasts beside what that is.
Wait wait_of(const RunArgs& args, const Plan& plan, std::optional<Countdown>& countdown) {
  Wait wait;
  wait.wait_max = args.no_wait ? std::chrono::milliseconds::zero() : whole(args.wait);
  if (args.quiet) return wait;
  const auto tell = [&](const Refusal& why) {
    log(detail::log_event_of(why), with_advice(why, plan), detail::log_fields_of(why));
  };
  wait.on_waiting = [&countdown, &plan, tell](const Refusal& why) {
    if (!countdown) return tell(why);
    countdown->erase();
    if (why.code != Refusal::Code::held) tell(why);
    Refusal counted = why;
    // Of a node without a record nobody knows since when it waits: the whole quarantine, as the message says.
    if (why.not_open && why.not_open->why == NotOpen::Why::no_record && !why.opens_in) {
      counted.opens_in =
          std::chrono::ceil<std::chrono::milliseconds>(core::quarantine_length(plan.store.cap()));
    }
    countdown->begin(counted);
  };
  return wait;
}

// Who holds the name now, and how many wait for it; nothing where too few nodes answer.
std::optional<LockView> look_at(const RunArgs& args, const NodeInspector& nodes) {
  auto looked = nodes.lease(nodes.root() + args.lock_prefix, args.name);
  if (!enough(looked.failures, nodes.names().size())) return std::nullopt;
  return std::move(looked.locks.front());
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
  if (!others_turn) return fail(code, refusal, with_advice(refusal, plan));
  const int shown = code == ExitCode::busy ? args.busy_code.value_or(number(code)) : number(code);
  if (args.quiet) return shown;
  auto fields = detail::log_fields_of(refusal);
  fields.push_back(exit_code_field(shown));
  log(log_event::busy, with_advice(refusal, plan), std::move(fields));
  return shown;
}

int not_started(int error, const Command& command, const RunArgs& args) {
  if (error == ETIME) {
    return fail(ExitCode::lost, "lost " + args.name + " before the command was started: tenure was held up");
  }
  const auto [code, sentence] = command.missing(error);
  return fail(code, sentence);
}

// The supervisor has a timer of its own, and may be sooner than the library, whose log is to tell of the loss as well.
void wait_until_told(const Lease& lease) {
  std::binary_semaphore told(0);
  const std::stop_callback tell(lease.lost(), [&] { told.release(); });
  [[maybe_unused]] const bool in_time = told.try_acquire_for(std::chrono::seconds(1));
}

// The lease is given back in every case; what it says then may change how the run ends.
int finish(const RunArgs& args, const Ending& ending, Lease& lease) {
  if (ending.lost) wait_until_told(lease);
  const auto released = lease.release();
  if (ending.lost) return number(ExitCode::lost);
  if (!ending.exit_code) {
    return watchdog_killed(args.name);
  }
  if (!released) {
    log(log_event::release_failed, released.error().message, detail::log_fields_of(released.error()));
    return *ending.exit_code;
  }
  if (*released == Released::released) return *ending.exit_code;
  // Since its last renewal; there is no telling how much of the work was done without it.
  log(log_event::lease_lost,
      "lost " + args.name + ": its lease was gone from the nodes when the command ended",
      {{"token", lease.token()}, {"reason", "missing"}, exit_code_field(number(ExitCode::lost))});
  return number(ExitCode::lost);
}

// What must be there before the first thread.
struct Guards {
  Guards(Command& command, const Endpoint* endpoint, const Notify& notifying)
      : notify(notifying),
        watchdog(command, signals, endpoint == nullptr ? std::nullopt : std::optional(endpoint->fd())) {}

  const Notify& notify;
  Signals signals;
  Watchdog watchdog;
};

// What the endpoint shows, if there is one.
struct Shown {
  Shown(Endpoint* endpoint, const RunArgs& args, const Plan& plan, const Client& client) {
    if (endpoint == nullptr) return;
    pulse = &endpoint->loops().add("the supervisor of the command");
    endpoint->describe({"run", plan.id, plan.store.inspector, args.lock_prefix},
                       [this, name = args.name](Json& json) {
                         lease.look([&](const Lease* it) { add_lease(json, name, it); });
                       });
    endpoint->routes().add("/metrics", [&client](const http::Request&) { return metrics_page(&client); });
  }

  Lent<Lease> lease{};
  Pulse* pulse = nullptr;
};

int run_under(Lease& lease, const Command& command, const RunArgs& args, Guards& guards, Shown& shown) {
  const Lent<Lease>::Loan loan(shown.lease, lease);
  guards.notify.status("holding " + args.name + ", token " + std::to_string(lease.token()));
  const Ending ending =
      supervise({args.name, lease, guards.watchdog, guards.signals, guards.notify, shown.pulse});
  guards.notify.stopping();
  if (!ending.start_error) return finish(args, ending, lease);
  lease.release();
  return not_started(*ending.start_error, command, args);
}

}  // namespace

int run(const RunArgs& args) {
  const auto plan = make_plan(args);
  if (!plan) return fail(ExitCode::usage, plan.error());
  set_log_context({{"instance", plan->id}, {"name", args.name}});
  const auto opened = Endpoint::open(args.http, {.nodes = plan->store.nodes()});
  if (!opened) return fail(opened.error().code, opened.error().sentence);
  Endpoint* const endpoint = opened->get();
  const Notify notify;
  auto command = Command::find(args.command);
  if (!command) return fail(command.error().code, command.error().sentence);
  if (const auto warning = redis::warning_of_even(plan->store.nodes()); warning && !args.quiet) {
    log(log_event::even_nodes, *warning);
  }

  command->set_environment("TENURE_NAME", args.name);
  if (endpoint != nullptr && (!args.quiet || args.http.address->port == 0)) {
    log(log_event::serving, "serving " + endpoint->url(), {{"url", endpoint->url()}});
  }
  Guards guards(*command, endpoint, notify);
  const auto client = open_client(plan->store, client_options(args, *plan));
  if (!client) return fail_at_start(client.error());
  Shown shown(endpoint, args, *plan, *client);
  const Serving serving(endpoint);
  std::optional<Countdown> countdown;
  if (args.log.format != LogFormat::json && Countdown::can_be_seen() && !args.quiet && !args.no_wait) {
    countdown.emplace(args.name, [&] { return look_at(args, *plan->store.inspector); });
  }
  // Also before it is our turn: a manager that waits for us would end us for being late.
  notify.ready("waiting for " + args.name);
  StopOnSignal stop(guards.signals, notify, [&](int other) {
    if (other != SIGTSTP) return;
    if (countdown) countdown->erase();
    stop_ourselves();
  });
  auto lease = client->lock(args.name, plan->lock).acquire(wait_of(args, *plan, countdown), stop.token());
  const auto signal = stop.finish();
  countdown.reset();
  if (signal) {
    notify.stopping();
    if (lease) lease->release();
    return number_of_signal(*signal);
  }
  if (!lease) return refused(lease.error(), args, *plan);
  return run_under(*lease, *command, args, guards, shown);
}

}  // namespace tenure::cli
