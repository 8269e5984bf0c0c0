#include "cli/fleet/poll.hpp"

#include <unistd.h>

#include <condition_variable>
#include <mutex>

#include "api/refusal_log.hpp"
#include "cli/args/whole.hpp"
#include "cli/endpoint/endpoint.hpp"
#include "cli/endpoint/lent.hpp"
#include "cli/endpoint/metrics_page.hpp"
#include "cli/fleet/chosen_fleet.hpp"
#include "cli/fleet/poll_log.hpp"
#include "cli/fleet/poll_state.hpp"
#include "cli/log.hpp"
#include "cli/message.hpp"
#include "cli/nodes/advice.hpp"
#include "cli/nodes/client_of.hpp"
#include "cli/notify.hpp"
#include "cli/plural.hpp"
#include "cli/supervise/stop_on_signal.hpp"
#include "core/base/names.hpp"
#include "core/base/text.hpp"
#include "core/lease/timing.hpp"
#include "redis/url.hpp"
#include "runtime/instance_id.hpp"
#include "tenure/client.hpp"
#include "tenure/clock.hpp"
#include "tenure/poller.hpp"

namespace tenure::cli {

namespace {

using std::chrono::milliseconds;

// Beside those of every command that stays: where sessions come from and results go to, and a few polls.
constexpr std::size_t descriptors_to_poll = 12;

// What the options amount to.
struct Plan {
  ChosenFleet fleet;
  std::string id{};
};

tl::expected<Plan, std::string> make_plan(const PollArgs& args) {
  auto fleet = choose_fleet(args.target);
  if (!fleet) return tl::unexpected(std::move(fleet.error()));
  Plan plan{std::move(*fleet), args.id.value_or(runtime::make_instance_id())};
  if (auto error = core::name_error("the id", plan.id)) return tl::unexpected(*error);
  return plan;
}

// Does the instance that goes by our id live, or has it died, like a pod that is started again under its name? A
// heartbeat that runs out later than it would have is that of a living one.
class NamesakeWatch {
 public:
  enum class Verdict : std::uint8_t { first_seen, perhaps_dead, lives };

  // The store said how much time is left at some moment between these two.
  Verdict judge(milliseconds left, BootClock::time_point asked, BootClock::time_point answered) {
    if (ends_by_ && asked + left > *ends_by_ + rounding) return Verdict::lives;
    const bool first = !ends_by_;
    ends_by_ = std::min(ends_by_.value_or(answered + left), answered + left);
    return first ? Verdict::first_seen : Verdict::perhaps_dead;
  }

 private:
  static constexpr milliseconds rounding{10};
  std::optional<BootClock::time_point> ends_by_{};  // at the latest, unless it is renewed
};

constexpr milliseconds namesake_look_every{200};

// What is written where nobody has chosen: text for people, JSON for whoever collects it.
PollLog::Style poll_style(const LogStyle& chosen) {
  const auto usual = isatty(STDOUT_FILENO) == 0 ? LogFormat::json : LogFormat::text;
  return {chosen.format.value_or(usual) == LogFormat::json, chosen.level};
}

class Instance {
 public:
  Instance(const PollArgs& args, const Plan& plan, Endpoint* endpoint)
      : args_(args),
        plan_(plan),
        endpoint_(endpoint),
        log_(plan.id, args.target.fleet + ":", poll_style(args.log)) {
    if (endpoint_ != nullptr) describe();
  }

  int run() {
    Signals signals;
    auto client = open_client(plan_.fleet.store, client_options());
    if (!client) return fail_at_start(client.error());
    auto fleet = client->fleet(args_.target.fleet, fleet_options());
    if (!fleet) {
      return fail(ExitCode::usage, fleet.error(),
                  naming_cap(fleet.error().message, args_.ttl, plan_.fleet.store.cap()));
    }
    auto source = stored_sessions(**fleet, source_options());
    if (!source) return fail(ExitCode::usage, source.error(), source.error().message);
    Poller poller(**fleet, std::move(*source), work(), poller_options());
    const Polling polling{*client, **fleet, poller};
    const Lent<Polling>::Loan loan(shown_, polling);
    const Serving serving(endpoint_);
    const StopOnSignal stop(signals);
    say_start();
    if (const auto code = join(poller, stop.token())) return *code;
    notify_.ready("polling in the fleet " + args_.target.fleet + " as " + plan_.id);
    stay(**fleet, stop.token());
    notify_.stopping();
    log_.leaving();
    poller.stop();
    client->close();
    const auto counts = poller.counts();
    log_.left(plural(counts.started, "poll") + ", " + std::to_string(counts.failed) + " failed, " +
              std::to_string(counts.aborted) + " aborted, " + std::to_string(counts.refused) +
              " results refused");
    return number(ExitCode::done);
  }

 private:
  void describe() {
    endpoint_->describe(
        {"poll", plan_.id, plan_.fleet.store.inspector, args_.target.fleet + ":lease:"},
        [this](Json& json) { shown_.look([&](const Polling* it) { add_polling(json, it); }); });
    endpoint_->routes().add("/api/v1/sessions", [this](const http::Request& request) {
      return shown_.look([&](const Polling* it) { return owned_json(request, it); });
    });
    endpoint_->routes().add("/metrics", [this](const http::Request&) {
      return shown_.look([](const Polling* it) {
        if (it == nullptr) return metrics_page(nullptr);
        const PollerMetrics polls = it->poller.metrics();
        return metrics_page(&it->client, &polls);
      });
    });
  }

  void say_start() {
    std::string names;
    for (const auto& name : plan_.fleet.store.inspector->names()) names += (names.empty() ? "" : ",") + name;
    const auto ttl = core::timing_options(args_.ttl, plan_.fleet.store.cap()).ttl;
    log_.start(
        {args_.target.fleet, names, plan_.fleet.apart ? plan_.fleet.data_place() : "", core::to_text(ttl)});
    if (endpoint_ != nullptr) log_.serving(endpoint_->url());
  }

  ClientOptions client_options() {
    ClientOptions options = client_of(plan_.fleet.store, plan_.id);
    options.on_event = [this](const Event& event) { log_.hear(event); };
    // What happens to leases the fleet tells, without gaps.
    options.log_level = std::min(options.log_level, LogLevel::warn);
    options.on_log = [](const LogLine& line) {
      if (!tells_of_lease(line) && line.event != log_event::lease_uncertain.name) log(line);
    };
    return options;
  }

  FleetOptions fleet_options() const {
    FleetOptions options{.ttl = whole(args_.ttl), .renew = whole(args_.renew), .weight = args_.weight};
    const ChosenFleet& fleet = plan_.fleet;
    if (!fleet.apart) return options;
    options.data = fleet.redis ? redis::whole_url(*fleet.redis) : fleet.postgresql;
    if (fleet.redis && fleet.redis->tls) options.data_tls = fleet.store.redis->tls_options;
    return options;
  }

  StoredSessionsOptions source_options() const {
    StoredSessionsOptions options;
    options.find =
        args_.target.index ? StoredSessionsOptions::Find::index : StoredSessionsOptions::Find::scan;
    options.prefix = args_.target.session_prefix;
    options.http = args_.exec.empty();
    return options;
  }

  PollWork work() const {
    if (!args_.exec.empty()) {
      CommandPoll command{.command = args_.exec};
      if (args_.timeout) command.timeout = *whole(args_.timeout);
      return command;
    }
    HttpPoll http;
    if (args_.timeout) {
      http.timeout = *whole(args_.timeout);
      http.connect_timeout = std::min(http.connect_timeout, http.timeout);
    }
    http.local_redirects = args_.local_redirects;
    http.ca_file = args_.http_ca;
    return http;
  }

  PollerOptions poller_options() {
    PollerOptions options;
    options.strict = args_.strict;
    options.on_event = [this](const PollEvent& event) { log_.hear(event); };
    options.on_fleet_event = [this](FleetEvent event) {
      event.detail += advice_on(event.not_open, plan_.fleet.store.inspector->how_to_init());
      log_.hear(event);
    };
    return options;
  }

  // A Redis that does not answer is waited for. An exit code where it cannot join, or was told to end before.
  std::optional<int> join(Poller& poller, const std::stop_token& stop) {
    std::string told;
    NamesakeWatch namesake;
    while (true) {
      const auto asked = BootClock::now();
      const auto joined = poller.start();
      if (joined) return std::nullopt;
      const Refusal& why = joined.error();
      if (why.code == Refusal::Code::held) {
        const milliseconds left = why.holder ? why.holder->left.value_or(milliseconds(0)) : milliseconds(0);
        const auto verdict = namesake.judge(left, asked, BootClock::now());
        if (verdict == NamesakeWatch::Verdict::lives) return fail(ExitCode::busy, why, why.message);
        if (verdict == NamesakeWatch::Verdict::first_seen) {
          log(log_event::namesake_seen, namesake_text(left));
        }
        if (wait(stop, namesake_look_every)) return number(ExitCode::done);
        continue;
      }
      if (why.code == Refusal::Code::system) return fail(ExitCode::own_error, why, why.message);
      if (why.code != Refusal::Code::no_quorum) return fail(ExitCode::usage, why, why.message);
      if (why.denied) return fail(ExitCode::no_quorum, why, why.message);
      if (std::exchange(told, why.message) != why.message) {
        log(detail::log_event_of(why), why.message + "; trying again", detail::log_fields_of(why));
        notify_.status("not in the fleet yet: " + why.message);
      }
      if (wait(stop, milliseconds(500))) return number(ExitCode::done);
    }
  }

  std::string namesake_text(milliseconds left) const {
    return "an instance with the id " + core::printable(plan_.id) + " was seen in the fleet " +
           args_.target.fleet + " a moment ago; if it has died, its heartbeat runs out in " +
           core::to_text(std::chrono::ceil<std::chrono::seconds>(left)) + ", and this one takes over then";
  }

  // Until stopped. As long as the fleet answers, a service manager is told that we are alive.
  void stay(const Fleet& fleet, const std::stop_token& stop) const {
    while (!wait(stop, notify_.beat_every())) {
      // Waits for the locks of the fleet: whoever hangs with them ends these beats.
      [[maybe_unused]] const auto instances = fleet.live_instances();
      notify_.beat();
    }
  }

  // True when it was stopped.
  static bool wait(const std::stop_token& stop, std::optional<milliseconds> at_most) {
    std::mutex mutex;
    std::condition_variable_any never;
    std::unique_lock lock(mutex);
    if (at_most) {
      never.wait_for(lock, stop, *at_most, [] { return false; });
    } else {
      never.wait(lock, stop, [] { return false; });
    }
    return stop.stop_requested();
  }

  const PollArgs& args_;
  const Plan& plan_;
  Endpoint* endpoint_;  // null: nothing is served
  Lent<Polling> shown_{};
  const Notify notify_{};  // before any thread
  PollLog log_;
};

}  // namespace

int poll(const PollArgs& args) {
  const auto plan = make_plan(args);
  if (!plan) return fail(ExitCode::usage, plan.error());
  set_log_context({{"instance", plan->id}});
  const auto opened =
      Endpoint::open(args.http, {.nodes = plan->fleet.store.nodes(), .descriptors = descriptors_to_poll});
  if (!opened) return fail(opened.error().code, opened.error().sentence);
  if (const auto warning = redis::warning_of_even(plan->fleet.store.nodes()))
    log(log_event::even_nodes, *warning);
  return Instance(args, *plan, opened->get()).run();
}

}  // namespace tenure::cli
