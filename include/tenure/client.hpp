// Who takes part: one client for a process, its connections and its hidden thread.
// Calls block; whoever waits does the reading and writing itself.
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
  /// The name itself is the key in Redis.
  [[nodiscard]] tl::expected<Election, Refusal> election(std::string name,
                                                         const ElectionOptions& options = {}) const;

  /// Takes part in the fleet of this name, once it is started; its keys begin with the name and a colon, so that fleets
  /// share nothing. Refused (usage) when its lengths do not fit together, or other keys begin as its own would. One
  /// client takes part in one fleet.
  [[nodiscard]] tl::expected<std::unique_ptr<Fleet>, Refusal> fleet(std::string name = "poll",
                                                                    const FleetOptions& options = {}) const;

  /// Asks every node, for at most this long. Where this machine has no thread left for that, all of them are down.
  [[nodiscard]] Health health(std::chrono::milliseconds timeout = std::chrono::milliseconds(1'000)) const;
  /// Who we are: what the keys of our leases begin with.
  [[nodiscard]] const std::string& id() const;
  /// Ends all waits and elections, gives back all leases, and closes the connections; blocks for at most a second.
  /// Leases that are still in somebody's hands are lost (Loss::closed), and work of a leader is not waited for.
  void close();

 private:
  friend struct detail::Context;
  explicit Client(std::shared_ptr<detail::Context> context);
  std::shared_ptr<detail::Context> context_;
};

}  // namespace tenure
