#include "cli/fleet/web.hpp"

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "cli/endpoint/endpoint.hpp"
#include "cli/endpoint/page_of.hpp"
#include "cli/fleet/fleet_look.hpp"
#include "cli/fleet/fleet_output.hpp"
#include "cli/lock/lock_look.hpp"
#include "cli/lock/lock_output.hpp"
#include "cli/lock/lock_plan.hpp"
#include "cli/message.hpp"
#include "cli/supervise/descriptors.hpp"
#include "cli/supervise/stop_on_signal.hpp"
#include "core/base/names.hpp"
#include "redis/key_names.hpp"
#include "runtime/instance_id.hpp"

namespace tenure::cli {

namespace {

using http::Request;
using http::Response;
using namespace std::chrono_literals;

// Both go through many keys: they take at most a fifth of the time.
constexpr http::Freshness fresh{.at_least = 1s, .times_its_making = 4};
constexpr std::size_t fleets_max = 32;

// One look at all leases answers three paths.
struct LeaseAnswers {
  Response locks;
  Response elections;
  Response fleets;

  bool failed() const { return locks.failed(); }
};

// A fleet as it was last seen, or why it could not be.
using SeenFleet = tl::expected<std::shared_ptr<const FleetView>, std::string>;

class Web {
 public:
  Web(const WebArgs& args, ChosenFleet fleet, Endpoint& endpoint)
      : args_(args), fleet_(std::move(fleet)), endpoint_(endpoint) {
    endpoint_.describe({"web", runtime::make_instance_id(), fleet_.nodes, args_.lock_prefix}, {});
    auto& leases = endpoint_.cache<LeaseAnswers>([this] { return look_at_leases(); }, fresh);
    const auto add = [&](const char* path, Response LeaseAnswers::* which) {
      endpoint_.routes().add(path, [&leases, which](const Request&) -> std::optional<Response> {
        const auto seen = leases.get();
        if (!seen) return std::nullopt;
        return (*seen).*which;
      });
    };
    add("/api/v1/locks", &LeaseAnswers::locks);
    add("/api/v1/elections", &LeaseAnswers::elections);
    add("/api/v1/fleets", &LeaseAnswers::fleets);
    endpoint_.routes().add("/api/v1/fleet", [this](const Request& request) {
      return of_fleet(request, [](const FleetView& view, const std::string& name) {
        return Response::json(fleet_json(view, name));
      });
    });
    endpoint_.routes().add("/api/v1/sessions", [this](const Request& request) {
      return of_fleet(request, [&](const FleetView& view, const std::string& name) {
        const auto page = page_of(request);
        return page ? Response::json(sessions_page_json(view, name, *page)) : page.error();
      });
    });
  }

 private:
  LeaseAnswers look_at_leases() const {
    const AllLeases all = look_at_all_leases(fleet_.nodes, args_.lock_prefix, ShowSessions::counted);
    if (!enough(all.looked, fleet_.nodes)) {
      const auto error = error_json(503, failures_said(all.looked, fleet_.nodes).value_or(""));
      return {error, error, error};
    }
    return {Response::json(leases_json("locks", all.looked.locks, LeaseKind::lock)),
            Response::json(leases_json("elections", all.looked.locks, LeaseKind::election)),
            Response::json(fleets_json(all.fleets))};
  }

  // Of the fleet that the request names, else the one that the command line does.
  template <class Show>
  std::optional<Response> of_fleet(const Request& request, const Show& show) {
    const std::string name = request.parameter("fleet").value_or(fleet_.keys.fleet);
    auto* const seen = fleet_called(name);
    if (seen == nullptr)
      return error_json(404, "there is no fleet of that name, or too many others are looked at");
    const auto fleet = seen->get();
    if (!fleet) return std::nullopt;
    if (!*fleet) return error_json(503, fleet->error());
    return show(***fleet, name);
  }

  // Null where it cannot be looked at. Only the endpoint's thread comes here.
  http::Cached<SeenFleet>* fleet_called(const std::string& name) {
    if (const auto known = fleets_.find(name); known != fleets_.end()) return known->second;
    // The place of the own fleet is kept free for it.
    const bool full = fleets_.size() >= fleets_max + (name == fleet_.keys.fleet ? 1 : 0);
    if (redis::fleet_error(name, fleet_.nodes.keyspace) || full) return nullptr;
    ChosenFleet fleet = fleet_;
    if (name != fleet.keys.fleet) fleet.keys.prefix.clear();  // it was chosen for the other one
    fleet.keys.fleet = name;
    // Which nodes do not answer is at /api/v1/nodes.
    auto look = std::make_shared<FleetLook>(std::move(fleet), [](const std::string&) {});
    auto& seen = endpoint_.cache<SeenFleet>(
        [look]() -> SeenFleet {
          auto view = look->look();
          if (!view) return tl::unexpected(std::move(view.error()));
          return std::make_shared<const FleetView>(std::move(*view));
        },
        fresh);
    return fleets_[name] = &seen;
  }

  const WebArgs& args_;
  ChosenFleet fleet_;
  Endpoint& endpoint_;
  std::map<std::string, http::Cached<SeenFleet>*> fleets_{};
};

}  // namespace

int web(const WebArgs& args) {
  if (auto error = core::name_error("the lock prefix", args.lock_prefix))
    return fail(ExitCode::usage, *error);
  auto fleet = choose_fleet(args.target);
  if (!fleet) return fail(ExitCode::usage, fleet.error());
  const auto opened = Endpoint::open(args.http);
  if (!opened) return fail(opened.error().code, opened.error().sentence);
  Endpoint& endpoint = **opened;
  // Leases, and each fleet over the nodes and where its sessions are.
  const std::size_t nodes = fleet->nodes.addresses.size() + 1;
  const std::size_t wanted =
      descriptors_to_stay(nodes) + descriptors_to_serve(&endpoint, nodes, usual_looks + 1 + fleets_max + 1);
  if (const auto lack = lack_of_descriptors(wanted)) return fail(ExitCode::own_error, *lack);
  Signals signals;
  Web web(args, std::move(*fleet), endpoint);
  say("serving " + endpoint.url());
  const Serving serving(&endpoint);
  const StopOnSignal stop(signals);
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait(lock, stop.token(), [] { return false; });
  return number(ExitCode::done);
}

}  // namespace tenure::cli
