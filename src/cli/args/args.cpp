#include "cli/args/args.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "cli/args/args_fleet.hpp"
#include "cli/args/args_options.hpp"
#include "cli/args/args_supervise.hpp"
#include "cli/args/help.hpp"
#include "cli/args/suggestion.hpp"
#include "cli/secrets.hpp"
#include "cli/version.hpp"
#include "core/base/number.hpp"
#include "core/base/text.hpp"
#include "core/nodes.hpp"

namespace tenure::cli {

namespace {

constexpr int port_max = 65'535;

// For whoever has mistyped one.
const std::array<std::string, 14> commands{"run",  "elect", "init",     "reconfigure", "doctor",
                                           "lock", "poll",  "sessions", "status",      "explain",
                                           "web",  "demo",  "redis",    "help"};

Parsed parse_init(std::span<const std::string> words) {
  InitArgs init;
  CLI::App app;
  app.add_flag("--print-sql", init.print_sql);
  add_node_options(app, init.nodes);
  if (auto end = read_words(app, words, init_help_text)) return std::move(*end);
  return init;
}

Parsed parse_reconfigure(std::span<const std::string> words) {
  ReconfigureArgs args;
  CLI::App app;
  app.add_option("--leaving", args.leaving)->allow_extra_args(false);
  app.add_option("--abandon", args.abandon)->allow_extra_args(false);
  app.add_flag("-y,--yes", args.yes);
  add_node_options(app, args.nodes);
  if (auto end = read_words(app, words, reconfigure_help_text)) return std::move(*end);
  return args;
}

Parsed parse_doctor(std::span<const std::string> words) {
  DoctorArgs doctor;
  CLI::App app;
  add_duration(app, "--ttl", doctor.ttl);
  app.add_flag("--json", doctor.json);
  app.add_option("--lock-prefix", doctor.lock_prefix);
  add_node_options(app, doctor.nodes);
  if (auto end = read_words(app, words, doctor_help_text)) return std::move(*end);
  return doctor;
}

// From 1 to most, without anything around it.
void add_number(CLI::App& app, const std::string& option, int& target, int most) {
  app.add_option_function<std::string>(option, [&target, option, most](const std::string& text) {
    const auto number = core::read_number<int>(text);
    if (!number || *number < 1 || *number > most) {
      throw CLI::ValidationError(
          option, "\"" + core::printable(text, 60) + "\" is not a number from 1 to " + std::to_string(most));
    }
    target = *number;
  });
}

Parsed parse_redis_up(std::span<const std::string> words) {
  RedisUpArgs up;
  CLI::App app;
  add_number(app, "N", up.count, static_cast<int>(core::nodes_max));
  app.add_flag("--sentinel", up.sentinel);
  app.add_flag("--cluster", up.cluster);
  add_number(app, "--port", up.port, port_max);
  app.add_option("--dir", up.dir);
  if (auto end = read_words(app, words, redis_help_text)) return std::move(*end);
  if (up.sentinel && app.count("N") > 0) {
    return refuse("--sentinel starts three servers and three Sentinels: it wants no number");
  }
  if (up.cluster && app.count("N") > 0) return refuse("--cluster starts six servers: it wants no number");
  if (up.sentinel && up.cluster) {
    return refuse(
        "--sentinel and --cluster start different things: start one after the other, on ports of its own");
  }
  if (up.sentinel && app.count("--port") == 0) up.port = RedisUpArgs::sentinel_port;
  if (up.cluster && app.count("--port") == 0) up.port = RedisUpArgs::cluster_port;
  int ports = up.count;
  if (up.sentinel) ports = RedisUpArgs::sentinel_port_count;
  if (up.cluster) ports = RedisUpArgs::cluster_port_count;
  if (up.port + ports - 1 > port_max) {
    return refuse("--port " + std::to_string(up.port) + ": " + std::to_string(ports) +
                  " ports from there on go beyond " + std::to_string(port_max));
  }
  if (up.dir && up.dir->empty()) return refuse("--dir is empty");
  return up;
}

Parsed parse_redis_down(std::span<const std::string> words) {
  RedisDownArgs down;
  CLI::App app;
  app.add_option("--dir", down.dir);
  if (auto end = read_words(app, words, redis_help_text)) return std::move(*end);
  if (down.dir && down.dir->empty()) return refuse("--dir is empty");
  return down;
}

// up and down, or what was asked for instead.
Parsed parse_redis(std::span<const std::string> words) {
  const std::string first = words.empty() ? "" : words.front();
  if (first == "up") return parse_redis_up(words.subspan(1));
  if (first == "down") return parse_redis_down(words.subspan(1));
  if (first == "-h" || first == "--help") return Text{complete(redis_help_text)};
  return refuse_subcommand("redis", "up and down", first);
}

void add_lock_target(CLI::App& app, LockTarget& target) {
  app.add_option("--lock-prefix", target.lock_prefix);
  add_node_options(app, target.nodes);
}

Parsed parse_lock_ls(std::span<const std::string> words) {
  LockLsArgs ls;
  CLI::App app;
  app.add_flag("--json", ls.json);
  app.add_flag("--sessions", ls.sessions);
  add_lock_target(app, ls.target);
  if (auto end = read_words(app, words, lock_help_text)) return std::move(*end);
  return ls;
}

Parsed parse_lock_show(std::span<const std::string> words) {
  LockShowArgs show;
  CLI::App app;
  app.add_option("NAME", show.name)->required();
  app.add_flag("--json", show.json);
  app.add_option("--fleet", show.fleet);
  add_lock_target(app, show.target);
  if (auto end = read_words(app, words, lock_help_text)) return std::move(*end);
  return show;
}

Parsed parse_lock_break(std::span<const std::string> words) {
  LockBreakArgs taken;
  CLI::App app;
  app.add_option("NAME", taken.name)->required();
  app.add_flag("-y,--yes", taken.yes);
  app.add_flag("--unsafe", taken.unsafe);
  add_lock_target(app, taken.target);
  if (auto end = read_words(app, words, lock_help_text)) return std::move(*end);
  return taken;
}

Parsed parse_lock(std::span<const std::string> words) {
  const std::string first = words.empty() ? "" : words.front();
  if (first == "ls") return parse_lock_ls(words.subspan(1));
  if (first == "show") return parse_lock_show(words.subspan(1));
  if (first == "break") return parse_lock_break(words.subspan(1));
  if (first == "-h" || first == "--help") return Text{complete(lock_help_text)};
  return refuse_subcommand("lock", "ls, show and break", first);
}

}  // namespace

Parsed parse_args(const std::vector<std::string>& words) {
  if (words.empty()) return refuse("no command; tenure help lists them");
  const std::string& first = words.front();
  const auto rest = std::span(words).subspan(1);
  const std::size_t most = first == "help" ? 1 : 0;
  const bool alone = first == "--version" || first == "help" || first == "-h" || first == "--help";
  if (alone && rest.size() > most) {
    return refuse("\"" + core::printable(without_secrets(rest[most]), 60) + "\" is one word too many");
  }
  if (first == "--version") return Text{"tenure " + std::string(version()) + "\n"};
  if (first == "help" && !rest.empty()) return parse_args({rest.front(), "--help"});
  if (first == "help" || first == "-h" || first == "--help") return Text{complete(help_text)};
  if (first == "run") return parse_run(rest);
  if (first == "elect") return parse_elect(rest);
  if (first == "init") return parse_init(rest);
  if (first == "reconfigure") return parse_reconfigure(rest);
  if (first == "doctor") return parse_doctor(rest);
  if (first == "redis") return parse_redis(rest);
  if (first == "lock") return parse_lock(rest);
  if (first == "sessions") return parse_sessions(rest);
  if (first == "status") return parse_status(rest);
  if (first == "poll") return parse_poll(rest);
  if (first == "web") return parse_web(rest);
  if (first == "demo") return parse_demo(rest);
  if (first == "explain") return parse_explain(rest);
  const std::string hint = did_you_mean(first, commands);
  return refuse("there is no command \"" + core::printable(without_secrets(first), 60) + "\"" +
                (hint.empty() ? "; tenure help lists them" : hint));
}

}  // namespace tenure::cli
