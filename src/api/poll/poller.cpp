#include "tenure/poller.hpp"

#include <unistd.h>

#include <condition_variable>
#include <mutex>
#include <system_error>
#include <utility>

#include "api/open_store.hpp"
#include "core/base/duration_reader.hpp"
#include "poll/conductor.hpp"
#include "postgres/call.hpp"
#include "postgres/poll/postgres_results.hpp"
#include "postgres/url.hpp"
#include "redis/poll/redis_results.hpp"
#include "redis/session_call.hpp"
#include "redis/text/nodes.hpp"
#include "runtime/usage.hpp"

namespace tenure {

namespace {

using namespace std::chrono_literals;

using detail::usage;

// A sentence about what is wrong, or nothing.
using Error = std::optional<std::string>;

// Of connecting to a PostgreSQL, and of each statement there.
constexpr core::Duration results_timeout = 1s;
// Of one poll. Sessions are polled every two minutes at least.
constexpr core::Duration timeout_max = 24h;

Error error_in(const CallbackPoll& work) {
  if (!work.call) return "there is no callback to poll with";
  if (work.threads_max == 0) return "with no thread for it a callback is never called";
  return std::nullopt;
}

Error error_in(const HttpPoll& work) {
  core::DurationReader reader;
  reader.read_positive("connect_timeout", work.connect_timeout, timeout_max);
  reader.read_positive("timeout", work.timeout, timeout_max);
  if (reader.error()) return reader.error();
  if (work.in_flight_max == 0) return "with no poll allowed in flight nothing is polled";
  return std::nullopt;
}

Error error_in(const CommandPoll& work) {
  if (work.command.empty()) return "there is no command to poll with";
  core::DurationReader reader;
  reader.read_positive("timeout", work.timeout, timeout_max);
  reader.read("kill_after", work.kill_after, timeout_max);
  if (reader.error()) return reader.error();
  if (work.in_flight_max == 0) return "with no poll allowed in flight nothing is polled";
  return std::nullopt;
}

Error error_in(const PollerOptions& options) {
  core::DurationReader reader;
  reader.read_positive("discovery", options.discovery);
  reader.read_positive("backoff_max", options.backoff_max);
  return reader.error();
}

bool same_place(const std::string& one, const std::string& other) {
  if (postgres::is_url(one)) return detail::same_postgresql(one, other);
  const auto address = redis::parse_url(one);
  const auto beside = redis::parse_url(other);
  return address && beside && redis::same_database(*address, *beside);
}

// With the place where results go: that of the fleet, where no other is named.
tl::expected<PollerOptions, std::string> with_data(PollerOptions options, const Fleet& fleet) {
  if (options.data.empty() && options.tls != Tls{}) {
    return tl::unexpected(std::string("tls is set, and data names no Redis that it is for"));
  }
  auto data = fleet.data();
  if (data.url.empty()) return options;
  const bool with_leases = data.leases && (options.data.empty() || same_place(options.data, data.url));
  if (!options.leases_in_data) options.leases_in_data = with_leases;
  if (options.data.empty()) {
    options.data = std::move(data.url);
    options.tls = std::move(data.tls);
  }
  return options;
}

using OpenedResults = tl::expected<std::unique_ptr<poll::ResultStore>, std::string>;

OpenedResults results_in_postgresql(const PollerOptions& options, const Fleet& fleet) {
  const auto refuse = [](const char* what) {
    return tl::unexpected(std::string(what) + " is for results in Redis, and data names a PostgreSQL");
  };
  if (options.tls != Tls{}) return refuse("tls");
  if (!options.state_prefix.empty()) return refuse("state_prefix");
  if (!options.channel_prefix.empty()) return refuse("channel_prefix");
  auto server = detail::open_server(options.data, results_timeout);
  if (!server) return tl::unexpected(std::move(server.error()));
  postgres::PostgresResults::Place place{postgres::Keyspace{.prefix = fleet.prefix()}.root() + fleet.name(),
                                         options.leases_in_data.value_or(true)};
  return std::make_unique<postgres::PostgresResults>(std::move(*server), std::move(place));
}

// Where results go. Null: nowhere.
OpenedResults results_of(const PollerOptions& options, const Fleet& fleet) {
  if (!options.store || options.data.empty()) return nullptr;
  if (postgres::is_url(options.data)) return results_in_postgresql(options, fleet);
  auto address = redis::parse_url(options.data);
  if (!address) return tl::unexpected(std::move(address.error()));
  auto tls = redis::load_tls({*address}, options.tls);
  if (!tls) return tl::unexpected(std::move(tls.error()));
  redis::RedisResults::Place place;
  place.tls = std::move(*tls);
  place.address = std::move(*address);
  place.leases_here = options.leases_in_data.value_or(true);
  const redis::SessionKeys keys{.fleet = fleet.name(), .root = redis::Keyspace{fleet.prefix()}.root()};
  const auto chosen = [&](const std::string& given, const std::string& usual) {
    return given.empty() ? usual : keys.root + given;
  };
  place.state_prefix = chosen(options.state_prefix, keys.states());
  place.channel_prefix = chosen(options.channel_prefix, keys.events());
  return std::make_unique<redis::RedisResults>(std::move(place));
}

}  // namespace

struct Poller::State {
  using Wish = std::function<void(poll::Conductor&)>;

  Fleet& fleet;
  std::shared_ptr<SessionSource> source;
  PollWork work;
  PollerOptions options;
  const pid_t pid = getpid();  // of the process that made it

  std::mutex mutex{};  // never locked while the fleet is called
  std::condition_variable_any changed{};
  bool starting = false;                         // somebody is in start()
  bool stop_wanted = false;                      // and somebody else in stop()
  std::vector<Wish> wishes{};                    // from before the start
  std::shared_ptr<poll::Conductor> conductor{};  // since the start
  // Of who is starting: made by the first start(), which may have been refused.
  std::shared_ptr<poll::Conductor> ready{};

  void wish(Wish wish) {
    const std::lock_guard lock(mutex);
    if (conductor) {
      wish(*conductor);
    } else {
      wishes.push_back(std::move(wish));
    }
  }
  std::shared_ptr<poll::Conductor> current() {
    const std::lock_guard lock(mutex);
    return conductor;
  }
  std::optional<Refusal> get_ready();
  tl::expected<void, Refusal> join();
};

std::optional<Refusal> Poller::State::get_ready() {
  if (!source) return usage("there is no source of sessions");
  if (auto error = error_in(options)) return usage(std::move(*error));
  if (auto error = std::visit([](const auto& it) { return error_in(it); }, work))
    return usage(std::move(*error));
  auto place = with_data(options, fleet);
  auto results = place ? results_of(*place, fleet) : tl::unexpected(std::move(place.error()));
  if (!results) return usage("where results go: " + results.error());
  auto made = std::make_shared<poll::Conductor>(fleet, work, options, std::move(*results));
  // The fleet keeps its handler for as long as it lives, which is longer than this.
  fleet.on_event([weak = std::weak_ptr<poll::Conductor>(made)](const FleetEvent& event) {
    if (const auto it = weak.lock()) it->on_fleet(event);
  });
  made->discover(source);
  ready = std::move(made);
  return std::nullopt;
}

tl::expected<void, Refusal> Poller::State::join() {
  try {
    if (ready) {
      ready->resume_discovery();
    } else if (auto refused = get_ready()) {
      return tl::unexpected(std::move(*refused));
    }
    auto joined = fleet.start();
    if (!joined) ready->pause_discovery();
    return joined;
  } catch (const std::system_error& error) {
    return tl::unexpected(
        Refusal{Refusal::Code::system, std::string("this machine refuses: ") + error.what()});
  }
}

Poller::Poller(Fleet& fleet, std::unique_ptr<SessionSource> source, PollWork work, PollerOptions options)
    : state_(new State{fleet, std::move(source), std::move(work), std::move(options)}) {}

// In a child its threads are not there, and nobody can wait for them: nothing of it can be taken apart.
Poller::~Poller() {
  if (state_->pid != getpid()) {
    static_cast<void>(state_.release());  // NOLINT(bugprone-unused-return-value)
  } else {
    stop();
  }
}

tl::expected<void, Refusal> Poller::start() {
  State& state = *state_;
  std::unique_lock lock(state.mutex);
  state.changed.wait(lock, [&] { return !state.starting; });
  if (state.conductor) return tl::unexpected(usage("a poller is started once"));
  state.starting = true;
  state.stop_wanted = false;
  lock.unlock();
  auto joined = state.join();
  lock.lock();
  if (joined && state.stop_wanted) {
    lock.unlock();
    state.ready->pause_discovery();
    state.fleet.stop();
    joined =
        tl::unexpected(Refusal{Refusal::Code::cancelled, "the poller was stopped before it had started"});
    lock.lock();
  }
  if (joined) {
    state.conductor = state.ready;
    for (const auto& wish : std::exchange(state.wishes, {})) wish(*state.conductor);
  }
  state.starting = false;
  state.changed.notify_all();
  return joined;
}

tl::expected<void, Refusal> Poller::stop(const std::stop_token& give_up) {
  State& state = *state_;
  const auto given_up = [] {
    return tl::unexpected(
        Refusal{Refusal::Code::cancelled, "the poller is still being stopped: the wait for it was given up"});
  };
  std::unique_lock lock(state.mutex);
  if (state.starting) {
    // Whoever starts it undoes that; sooner, if the fleet need not be joined first.
    state.stop_wanted = true;
    lock.unlock();
    state.fleet.stop(give_up);
    lock.lock();
    if (!state.changed.wait(lock, give_up, [&] { return !state.starting; })) return given_up();
  }
  const auto conductor = state.conductor;
  lock.unlock();
  if (!conductor) return {};
  conductor->stop_polls();
  auto left = state.fleet.stop(give_up);
  if (!left && give_up.stop_requested()) return left;
  if (conductor->finish(give_up)) return left;
  return given_up();
}

void Poller::pause(const std::string& session) {
  state_->wish([session](poll::Conductor& it) { it.pause(session); });
}

void Poller::resume(const std::string& session) {
  state_->wish([session](poll::Conductor& it) { it.resume(session); });
}

void Poller::remove(const std::string& session) {
  state_->wish([session](poll::Conductor& it) { it.remove(session); });
}

PollerMetrics Poller::metrics() const {
  const auto conductor = state_->current();
  return conductor ? conductor->metrics() : PollerMetrics{};
}

PollCounts Poller::counts() const {
  const auto conductor = state_->current();
  return conductor ? conductor->counts() : PollCounts{};
}

}  // namespace tenure
