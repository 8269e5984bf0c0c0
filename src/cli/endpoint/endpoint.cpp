#include "cli/endpoint/endpoint.hpp"

#include <utility>

#include "cli/descriptors.hpp"
#include "cli/doctor/doctor_output.hpp"
#include "cli/endpoint/node_metrics.hpp"
#include "cli/message.hpp"
#include "cli/version.hpp"
#include "core/base/text.hpp"
#include "core/lease/timing.hpp"
#include "http/host_check.hpp"
#include "http/token.hpp"
#include "runtime/wall_clock.hpp"

namespace tenure::cli {

namespace {

using http::Request;
using http::Response;
using namespace std::chrono_literals;

constexpr core::Duration stuck_after = 5s;
constexpr http::Freshness fresh{1s};
// Of what asks each node a dozen things.
constexpr http::Freshness nodes_fresh{.at_least = 2s, .times_its_making = 4};
// Beside its connections: the listener twice, and what its thread waits with.
constexpr std::size_t own_descriptors = 8;

ExitCode code_for(http::ListenError::Code code) {
  using enum http::ListenError::Code;
  switch (code) {
    case taken:
      return ExitCode::unavailable;
    case not_permitted:
    case no_address:
      return ExitCode::usage;
    case system:
      break;
  }
  return ExitCode::own_error;
}

// Empty where no file is named. Says a warning when others can read it.
tl::expected<std::string, std::string> token_of(const std::string& path) {
  if (path.empty()) return {};
  auto file = http::read_token_file(path);
  if (!file) return tl::unexpected(file.error());
  if (file->exposed) {
    say("warning: " + core::printable(path, 200) + " holds a token, and others can read it: chmod 600");
  }
  return std::move(file->token);
}

}  // namespace

Endpoint::Endpoint(http::Listener listener, std::string token)
    : listener_(std::move(listener)), token_(std::move(token)), started_ms_(runtime::wall_now_ms()) {}

// What was asked for wrongly is told before what the system lacks.
tl::expected<std::unique_ptr<Endpoint>, Endpoint::Failed> Endpoint::open(const HttpArgs& args,
                                                                         const Needs& needs) {
  std::size_t wanted = descriptors_to_stay(needs.nodes) + needs.descriptors;
  std::unique_ptr<Endpoint> endpoint;
  if (args.address) {
    auto token = token_of(args.token_file);
    if (!token) return tl::unexpected(Failed{ExitCode::usage, "--http-token-file: " + token.error()});
    auto listener = http::Listener::open(*args.address);
    if (!listener) {
      return tl::unexpected(Failed{code_for(listener.error().code), "--http: " + listener.error().message});
    }
    endpoint.reset(new Endpoint(std::move(*listener), std::move(*token)));
    wanted += http::Limits{}.connections + own_descriptors + needs.looks * needs.nodes;
  }
  if (const auto lack = lack_of_descriptors(wanted)) {
    return tl::unexpected(Failed{ExitCode::own_error, *lack});
  }
  return endpoint;
}

void Endpoint::describe(Owner owner, std::function<void(Json&)> add_state) {
  owner_ = std::move(owner);
  add_state_ = std::move(add_state);
  // What the command knows of itself is behind the locks of its client.
  Pulse& client = loops_.add("the client");
  auto& looked = cache<Response>(
      [this, &client] {
        const Turn turn(&client);
        return self();
      },
      fresh);
  routes_.add(
      "/livez",
      [this, &looked](const Request&) {
        looked.get();
        return livez();
      },
      http::Routes::For::everybody);
  auto& readiness = cache<Response>(
      [this] {
        const Readiness found = owner_.nodes->readiness();
        return Response::text(found.is_ready() ? 200 : 503, found.text());
      },
      fresh);
  routes_.add(
      "/readyz",
      [this, &readiness](const Request& request) -> std::optional<Response> {
        const auto all = readiness.get();
        if (!all) return std::nullopt;
        return readyz(*all, request);
      },
      http::Routes::For::everybody);
  routes_.add("/api/v1/self", [this](const Request&) { return self(); });
  diagnosed_ = &cache<Diagnosed>(
      [this] {
        const auto timing = core::make_timing(core::timing_options({}, owner_.nodes->terms().cap));
        const core::Duration timeout = timing ? timing->node_timeout : core::Duration(1s);
        return std::make_shared<const Diagnosis>(owner_.nodes->diagnose(owner_.lock_prefix, timeout));
      },
      nodes_fresh);
  routes_.add("/api/v1/nodes", [this](const Request&) -> std::optional<Response> {
    const auto seen = diagnosed_->get();
    if (!seen) return std::nullopt;
    return Response::json(doctor_json(**seen));
  });
}

void Endpoint::serve_node_metrics() {
  routes_.add("/metrics", [this](const Request&) -> std::optional<Response> {
    const auto seen = diagnosed_->get();
    if (!seen) return std::nullopt;
    return node_metrics_page(**seen);
  });
}

Response Endpoint::self() const {
  Json json;
  json.open_object();
  json.key("command").text(owner_.command);
  json.key("version").text(version());
  json.key("id").text(owner_.id);
  json.key("started_ms").number(started_ms_);
  json.key("at_ms").number(runtime::wall_now_ms());
  if (add_state_) add_state_(json);
  json.close_object();
  return Response::json(json.written() + "\n");
}

Response Endpoint::livez() {
  auto stuck = loops_.stuck(runtime::boot_now(), stuck_after);
  return stuck.empty() ? Response::text(200, "ok\n") : Response::text(503, std::move(stuck));
}

// Addresses of nodes are not for everybody.
Response Endpoint::readyz(const Response& all, const Request& request) const {
  if (request.trusted) return all;
  return Response::text(all.status,
                        all.status == 200 ? "ready\n" : "not ready: why is told to who shows the token\n");
}

void Endpoint::start() {
  if (!server_) {
    server_.emplace(listener_, routes_, http::Access{token_, listener_.address(), http::own_name()});
  }
  server_->start();
}

void Endpoint::rest() {
  if (server_) server_->stop();
  for (const auto& it : looks_) it->give_up();
  for (const auto& it : looks_) it->rest();
}

}  // namespace tenure::cli
