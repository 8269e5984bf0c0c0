#include "cli/supervise/elect.hpp"

#include <cerrno>
#include <mutex>

#include "api/lengths.hpp"
#include "api/refusal_log.hpp"
#include "cli/args/whole.hpp"
#include "cli/endpoint/endpoint.hpp"
#include "cli/endpoint/lent.hpp"
#include "cli/endpoint/metrics_page.hpp"
#include "cli/endpoint/own_json.hpp"
#include "cli/log.hpp"
#include "cli/message.hpp"
#include "cli/nodes/advice.hpp"
#include "cli/nodes/client_of.hpp"
#include "cli/notify.hpp"
#include "cli/supervise/claim.hpp"
#include "cli/supervise/command.hpp"
#include "cli/supervise/elect_events.hpp"
#include "cli/supervise/stop_on_signal.hpp"
#include "cli/supervise/supervise.hpp"
#include "cli/supervise/terminal.hpp"
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
  const core::Ttl cap = claim->store.cap();
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
  Electing(const ElectArgs& args, const Plan& plan, Endpoint* endpoint, const Notify& notify)
      : args_(args), plan_(plan), endpoint_(endpoint), notify_(notify) {
    if (endpoint_ != nullptr) describe();
  }

  // Tells what happens, until a signal ends it.
  int announce() {
    Signals signals;
    ElectEvents events(args_.name, args_.json, pulse_);
    const Serving serving(endpoint_);
    StopOnSignal stop(signals);
    auto standing = stand(stop);
    if (!standing) return fail_at_start(standing.error());
    const Lent<Standing>::Loan loan(shown_, *standing);
    Election* const election = &standing->election;
    election->on_elected([&](const Lease& term) {
      own_term_ = term.token();
      events.elected(term.token());
    });
    election->on_lost([&](const TermEnd& end) { events.lost(end); });
    election->on_leader_changed([&](const auto&, const auto& now) {
      events.leader(now);
      notify_.status(leader_text(now));
    });
    if (const auto started = election->start(); !started) return fail_at_start(started.error());
    notify_.ready("taking part in " + args_.name);
    events.wait(stop.token(), notify_);
    notify_.stopping();
    election->stop();
    if (denied_)
      return fail(ExitCode::no_quorum, *denied_, denied_->message + advice_on(*denied_, plan_.store));
    return events.all_read() ? number(ExitCode::done)
                             : fail(ExitCode::own_error, "nobody reads the output any more");
  }

  // Runs the command in one term after the other, until it ends by itself or a signal ends it. A watchdog is made
  // before the first thread: so every campaign has a client of its own, whose threads are gone with it, and the endpoint rests
  // meanwhile.
  int lead(Command& command) {
    Signals signals;
    while (true) {
      Watchdog watchdog(command, signals,
                        endpoint_ == nullptr ? std::nullopt : std::optional(endpoint_->fd()));
      const Serving serving(endpoint_);
      StopOnSignal stop(signals, notify_, [](int signal) {
        if (signal == SIGTSTP) stop_ourselves();
      });
      auto standing = stand(stop);
      if (!standing) return fail_at_start(standing.error());
      const Lent<Standing>::Loan loan(shown_, *standing);
      Election* const election = &standing->election;
      notify_.ready("taking part in " + args_.name);
      election->on_elected([&](const Lease& term) { own_term_ = term.token(); });
      election->on_leader_changed([&](const auto&, const auto& now) { say_leader(now); });
      std::optional<Ending> ending;
      const auto run = election->run(stop.token(), [&](const Lease& term) {
        // From now on signals are the command's.
        if (begins_work() && !stop.finish())
          ending = supervise({args_.name, term, watchdog, signals, notify_, pulse_});
        stop.stop();  // a term without a command is wanted by nobody
      });
      if (!run) return fail_at_start(run.error());
      const auto signal = stop.finish();
      if (signal) notify_.stopping();
      if (!ending && denied_ && !signal) {
        return fail(ExitCode::no_quorum, *denied_, denied_->message + advice_on(*denied_, plan_.store));
      }
      if (!ending) return number_of_signal(signal.value_or(SIGTERM));
      if (const auto code = exit_code_of(*ending, command)) return *code;
      log(log_event::campaigning, args_.name + ": campaigning again");
    }
  }

 private:
  // One campaign. Its client goes with it.
  struct Standing {
    Client client;
    Election election;
  };
  static const Election* election_of(const Standing* standing) {
    return standing == nullptr ? nullptr : &standing->election;
  }

  void describe() {
    pulse_ = &endpoint_->loops().add(args_.command.empty() ? "the writer of events"
                                                           : "the supervisor of the command");
    // Of an election the key has no prefix.
    endpoint_->describe({"elect", plan_.id, plan_.store.inspector, args_.name}, [this](Json& json) {
      shown_.look([&](const Standing* it) { add_election(json, plan_.election, election_of(it)); });
    });
    endpoint_->routes().add("/leader", [this](const http::Request&) {
      return shown_.look([](const Standing* it) { return leader_json(election_of(it)); });
    });
    endpoint_->routes().add("/metrics", [this](const http::Request&) {
      return shown_.look(
          [](const Standing* it) { return metrics_page(it == nullptr ? nullptr : &it->client); });
    });
  }

  // Its handlers run until it has stopped: what they note may be read then.
  tl::expected<Standing, Refusal> stand(StopOnSignal& stop) {
    works_ = false;
    ClientOptions options = client_of(plan_.store, plan_.id);
    options.diagnose = true;
    const auto client = open_client(plan_.store, std::move(options));
    if (!client) return tl::unexpected(client.error());
    auto election = client->election(args_.name, plan_.election);
    if (!election) return tl::unexpected(election.error());
    election->on_hindered([this, &stop](const Refusal& why) {
      if (why.denied) {
        if (note_denial(why)) stop.stop();
      } else {
        log(detail::log_event_of(why), why.message + advice_on(why, plan_.store), detail::log_fields_of(why));
      }
    });
    return Standing{*client, std::move(*election)};
  }

  // What is told late, about a time before the command was started, does not end it.
  bool note_denial(const Refusal& why) {
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
    notify_.status(leader_text(now));
    if (!now) return log(log_event::no_leader, leader_text(now));
    log(is_own(*now) ? log_event::elected : log_event::leader_changed, leader_text(now),
        {{"leader", now->id}, {"token", now->term}});
  }

  // Another may go by our id, or have gone by it.
  bool is_own(const Leader& leader) const { return leader.term == own_term_; }

  std::string leader_text(const std::optional<Leader>& now) const {
    if (!now) return args_.name + ": there is no leader";
    const std::string who = is_own(*now) ? "we lead" : core::printable(now->id) + " leads";
    return args_.name + ": " + who + " (term " + std::to_string(now->term) + ")";
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
  Endpoint* endpoint_;      // null: nothing is served
  Pulse* pulse_ = nullptr;  // of the loop that the endpoint watches
  Lent<Standing> shown_{};
  const Notify& notify_;
  std::uint64_t own_term_ = 0;
  std::optional<Leader> told_{};  // who leads, as was last said
  std::mutex mutex_{};
  bool works_ = false;               // the command was started in this campaign
  std::optional<Refusal> denied_{};  // why no campaign can come to anything
};

}  // namespace

int elect(const ElectArgs& args) {
  const auto plan = make_plan(args);
  if (!plan) return fail(ExitCode::usage, plan.error());
  set_log_context({{"instance", plan->id}, {"name", args.name}});
  const auto opened = Endpoint::open(args.http, {.nodes = plan->store.nodes()});
  if (!opened) return fail(opened.error().code, opened.error().sentence);
  Endpoint* const endpoint = opened->get();
  if (const auto warning = redis::warning_of_even(plan->store.nodes())) log(log_event::even_nodes, *warning);
  if (endpoint != nullptr) log(log_event::serving, "serving " + endpoint->url(), {{"url", endpoint->url()}});
  const Notify notify;
  Electing electing(args, *plan, endpoint, notify);
  if (args.command.empty()) return electing.announce();
  auto command = Command::find(args.command);
  if (!command) return fail(command.error().code, command.error().sentence);
  command->set_environment("TENURE_NAME", args.name);
  return electing.lead(*command);
}

}  // namespace tenure::cli
