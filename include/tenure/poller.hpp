// Polls the sessions that a fleet gives this instance: each when it is due, and only while its lease is ours.
// It does not promise a poll in every interval: while a session changes hands, or the store is away, polls are late or left out.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <variant>

#include "tenure/fleet.hpp"
#include "tenure/metrics.hpp"
#include "tenure/options.hpp"
#include "tenure/refusal.hpp"
#include "tenure/session.hpp"

namespace tenure {

/// What a poll came to.
struct PollOutcome {
  bool ok = false;
  int status = 0;       // of HTTP, or the exit code of a command
  std::string error{};  // why it failed; the same sentence while the reason is the same
  std::string body{};
};

/// Polls by calling this, on threads of the poller. It ends early when the stop token says so: the lease is being lost.
/// What it throws is a poll that failed.
struct CallbackPoll {
  std::function<PollOutcome(const Session&, const SessionLease&, const std::stop_token&)> call{};
  std::size_t threads_max = 8;
};

/// Polls by HTTP GET of the session's address, http or https. Certificates are verified. A status of 200 to 299 is a
/// success. The request says X-Tenure-Instance, X-Tenure-Token and X-Tenure-Session, what is not printable ASCII as %NN.
struct HttpPoll {
  std::chrono::milliseconds connect_timeout{3'000};
  std::chrono::milliseconds timeout{10'000};  // of all of it, redirects included
  unsigned redirects_max = 5;
  /// Whoever answers a poll may redirect it to an address that only this machine can reach: loopback, link-local (there cloud
  /// machines keep their credentials) or unspecified. Such a redirect is followed only if this is set, or the session's own
  /// address is one of these; else the poll fails. What counts is whom the connection is made to, whatever the name is.
  bool local_redirects = false;
  std::size_t body_max = 1'048'576;  // a longer one fails the poll
  std::size_t in_flight_max = 256;   // the others wait in the order in which they are due
  std::string ca_file{};             // whom to trust; empty: whom the system trusts
};

/// Polls by `/bin/sh -c`, in a process group of its own, with TENURE_SESSION, TENURE_ADDRESS, TENURE_TOKEN and
/// TENURE_INSTANCE in the environment. What it writes to its standard output is the body; exit code 0 is a success. When it ends,
/// everything that it has started and left is killed. So are both when the lease ends, or this process does, however that ends.
/// Commands are started by a copy of this process, forked at the first of them, with the rights, the working directory and the
/// memory of that moment.
struct CommandPoll {
  std::string command{};
  std::chrono::milliseconds timeout{10'000};
  std::chrono::milliseconds kill_after{2'000};  // from SIGTERM to SIGKILL
  std::size_t body_max = 1'048'576;             // a longer one fails the poll
  std::size_t in_flight_max = 16;
};

using PollWork = std::variant<CallbackPoll, HttpPoll, CommandPoll>;

/// What happens beside the leases; for logs and metrics.
struct PollEvent {
  enum class Kind : std::uint8_t {
    started,          // a poll begins
    polled,           // a poll has ended, well or not
    failed,           // told once, and again when the reason changes, not at every poll
    recovered,        // the first success after that
    refused,          // the store did not take a result: the lease is not ours any more
    bad_session,      // it cannot be polled as it is written; told once per reason
    good_session,     // it was bad, and is not any more
    source_away,      // the sessions cannot be read: those known stay
    source_back,      // they can again
    results_dropped,  // results cannot be stored, or are too many to keep until they can
    results_back,     // they are stored again
  };
  Kind kind{};
  std::string session{};
  std::uint64_t token = 0;
  std::string detail{};   // a sentence, where there is more to say
  PollOutcome outcome{};  // for polled: without its body
  std::chrono::milliseconds took{};
};

std::string_view to_string(PollEvent::Kind kind);

struct PollerOptions {
  /// Asks the nodes themselves before every poll.
  bool strict = false;
  /// From one reading of the source to the next, where nobody says earlier that it changed.
  std::chrono::milliseconds discovery{10'000};
  /// A session that fails is polled less often, down to this.
  std::chrono::milliseconds backoff_max{120'000};

  /// Stores results. Without them cadence begins anew at each hand-over.
  bool store = true;
  /// The URL of the Redis or PostgreSQL where results are stored. Empty: with the data of the fleet (Fleet::data()), and with its TLS;
  /// nowhere where the fleet does not say where that is.
  std::string data{};
  /// For that URL. Refused where it is not given, or does not begin with rediss://.
  Tls tls{};
  /// The leases live there and nowhere else: a result is refused as soon as its lease has passed on, not only
  /// once a later owner has stored one. Unset: as the fleet says, and false where data names another Redis than the fleet's, or
  /// another database of it; true where the fleet does not say. As which user results are stored makes no difference.
  std::optional<bool> leases_in_data{};
  /// In Redis results go to the hash <state_prefix><id>, and are told on the channel <channel_prefix><id>, both behind the prefix of
  /// the fleet's client unless that is the usual one. Empty: <fleet>:state:, of the fleet poll state:, and <fleet>:events:. In
  /// PostgreSQL they are rows of tenure.state, and told nowhere: there both are refused.
  std::string state_prefix{};
  std::string channel_prefix{};
  /// What is longer is cut before it is stored.
  std::size_t body_stored_max = 65'536;

  /// Called in order, on a thread of its own. Of what it cannot keep up with, started and polled are dropped. What it
  /// throws is dropped.
  std::function<void(const PollEvent&)> on_event{};
  /// What the fleet says until the poller has stopped, on the fleet's own thread, once the poller knows of it: the poller is
  /// the fleet's handler. What it throws is logged by the fleet.
  std::function<void(const FleetEvent&)> on_fleet_event{};
};

/// Polls that this process has made.
struct PollCounts {
  std::uint64_t started = 0;
  std::uint64_t succeeded = 0;
  std::uint64_t failed = 0;
  std::uint64_t aborted = 0;  // their lease was being lost
  std::uint64_t refused = 0;  // their result was
  std::size_t in_flight = 0;
};

/// All calls may be made from any thread but those of its callbacks; none after fork(), where a child may only let it go.
class Poller {
 public:
  /// The fleet must outlive it, has no other handler, and is started by nobody else.
  Poller(Fleet& fleet, std::unique_ptr<SessionSource> source, PollWork work, PollerOptions options = {});
  ~Poller();  // stops
  Poller(const Poller&) = delete;
  Poller& operator=(const Poller&) = delete;

  /// Starts the fleet and polls what it gives; once. Refused (usage) when an option is wrong, (cancelled) when it is stopped
  /// meanwhile, or as Fleet::start() is: it may be tried again then, and until then the source is read no more.
  [[nodiscard]] tl::expected<void, Refusal> start();
  /// Begins no poll any more, lets those in flight end, stores their results, and stops the fleet, which hands
  /// everything over. Waits for all of it: at most as long as leases last, or as a callback takes. Refused (cancelled): the wait
  /// was given up, and it goes on in the background; it may be called again. What does not run is stopped.
  tl::expected<void, Refusal> stop(const std::stop_token& give_up = {});

  /// Not polled by this instance until resume(): it is left to the others. To pause it everywhere, say so in the source.
  void pause(const std::string& session);
  void resume(const std::string& session);
  /// Not polled by this instance until the source has stopped naming it, and names it again.
  void remove(const std::string& session);

  [[nodiscard]] PollCounts counts() const;
  /// The same and more, for an exporter: for_each().
  [[nodiscard]] PollerMetrics metrics() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tenure
