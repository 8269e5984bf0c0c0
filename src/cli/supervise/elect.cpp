#include "cli/supervise/elect.hpp"

#include <cerrno>
#include <mutex>

#include "api/lengths.hpp"
#include "cli/args/whole.hpp"
#include "cli/message.hpp"
#include "cli/nodes/advice.hpp"
#include "cli/nodes/client_of.hpp"
#include "cli/supervise/claim.hpp"
#include "cli/supervise/command.hpp"
#include "cli/supervise/descriptors.hpp"
#include "cli/supervise/elect_events.hpp"
#include "cli/supervise/stop_on_signal.hpp"
#include "cli/supervise/supervise.hpp"
#include "core/base/text.hpp"
#include "tenure/client.hpp"

namespace tenure::cli {

namespace {

// What the options amount to.
struct Plan : Claim {
  ElectionOptions election;
};

tl::expected<Plan, std::string> make_plan(const ElectArgs& args) {
  auto claim = make_claim({args.name, std::nullopt, args.id, args.nodes});
  if (!claim) return tl::unexpected(std::move(claim.error()));
  const core::Ttl cap = claim->nodes.keyspace.cap;
  ElectionOptions options;
  options.lease = whole(args.lease);
  options.renew = whole(args.renew);
  options.grace = whole(args.grace);
  options.drain = whole(args.drain);
  options.observe = args.observe;
  if (const auto plan = detail::plan_of(options, args.name, cap); !plan) {
    return tl::unexpected(naming_cap(plan.error(), args.lease, cap));
  }
  return Plan{std::move(*claim), options};
}

class Electing {
 public:
  Electing(const ElectArgs& args, const Plan& plan) : args_(args), plan_(plan) {}

  // Tells what happens, until a signal ends it.
  int announce() {
    Signals signals;
    ElectEvents events(args_.name, args_.json);
    StopOnSignal stop(signals);
    auto election = stand(stop);
    if (!election) return fail_at_start(election.error());
    election->on_elected([&](const Lease& term) { events.elected(term.token()); });
    election->on_lost([&](const TermEnd& end) { events.lost(end); });
    election->on_leader_changed([&](const auto&, const auto& now) { events.leader(now); });
    if (const auto started = election->start(); !started) return fail_at_start(started.error());
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
      auto election = stand(stop);
      if (!election) return fail_at_start(election.error());
      election->on_elected([&](const Lease& term) { own_term_ = term.token(); });
      election->on_leader_changed([&](const auto&, const auto& now) { say_leader(now); });
      std::optional<Ending> ending;
      const auto run = election->run(stop.token(), [&](const Lease& term) {
        // From now on signals are the command's.
        if (begins_work() && !stop.finish()) ending = supervise({args_.name, term, watchdog, signals});
        stop.stop();  // a term without a command is wanted by nobody
      });
      if (!run) return fail_at_start(run.error());
      const auto signal = stop.finish();
      if (!ending && denied_ && !signal) return fail(ExitCode::no_quorum, *denied_);
      if (!ending) return number_of_signal(signal.value_or(SIGTERM));
      if (const auto code = exit_code_of(*ending, command)) return *code;
      say(args_.name + ": campaigning again");
    }
  }

 private:
  // In a client of its own, which goes with it. Its handlers run until it has stopped: what they note may be read then.
  tl::expected<Election, Refusal> stand(StopOnSignal& stop) {
    works_ = false;
    ClientOptions options = client_of(plan_.nodes, plan_.id);
    options.diagnose = true;
    const auto client = open_client(plan_.nodes, std::move(options));
    if (!client) return tl::unexpected(client.error());
    auto election = client->election(args_.name, plan_.election);
    if (!election) return election;
    election->on_hindered([this, &stop](const Refusal& why) {
      if (why.denied) {
        if (note_denial(why.message)) stop.stop();
      } else {
        say(why.message + advice_on(why.not_open, plan_.nodes));
      }
    });
    return election;
  }

  // What is told late, about a time before the command was started, does not end it.
  bool note_denial(const std::string& why) {
    const std::lock_guard lock(mutex_);
    if (!works_) denied_ = why;
    return !works_;
  }

  bool begins_work() {
    const std::lock_guard lock(mutex_);
    works_ = !denied_;
    return works_;
  }

  void say_leader(const std::optional<Leader>& now) {
    if (now == told_) return;
    told_ = now;
    if (!now) return say(args_.name + ": there is no leader");
    // Another may go by our id, or have gone by it.
    const std::string who = now->term == own_term_ ? "we lead" : core::printable(now->id) + " leads";
    say(args_.name + ": " + who + " (term " + std::to_string(now->term) + ")");
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
  std::uint64_t own_term_ = 0;
  std::optional<Leader> told_{};  // who leads, as was last said
  std::mutex mutex_{};
  bool works_ = false;                   // the command was started in this campaign
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
