// Who takes part: one client for a process, its connections and its hidden thread.
// Calls block, and whoever waits does the reading and writing itself; or they do not, and the user's event loop does it.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "tenure/election.hpp"
#include "tenure/fleet.hpp"
#include "tenure/lease.hpp"
#include "tenure/lock.hpp"
#include "tenure/metrics.hpp"
#include "tenure/options.hpp"
#include "tenure/refusal.hpp"

namespace tenure {

/// How one node is, seen from here.
struct NodeHealth {
  std::string address{};                                  // without its password
  std::optional<std::chrono::microseconds> round_trip{};  // of a PING; unset if it is down
  std::string detail{};                                   // why it is down
};

struct Health {
  std::vector<NodeHealth> nodes{};
  std::size_t up = 0;
  bool quorum = false;  // do enough answer?
};

/// May be copied: copies are the same client, and moving one copies it. Leases and locks keep it alive. After fork() the
/// child opens its own.
class Client {
 public:
  Client(const Client&) = default;
  Client& operator=(const Client&) = default;

  /// Refused (usage, system) when an option is wrong, or this machine has no descriptor or thread left. Connects to nothing yet: that happens when something is asked for.
  [[nodiscard]] static tl::expected<Client, Refusal> open(ClientOptions options = {});
  /// The same, with the nodes that the program `tenure` would take from the environment: TENURE_STORE or
  /// TENURE_REDIS, which mean the same (URLs with commas between them), else TENURE_REDIS_FILE, else REDIS_URL. TENURE_TTL_MAX (90s), TENURE_NODE_SET and TENURE_TLS_CA, _CERT, _KEY
  /// and _NAME count as well. What is set there counts before the options, what is unset or empty leaves them as they are.
  /// Refused (usage) also where a variable is wrong: the sentence names it. No other thread may change the environment meanwhile.
  [[nodiscard]] static tl::expected<Client, Refusal> from_environment(ClientOptions options = {});

  [[nodiscard]] Lock lock(std::string name, LockOptions options = {}) const;
  /// Acquires all of these names or none. They are taken one after the other, alphabetically, so that two callers who want
  /// the same names cannot block each other for ever, and given back when one is refused, or lost meanwhile. The leases are
  /// in the order of the names given. The wait is for all of them together.
  [[nodiscard]] tl::expected<std::vector<Lease>, Refusal> acquire_all(const std::vector<std::string>& names,
                                                                      LockOptions options = {},
                                                                      const Wait& wait = {},
                                                                      const std::stop_token& stop = {}) const;
  /// Waits for the name, does this work while it is held, and gives it back, also when the work throws: the exception comes out here.
  /// Refused as Lock::acquire() is, or (lost) when the lease was lost before the work had ended, also if the work has ended in
  /// time because of that; it should end when Lease::lost() stops.
  [[nodiscard]] tl::expected<void, Refusal> with_lock(std::string name,
                                                      const std::function<void(const Lease&)>& work,
                                                      LockOptions options = {}, const Wait& wait = {},
                                                      const std::stop_token& stop = {}) const;

  /// Takes part in the election of this name, once it is started. Refused (usage) when its lengths do not fit together.
  /// The name itself is the key in the store, behind ClientOptions::prefix unless that is the usual one.
  [[nodiscard]] tl::expected<Election, Refusal> election(std::string name,
                                                         const ElectionOptions& options = {}) const;

  /// Takes part in the fleet of this name, once it is started; its keys begin with the name and a colon, so that fleets
  /// share nothing. Refused (usage) when its lengths do not fit together, or other keys begin as its own would. One
  /// client takes part in one fleet.
  [[nodiscard]] tl::expected<std::unique_ptr<Fleet>, Refusal> fleet(std::string name = "poll",
                                                                    const FleetOptions& options = {}) const;

  /// For an event loop: waits for this descriptor to become readable (poll, epoll, or whatever the loop has) and calls poll(). It
  /// belongs to the client, and is not to be read or closed.
  [[nodiscard]] int descriptor() const;
  /// Does what there is to do, without blocking: reads answers, and calls the handlers of asynchronous calls that have ended, on
  /// this thread and with nothing locked. Returns how many. Handlers may do everything: begin calls, destroy leases, destroy
  /// the last handle of this client (then no other is called). What they ask for leaves when they have returned, together; calls made
  /// outside of poll() leave at once. What a handler throws comes out of here, and those behind it are left for the next
  /// time. With ClientOptions::diagnose a refusal takes its time here.
  ///
  /// Handlers are called here and nowhere else, each once, and on two threads at the same time only if two call poll(). After close()
  /// they are refused (closed), still by poll(). A client that goes without that calls none: it drops them. A handler that itself
  /// holds the client, a lock or a lease of it, keeps it alive until it was called: where the loop ends first, close() the client
  /// and poll() once more.
  ///
  /// Time-outs, waits and renewals do not depend on it: a loop that is late delays no lease, and one that has stopped for ever
  /// keeps what was granted, and renews it, until the client is closed or goes; then what no handler has taken is given back,
  /// and logged. LockOptions::hold_max bounds that.
  std::size_t poll() const;

  /// Asks every node, for at most this long. Where this machine has no thread left for that, all of them are down.
  [[nodiscard]] Health health(std::chrono::milliseconds timeout = std::chrono::milliseconds(1'000)) const;
  /// What this client has done so far and how it is now, in numbers. Asks nobody and waits for no node: cheap enough for every
  /// second. for_each() hands them to an exporter. Nothing after fork().
  [[nodiscard]] Metrics metrics() const;
  /// Who we are: what the keys of our leases begin with.
  [[nodiscard]] const std::string& id() const;
  /// Ends all waits and elections, gives back all leases, and closes the connections; blocks for at most a second.
  /// Asynchronous calls under way are refused, which poll() tells.
  /// Leases that are still in somebody's hands are lost (Loss::closed), and work of a leader is not waited for.
  void close();

 private:
  friend struct detail::Context;
  explicit Client(std::shared_ptr<detail::Context> context);
  std::shared_ptr<detail::Context> context_;
};

}  // namespace tenure
