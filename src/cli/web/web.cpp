#include "cli/web/web.hpp"

#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "cli/endpoint/endpoint.hpp"
#include "cli/endpoint/page_of.hpp"
#include "cli/fleet/fleet_look.hpp"
#include "cli/fleet/fleet_output.hpp"
#include "cli/lock/lock_output.hpp"
#include "cli/lock/lock_plan.hpp"
#include "cli/message.hpp"
#include "cli/supervise/stop_on_signal.hpp"
#include "cli/web/assets.hpp"
#include "cli/web/recorder.hpp"
#include "cli/web/watched_fleet.hpp"
#include "core/base/names.hpp"
#include "core/base/number.hpp"
#include "runtime/boot_clock.hpp"
#include "runtime/instance_id.hpp"
#include "runtime/wall_clock.hpp"

namespace tenure::cli {

namespace {

using http::Request;
using http::Response;
using namespace std::chrono_literals;

// Looks go through many keys: they take at most a fifth of the time, and far less of it while nobody watches.
constexpr http::Freshness fresh{.at_least = 250ms, .times_its_making = 4, .serves_last = true};
constexpr std::chrono::milliseconds tick_every{100};
constexpr int times_unwatched = 50;
constexpr core::Duration unwatched_at_least = 1s;
// A look that is later than it should be by so much is no reason yet to call what is shown stale.
constexpr core::Duration look_late_max = 2s;
constexpr std::size_t fleets_max = 33;

struct LeasesThen {
  AllLeases all{};
  UnixMs at = 0;
};
// What all nodes show, or why that could not be seen.
using SeenLeases = tl::expected<std::shared_ptr<const LeasesThen>, std::string>;
using SeenFleet = tl::expected<std::shared_ptr<const WatchedFleet>, std::string>;

std::int64_t in_ms(core::Duration duration) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
}

class Web {
 public:
  Web(const WebArgs& args, ChosenFleet fleet, Endpoint& endpoint)
      : args_(args),
        fleet_(std::move(fleet)),
        endpoint_(endpoint),
        leases_(endpoint.cache<SeenLeases>([this] { return look_at_leases(); }, fresh)) {
    endpoint_.describe({"web", runtime::make_instance_id(), fleet_.store.inspector, args_.lock_prefix}, {});
    endpoint_.serve_node_metrics();
    serve_page();
    serve_leases();
    serve_fleets();
    endpoint_.routes().add("/api/v1/timeline", [this](const Request& request) { return timeline(request); });
    endpoint_.routes().add_stream(
        "/api/v1/events",
        [this](const Request& request) -> tl::expected<std::unique_ptr<http::EventStream>, Response> {
          const auto name = fleet_of(request);
          if (!name) return tl::unexpected(name.error());
          return std::make_unique<Watching>(*this, *name, recorder_.events().read(request, *name));
        });
    own_fleet_ = fleet_called(fleet_.name);
  }

  // Lets the record go on, whether anybody watches or not. Called again and again, by one thread that may not be the endpoint's.
  void tick() {
    const core::Time now = runtime::boot_now();
    if (recorder_.events().readers() == 0 && now < next_unwatched_) return;
    next_unwatched_ =
        now + std::clamp<core::Duration>(took_.load() * times_unwatched, unwatched_at_least, fresh.at_most);
    look_again(leases_);
    if (own_fleet_ != nullptr) look_again(*own_fleet_);
  }

 private:
  // A stream of events lets the fleet that it is about be looked at.
  class Watching : public http::EventStream {
   public:
    Watching(Web& web, std::string fleet, std::unique_ptr<http::EventStream> events)
        : web_(web), fleet_(std::move(fleet)), events_(std::move(events)) {}
    std::string next() override {
      if (auto* const seen = web_.fleet_called(fleet_)) look_again(*seen);
      return events_->next();
    }

   private:
    Web& web_;
    std::string fleet_;
    std::unique_ptr<http::EventStream> events_;
  };

  // What goes wrong with it is told to whoever asks for the answer.
  template <class Seen>
  static void look_again(http::Cached<Seen>& cached) {
    try {
      cached.get();
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch)
    }
  }

  void serve_page() {
    for (const Asset& asset : assets()) {
      const std::string name(asset.name);
      endpoint_.routes().add_file(name == "index.html" ? "/" : "/web/" + name, type_of(asset), asset.text);
    }
  }

  void serve_leases() {
    const auto add = [&](const char* path, const auto& show) {
      endpoint_.routes().add(path, [this, show](const Request& request) -> std::optional<Response> {
        const auto seen = leases_.get();
        if (!seen) return std::nullopt;
        if (!*seen) return error_json(503, seen->error());
        return show(request, ***seen);
      });
    };
    const auto of_kind = [](const char* key, LeaseKind kind) {
      return [key, kind](const Request& request, const LeasesThen& seen) {
        const auto page = page_of(request);
        if (!page) return page.error();
        const std::string search = request.parameter("search").value_or("");
        return Response::json(leases_page_json({key, kind, search, *page, seen.at}, seen.all.looked.locks));
      };
    };
    add("/api/v1/locks", of_kind("locks", LeaseKind::lock));
    add("/api/v1/elections", of_kind("elections", LeaseKind::election));
    add("/api/v1/fleets",
        [](const Request&, const LeasesThen& seen) { return Response::json(fleets_json(seen.all.fleets)); });
  }

  void serve_fleets() {
    endpoint_.routes().add("/api/v1/fleet", [this](const Request& request) {
      return of_fleet(request, [](const WatchedFleet& fleet, const std::string& name) {
        return Response::json(fleet_json(fleet.view, name));
      });
    });
    endpoint_.routes().add("/api/v1/sessions", [this](const Request& request) {
      return of_fleet(request, [&](const WatchedFleet& fleet, const std::string& name) {
        const auto query = session_query_of(request);
        return query ? Response::json(sessions_page_json(fleet, name, *query)) : query.error();
      });
    });
  }

  // The one that a request names, else the one that the command line does.
  tl::expected<std::string, Response> fleet_of(const Request& request) const {
    std::string name = request.parameter("fleet").value_or(fleet_.name);
    if (!fleet_.store.store->fleet_keys(name))
      return tl::unexpected(error_json(404, "no fleet can have that name"));
    return name;
  }

  std::optional<Response> timeline(const Request& request) {
    const auto page = page_of(request);
    if (!page) return page.error();
    TimelineQuery query{{}, request.parameter("search").value_or(""), 0, *page};
    const std::string kind = request.parameter("kind").value_or("session");
    const auto name = fleet_of(request);
    if (!name) return name.error();
    if (kind == word_for(LeaseKind::session)) {
      query.group = {LeaseKind::session, *name};
    } else if (kind == word_for(LeaseKind::election)) {
      query.group = {LeaseKind::election, ""};
    } else if (kind != word_for(LeaseKind::lock)) {
      return error_json(400, "kind must be session, lock or election");
    }
    if (const auto from = request.parameter("from_ms")) {
      const auto number = core::read_number<std::uint64_t>(*from);
      if (!number) return error_json(400, "from_ms must be a number of milliseconds since 1970");
      query.from = static_cast<UnixMs>(*number);
    }
    // There is nothing to show before the first look.
    if (query.group.kind != LeaseKind::session) {
      if (!leases_.get()) return std::nullopt;
    } else {
      auto* const seen = fleet_called(*name);
      if (seen == nullptr) return fleet_not_shown();
      if (!seen->get()) return std::nullopt;
    }
    return Response::json(recorder_.timeline_json(query));
  }

  // The time of a look that began then and has just ended.
  Recorder::When when(core::Time began) {
    const core::Duration took = runtime::boot_now() - began;
    took_ = took;
    const UnixMs now = runtime::wall_now_ms();
    const bool watched = recorder_.events().readers() > 0;
    const core::Duration pause = watched ? std::max(fresh.at_least, took * fresh.times_its_making)
                                         : std::max(unwatched_at_least, took * times_unwatched);
    return {now, now + in_ms(std::min(pause, fresh.at_most) + took + look_late_max)};
  }

  SeenLeases look_at_leases() {
    const core::Time began = runtime::boot_now();
    auto seen = std::make_shared<LeasesThen>();
    const NodeInspector& nodes = *fleet_.store.inspector;
    seen->all = nodes.all_leases(args_.lock_prefix, ShowSessions::counted);
    const auto now = when(began);
    seen->at = now.at;
    if (enough(seen->all.looked.failures, nodes.names().size())) {
      recorder_.saw_leases(seen->all, now);
      return seen;
    }
    auto why = failures_said(seen->all.looked.failures, nodes.names()).value_or("");
    recorder_.saw_no_leases(why, now);
    return tl::unexpected(std::move(why));
  }

  // Of the fleet that the request names, else the one that the command line does.
  template <class Show>
  std::optional<Response> of_fleet(const Request& request, const Show& show) {
    const auto name = fleet_of(request);
    if (!name) return name.error();
    auto* const seen = fleet_called(*name);
    if (seen == nullptr) return fleet_not_shown();
    const auto fleet = seen->get();
    if (!fleet) return std::nullopt;
    if (!*fleet) return error_json(503, fleet->error());
    return show(***fleet, *name);
  }

  Response fleet_not_shown() const {
    return error_json(503, "too many other fleets are looked at; try again later");
  }

  // Null where it cannot be looked at. Once it is served only the endpoint's thread comes here.
  http::Cached<SeenFleet>* fleet_called(const std::string& name) {
    if (const auto known = fleets_.find(name); known != fleets_.end()) {
      known->second.asked = runtime::boot_now();
      return known->second.seen;
    }
    if (fleets_.size() >= fleets_max && !make_room()) return nullptr;
    ChosenFleet fleet = fleet_;
    if (name != fleet.name) fleet.session_prefix.clear();  // it was chosen for the other one
    fleet.name = name;
    // Which nodes do not answer is at /api/v1/nodes.
    auto look = std::make_shared<FleetLook>(std::move(fleet), [](const std::string&) {});
    auto& seen = endpoint_.cache<SeenFleet>(
        [this, name, look, before = std::shared_ptr<const WatchedFleet>()]() mutable -> SeenFleet {
          const core::Time began = runtime::boot_now();
          auto view = look->look();
          if (!view) {
            recorder_.saw_no_fleet(name, view.error(), when(began));
            return tl::unexpected(std::move(view.error()));
          }
          before = std::make_shared<const WatchedFleet>(watched(std::move(*view), before.get()));
          recorder_.saw_fleet(name, before->view, when(began));
          return before;
        },
        fresh);
    fleets_[name] = {&seen, runtime::boot_now()};
    return &seen;
  }

  // The one that was asked for least recently goes, but for our own, and any that is being looked at.
  bool make_room() {
    auto oldest = fleets_.end();
    for (auto it = fleets_.begin(); it != fleets_.end(); ++it) {
      if (it->second.seen == own_fleet_ || it->second.seen->is_working()) continue;
      if (oldest == fleets_.end() || it->second.asked < oldest->second.asked) oldest = it;
    }
    if (oldest == fleets_.end()) return false;
    endpoint_.forget(*oldest->second.seen);
    recorder_.forget_fleet(oldest->first);
    fleets_.erase(oldest);
    return true;
  }

  const WebArgs& args_;
  ChosenFleet fleet_;
  Endpoint& endpoint_;
  Recorder recorder_{};
  std::atomic<core::Duration> took_{};  // the last look
  core::Time next_unwatched_ = core::long_ago;
  http::Cached<SeenLeases>& leases_;
  struct WatchedPlace {
    http::Cached<SeenFleet>* seen = nullptr;
    core::Time asked{};  // for the last time
  };
  std::map<std::string, WatchedPlace> fleets_{};
  http::Cached<SeenFleet>* own_fleet_ = nullptr;
};

// Every look makes lists of all that it sees and forgets those of the one before, on a thread of its own. By default the allocator
// would keep the pieces of each for itself: with 10,000 sessions that is as much again as is used.
void keep_memory_small() {
  constexpr int large = 128 * 1024;  // what is larger goes back to the system; the default, but it grows
  mallopt(M_ARENA_MAX, 1);
  mallopt(M_MMAP_THRESHOLD, large);
  mallopt(M_TRIM_THRESHOLD, large);
}

}  // namespace

int web(const WebArgs& args) {
  if (auto error = core::name_error("the lock prefix", args.lock_prefix))
    return fail(ExitCode::usage, *error);
  auto fleet = choose_fleet(args.target);
  if (!fleet) return fail(ExitCode::usage, fleet.error());
  // Leases, and each fleet over the nodes and where its sessions are.
  const auto opened =
      Endpoint::open(args.http, {.nodes = fleet->store.nodes() + 1, .looks = usual_looks + 1 + fleets_max});
  if (!opened) return fail(opened.error().code, opened.error().sentence);
  Endpoint& endpoint = **opened;
  keep_memory_small();
  Signals signals;
  Web web(args, std::move(*fleet), endpoint);
  say("serving " + endpoint.url());
  const Serving serving(&endpoint);
  const StopOnSignal stop(signals);
  std::mutex mutex;
  std::condition_variable_any tick;
  std::unique_lock lock(mutex);
  while (!stop.token().stop_requested()) {
    web.tick();
    tick.wait_for(lock, stop.token(), tick_every, [] { return false; });
  }
  return number(ExitCode::done);
}

}  // namespace tenure::cli
