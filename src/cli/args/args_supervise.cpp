#include "cli/args/args_supervise.hpp"

#include <algorithm>

#include "cli/args/args_options.hpp"
#include "cli/args/help.hpp"
#include "cli/args/log_options.hpp"
#include "core/base/text.hpp"

namespace tenure::cli {

const std::string_view run_help_text =
    R"(Runs a command while holding a name: of all commands under the same name, at most one runs at a time.

Usage: tenure run NAME [OPTIONS] -- COMMAND [ARGUMENT...]

  -n, --no-wait         exit at once (75) if somebody else holds the name
      --wait DURATION   wait at most this long, for the name or for nodes that are away; without -n or --wait:
                        for ever for the name, but not for nodes that have never answered
  -E, --busy-code CODE  the exit code for a busy name with -n, instead of 75
  -q, --quiet           say nothing about waiting for others or a busy name
      --ttl DURATION    how long the nodes keep the lease if it is not renewed (30s)
      --grace DURATION  how long before its lease runs out the command is told to end (TTL/6; at least 10ms)
      --id TEXT         the name under which others see us (host, time and a random number)
      --lock-prefix TEXT  what its key begins with, before the name (redlock:)
@LOG@
@HTTP@

@NODES@

Durations: 500ms, 30s, 2m, 1h. Other users of this machine can see a password in --redis until tenure has
hidden it, a moment later; in a file or TENURE_REDIS they cannot. The command inherits the environment unchanged, but for
NOTIFY_SOCKET and WATCHDOG_USEC: to a service manager (systemd, Type=notify) tenure itself says that it is ready and alive.

The command gets a process group of its own and the signals that tenure gets. When it ends, everything that it has
started and left running, daemons included, is killed, and the name is free at once. When the lease is lost, the
command and everything that it has started get SIGTERM, and SIGKILL before the name can pass on. In its environment:
  TENURE_NAME           the name
  TENURE_TOKEN          a number that grows with every owner; a store is safe if it refuses smaller ones
  TENURE_DEADLINE       when the lease ends unless it is renewed, in seconds since boot, as in /proc/uptime;
                        tenure renews it, so that the command may run longer

Ctrl-Z stops the command and tenure; fg or bg continues both. Meanwhile nothing renews the lease: if it is about to run
out, the command is killed though tenure is stopped, the name is free for others, and tenure exits with 79 when it
continues. While it waits on a terminal, one line on stderr says who holds the name and for how long.

With several --redis the name is held by a majority of them: of 3 nodes any one may fail, of 5 any two.

A Redis that was restarted, was promoted or has lost its data grants no new leases until the cap is over (a
quarantine): leases that it has forgotten may still be held. tenure waits for the end, or with -n exits (76).
Whoever holds a lease at that time keeps it.

If Redis goes away while tenure waits, tenure keeps waiting, with --wait until that time is over. Wrong passwords, missing
rights and certificates that are not trusted end the wait at once (69).

Exit codes: that of the command, 128+N when signal N ended it, or
   64 usage                             79 the lease was lost, and the command ended
   69 Redis refuses or does not answer, 124 waited too long
      or too few of several nodes do;   125 tenure itself failed, or this machine has no
      or the port of --http is taken        file descriptor left (ulimit -n)
   75 busy, with -n                     126 the command cannot be run
   76 quarantine, with -n; or Redis has 127 there is no such command
      another cap or set of nodes

Examples:
  tenure run nightly-report -- ./report.sh --all
  tenure run keeper -n -- ./keeper
  tenure run deploy --wait 5m --ttl 10s -- make deploy
  TENURE_REDIS=redis://:password@cache:6379 tenure run backup -- ./backup
  tenure run backup --redis redis://a --redis redis://b --redis redis://c -- ./backup
)";

const std::string_view elect_help_text =
    R"(Takes part in an election: of all that take part under the same name, at most one leads at a time.

Usage: tenure elect NAME [OPTIONS]
       tenure elect NAME [OPTIONS] -- COMMAND [ARGUMENT...]

Without a command it writes one line for each event, at once:
  elected term=5             we lead; the term grows with every leader
  lost reason=WORD term=5    we no longer lead: not_renewed, missing, taken, stopped
  leader id=web-2 term=6     who leads now, which may be us
  no leader                  nobody leads, or nobody that can be seen from here
SIGTERM or Ctrl-C ends it: it gives leadership back, and the next one leads at once.

With a command it runs that while it leads, by the rules of tenure run, also for Ctrl-Z: when leadership is lost, the command and
everything that it has started get SIGTERM, and SIGKILL before another can lead; then it campaigns again. When the command
ends by itself, tenure gives leadership back and exits with its code. TENURE_TOKEN is the term.

      --observe         only report who leads
      --json            each line is a JSON object: event, name, and term, id, reason, drained where they apply
      --lease DURATION  how long a leader that has died stays leader to the others (15s)
      --renew DURATION  from one renewal to the next (a third of the lease)
      --grace DURATION  how long a leader whose renewals fail goes on trying (a third of the lease)
      --drain DURATION  how long its work gets to end before another can lead (two fifteenths of the lease)
      --id TEXT         the name under which others see us (host, time and a random number)
@LOG@
@HTTP@

@NODES@

The name itself is the key on the nodes. Renew, grace, drain, a node timeout (a fifteenth of the lease, at most 1s)
and a margin for clocks (a tenth of the lease, and 2ms) must fit into the lease together. All candidates of one name
should use the same lengths; if they do not, each leader's own apply. Grace and drain are at least 10ms.
Durations: 500ms, 30s, 2m.

If too few nodes answer, tenure waits, unless too many refuse the user, password, rights or certificate.

Exit codes: 0 ended by a signal, without a command; that of the command, or 128+N when signal N ended it or the wait
for leadership; 64 usage, 69 the nodes refuse us or the port of --http is taken, 125 tenure itself failed, or
this machine has no file descriptor left; 126 and 127 the command cannot be run or found.

Examples:
  tenure elect myapp:leader
  tenure elect myapp:leader --observe --json
  tenure elect myapp:leader -- ./run-the-scheduler
  tenure elect myapp:leader --lease 6s --id "$HOSTNAME" --redis redis://a --redis redis://b --redis redis://c
)";

namespace {

void add_exit_code(CLI::App& app, std::optional<int>& target) {
  app.add_option_function<std::string>("-E,--busy-code", [&target](const std::string& text) {
    const bool is_number = text.find_first_not_of("0123456789") == std::string::npos;
    const int code = is_number && !text.empty() && text.size() <= 3 ? std::stoi(text) : 0;
    if (code < 1 || code > 255) {
      throw CLI::ValidationError("--busy-code", "\"" + text + "\" is not an exit code from 1 to 255");
    }
    target = code;
  });
}

void add_run_options(CLI::App& app, RunArgs& run) {
  app.add_option("NAME", run.name)->required();
  app.add_flag("-n,--no-wait", run.no_wait);
  add_duration(app, "--wait", run.wait);
  add_exit_code(app, run.busy_code);
  app.add_flag("-q,--quiet", run.quiet);
  add_duration(app, "--ttl", run.ttl);
  add_duration(app, "--grace", run.grace);
  app.add_option("--id", run.id);
  app.add_option("--lock-prefix", run.lock_prefix);
  add_http_options(app, run.http);
  add_log_options(app, run.log);
  add_node_options(app, run.nodes);
}

// What follows "--" is not for CLI11, which would take the first word for a NAME.
struct Split {
  explicit Split(std::span<const std::string> words) {
    const auto mark = std::ranges::find(words, "--");
    own = words.first(static_cast<std::size_t>(mark - words.begin()));
    marked = mark != words.end();
    if (marked) command.assign(mark + 1, words.end());
  }

  std::span<const std::string> own;
  bool marked = false;
  std::vector<std::string> command{};
};

}  // namespace

Parsed parse_run(std::span<const std::string> words) {
  Split split(words);
  RunArgs run;
  CLI::App app;
  add_run_options(app, run);
  if (auto end = read_words(app, split.own, run_help_text)) return std::move(*end);
  if (auto error = http_error(run.http)) return refuse(std::move(*error));
  if (auto error = add_log_variables(run.log)) return refuse(std::move(*error));
  if (run.no_wait && run.wait) {
    return refuse("--no-wait and --wait " + core::to_text(*run.wait) + " contradict each other");
  }
  if (run.busy_code && !run.no_wait) {
    return refuse("--busy-code " + std::to_string(*run.busy_code) +
                  " goes with --no-wait: who waits is never busy");
  }
  run.command = std::move(split.command);
  if (run.command.empty()) {
    return refuse("no command: write it behind --, as in tenure run NAME -- COMMAND");
  }
  return run;
}

Parsed parse_elect(std::span<const std::string> words) {
  Split split(words);
  ElectArgs elect;
  CLI::App app;
  app.add_option("NAME", elect.name)->required();
  app.add_flag("--observe", elect.observe);
  app.add_flag("--json", elect.json);
  add_duration(app, "--lease", elect.lease);
  add_duration(app, "--renew", elect.renew);
  add_duration(app, "--grace", elect.grace);
  add_duration(app, "--drain", elect.drain);
  app.add_option("--id", elect.id);
  add_http_options(app, elect.http);
  add_log_options(app, elect.log);
  add_node_options(app, elect.nodes);
  if (auto end = read_words(app, split.own, elect_help_text)) return std::move(*end);
  if (auto error = http_error(elect.http)) return refuse(std::move(*error));
  if (auto error = add_log_variables(elect.log)) return refuse(std::move(*error));
  elect.command = std::move(split.command);
  if (split.marked && elect.command.empty()) return refuse("no command behind --");
  if (!elect.command.empty() && elect.observe) return refuse("--observe never leads: it takes no command");
  if (!elect.command.empty() && elect.json) {
    return refuse("--json is about the lines that are written without a command");
  }
  return elect;
}

}  // namespace tenure::cli
