#include "cli/args/args_fleet.hpp"

#include <cstdint>

#include "cli/args/args_options.hpp"
#include "cli/args/help.hpp"
#include "cli/args/log_options.hpp"

namespace tenure::cli {

namespace {

constexpr std::uint16_t web_port = 7411;

void add_fleet_target(CLI::App& app, FleetTarget& target) {
  add_text(app, "--data", target.data);
  app.add_option("--fleet", target.fleet);
  add_text(app, "--session-prefix", target.session_prefix);
  app.add_flag("--any-address", target.any_address);
  add_node_options(app, target.nodes);
}

Parsed parse_sessions_add(std::span<const std::string> words) {
  SessionsAddArgs add;
  CLI::App app;
  app.add_option("ID", add.id)->required();
  app.add_option("ADDRESS", add.address)->required();
  add_duration(app, "--every", add.every);
  app.add_flag("--replace", add.replace);
  add_fleet_target(app, add.target);
  if (auto end = read_words(app, words, sessions_help_text)) return std::move(*end);
  return add;
}

Parsed parse_sessions_change(SessionsChangeArgs::What what, std::span<const std::string> words) {
  SessionsChangeArgs change{.what = what};
  CLI::App app;
  app.add_option("ID", change.id)->required();
  add_fleet_target(app, change.target);
  if (auto end = read_words(app, words, sessions_help_text)) return std::move(*end);
  return change;
}

Parsed parse_sessions_ls(std::span<const std::string> words) {
  SessionsLsArgs ls;
  CLI::App app;
  app.add_flag("--json", ls.json);
  app.add_flag("--index", ls.target.index);
  add_fleet_target(app, ls.target);
  if (auto end = read_words(app, words, sessions_help_text)) return std::move(*end);
  return ls;
}

}  // namespace

Parsed parse_sessions(std::span<const std::string> words) {
  using What = SessionsChangeArgs::What;
  const std::string first = words.empty() ? "" : words.front();
  const auto rest = words.subspan(words.empty() ? 0 : 1);
  if (first == "add") return parse_sessions_add(rest);
  if (first == "rm") return parse_sessions_change(What::remove, rest);
  if (first == "pause") return parse_sessions_change(What::pause, rest);
  if (first == "resume") return parse_sessions_change(What::resume, rest);
  if (first == "ls") return parse_sessions_ls(rest);
  if (first == "-h" || first == "--help") return Text{complete(sessions_help_text)};
  return refuse_subcommand("sessions", "add, rm, pause, resume and ls", first);
}

Parsed parse_status(std::span<const std::string> words) {
  StatusArgs status;
  CLI::App app;
  app.add_flag("--json", status.json);
  app.add_flag("--watch", status.watch);
  app.add_flag("--all", status.all);
  app.add_flag("--index", status.target.index);
  add_fleet_target(app, status.target);
  if (auto end = read_words(app, words, status_help_text)) return std::move(*end);
  return status;
}

Parsed parse_explain(std::span<const std::string> words) {
  ExplainArgs explain;
  CLI::App app;
  app.add_option("SESSION", explain.id)->required();
  app.add_flag("--index", explain.target.index);
  add_fleet_target(app, explain.target);
  if (auto end = read_words(app, words, explain_help_text)) return std::move(*end);
  return explain;
}

Parsed parse_poll(std::span<const std::string> words) {
  PollArgs poll;
  std::string id;
  bool json = false;
  bool text = false;
  CLI::App app;
  add_text(app, "--exec", poll.exec);
  add_duration(app, "--ttl", poll.ttl);
  add_duration(app, "--renew", poll.renew);
  add_duration(app, "--timeout", poll.timeout);
  app.add_option("--weight", poll.weight);
  app.add_flag("--strict", poll.strict);
  add_text(app, "--id", id);
  app.add_flag("--local-redirects", poll.local_redirects);
  add_text(app, "--http-ca", poll.http_ca);
  app.add_flag("--json", json);
  app.add_flag("--text", text)->excludes("--json");
  add_log_options(app, poll.log);
  app.add_flag("--index", poll.target.index);
  add_http_options(app, poll.http);
  add_fleet_target(app, poll.target);
  if (auto end = read_words(app, words, poll_help_text)) return std::move(*end);
  if (auto error = http_error(poll.http)) return refuse(std::move(*error));
  if (!id.empty()) poll.id = id;
  if ((json || text) && poll.log.format) {
    return refuse("--log-format and " + std::string(json ? "--json" : "--text") + " both say how: give one");
  }
  if (json || text) poll.log.format = json ? LogFormat::json : LogFormat::text;
  if (auto error = add_log_variables(poll.log)) return refuse(std::move(*error));
  if (poll.timeout && *poll.timeout < std::chrono::milliseconds(1)) return refuse("--timeout: it is zero");
  return poll;
}

Parsed parse_web(std::span<const std::string> words) {
  WebArgs web;
  CLI::App app;
  app.add_option("--lock-prefix", web.lock_prefix);
  app.add_flag("--index", web.target.index);
  add_http_options(app, web.http);
  add_fleet_target(app, web.target);
  if (auto end = read_words(app, words, web_help_text)) return std::move(*end);
  if (!web.http.address) web.http.address = http::ListenAddress{"127.0.0.1", web_port};
  if (auto error = http_error(web.http)) return refuse(std::move(*error));
  return web;
}

Parsed parse_demo(std::span<const std::string> words) {
  DemoArgs demo;
  CLI::App app;
  app.add_flag("--plain", demo.plain);
  app.add_option("--seconds", demo.seconds)->check(CLI::Range(1U, 86'400U));
  NodeArgs nodes;
  add_node_options(app, nodes);
  if (auto end = read_words(app, words, demo_help_text)) return std::move(*end);
  if (!nodes.redis.empty() || !nodes.redis_file.empty()) {
    demo.nodes = std::move(nodes);
  } else if (nodes != NodeArgs{}) {
    return refuse(
        "options of nodes want a --store or a --redis-file; without one the demonstration has a Redis of its "
        "own");
  }
  return demo;
}

}  // namespace tenure::cli
