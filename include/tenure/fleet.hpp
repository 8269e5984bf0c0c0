// Many sessions shared out evenly over the live instances: each has one owner at a time, within one of an even share.
// It does not promise that every session has an owner at every instant: while one changes hands nobody may work on it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "tenure/clock.hpp"
#include "tenure/options.hpp"
#include "tenure/refusal.hpp"

namespace tenure {

struct FleetOptions {
  /// How long the sessions of an instance that has died stay with it. Unset: 30 s, or ttl_max where that is shorter.
  std::optional<std::chrono::milliseconds> ttl{};
  /// From one renewal to the next, and from one heartbeat to the next. Unset: a third of the TTL.
  std::optional<std::chrono::milliseconds> renew{};
  /// Work is told to end this long before the deadline: at least 10 ms. Unset: a sixth of the TTL.
  std::optional<std::chrono::milliseconds> grace{};
  /// A node that is silent for longer has not answered. Unset: a tenth of the TTL, at most a second.
  std::optional<std::chrono::milliseconds> node_timeout{};
  /// How much this instance takes, compared with the others: 1 to 1,000.
  unsigned weight = 1;
  /// The URL of the Redis or PostgreSQL where the heartbeats are. Empty: the first node of the client.
  std::string data{};
  /// For that URL. Refused where it is not given, or does not begin with rediss://.
  Tls data_tls{};
};

/// Where a fleet keeps its data: heartbeats, and sessions and results unless these are elsewhere.
struct FleetData {
  std::string url{};    // with its password: show it to nobody. Empty: unknown
  Tls tls{};            // for that URL, where it begins with rediss://
  bool leases = false;  // the leases of its sessions are there, too, and nowhere else
};

/// One live instance, by its last heartbeat.
struct Instance {
  std::string id{};
  unsigned weight = 1;
  std::size_t owned = 0;
};

/// The lease of a session that is ours.
struct SessionLease {
  std::string session{};
  std::string key{};    // its key in the store
  std::string value{};  // and what that shows while the lease is ours
  std::string owner{};
  std::uint64_t token = 0;
  BootClock::time_point deadline{};
};

/// Why a session is ours no more. With the first four its work may end in peace; else its lease is being lost.
enum class SessionEnd : std::uint8_t {
  rebalance,    // another should have it
  removed,      // share() names it no more
  released,     // Fleet::release()
  stopped,      // Fleet::stop()
  not_renewed,  // the deadline came near without an answer
  missing,      // its key is gone: deleted by hand, or evicted
  taken,        // its key shows another grant
  closed,       // Client::close()
};
std::string_view to_string(SessionEnd reason);

struct FleetEvent {
  enum class Kind : std::uint8_t {
    acquired,   // it is ours: work may begin
    uncertain,  // a renewal failed: begin nothing new; it ends as certain or ending
    certain,    // it was renewed after all
    ending,     // end what is under way before the deadline, then say ended()
    ended,      // it is ours no more
    instances,  // others have come or gone
    sessions,   // somebody says that there are others to share: read them anew
    not_open,  // so many nodes are in quarantine, or have another cap, that no new lease is granted; what is ours stays
    open,  // new leases are granted again
  };
  Kind kind{};
  std::string session{};
  std::uint64_t token = 0;
  /// For ending and ended.
  std::optional<SessionEnd> reason{};
  /// For uncertain: why its renewal failed. For not_open: a sentence that names the nodes.
  std::string detail{};
  /// For ending: nobody else can own it before. For not_open: new leases are granted by then, if that is known.
  BootClock::time_point deadline{};
  /// For not_open: the reason without words.
  std::optional<NotOpen> not_open{};
};

std::string_view to_string(FleetEvent::Kind kind);

/// Made by Client::fleet(). An abstract class, so that an application can be tested with another one.
/// All calls may be made from any thread; none after fork().
class Fleet {
 public:
  Fleet() = default;
  virtual ~Fleet() = default;
  Fleet(const Fleet&) = delete;
  Fleet& operator=(const Fleet&) = delete;

  /// Called for every event in its order, on a thread of its own; set before start(). A session's lease is given back
  /// after ended() was called for it, or at its deadline. With no handler work counts as ended at once. What it throws is
  /// logged.
  virtual void on_event(std::function<void(const FleetEvent&)> handler) = 0;

  /// Joins: beats, sees the others, and takes its share of what share() says. Refused where a live instance has the same id
  /// (held), where the store of its data does not answer (no_quorum), while it is still being stopped or its client takes part in another
  /// fleet (usage), when it is stopped meanwhile (cancelled), the client is closed (closed), or this machine has no thread left
  /// (system). What runs is started.
  [[nodiscard]] virtual tl::expected<void, Refusal> start() = 0;
  /// Leaves: nobody counts on it any more, work is told to end, every session is given back as its work has ended.
  /// Waits for all of it, and for the handler, which is called no more then; unless it is called by the handler, where it is
  /// refused at any time. Refused (cancelled): it was not waited for, or the wait was given up, and it goes on in the background.
  /// What does not run is stopped.
  virtual tl::expected<void, Refusal> stop(const std::stop_token& give_up = {}) = 0;

  /// The sessions that there are to share, all of them; the same for every instance, sooner or later. What is not
  /// among them is given back.
  virtual void share(std::vector<std::string> sessions) = 0;
  /// Work on a session whose lease is ending has ended.
  virtual void ended(const std::string& session, std::uint64_t token) = 0;

  /// Takes a session by hand, whoever should have it, if nobody has it. For sessions that share() does not name it
  /// stays ours until release(). Refused as Lock::try_acquire() is; also (held) where it is ours and ending or uncertain, and
  /// where the fleet does not run (usage) or is stopped meanwhile (cancelled).
  [[nodiscard]] virtual tl::expected<SessionLease, Refusal> try_acquire(const std::string& session) = 0;
  /// Gives a session back. False: it is not ours.
  virtual bool release(const std::string& session) = 0;

  /// May work on it begin, or go on? Compares the deadline with the clock, now. False while it is uncertain or ending.
  [[nodiscard]] virtual bool is_owned(const std::string& session) const = 0;
  /// Its renewal failed, and nobody knows yet.
  [[nodiscard]] virtual bool is_uncertain(const std::string& session) const = 0;
  /// Asks the nodes themselves, by a renewal.
  [[nodiscard]] virtual bool is_owned_strict(const std::string& session) = 0;
  [[nodiscard]] virtual std::vector<std::string> owned_sessions() const = 0;
  [[nodiscard]] virtual std::optional<SessionLease> lease_info(const std::string& session) const = 0;

  [[nodiscard]] virtual std::vector<Instance> live_instances() const = 0;
  /// Who should have it, as placement sees it from here. Nothing: it is not shared.
  [[nodiscard]] virtual std::optional<std::string> preferred_owner(const std::string& session) const = 0;
  [[nodiscard]] virtual bool is_preferred_owner(const std::string& session) const = 0;
  [[nodiscard]] virtual const std::string& instance_id() const = 0;
  /// The fleet's name and the prefix of its client: what its keys begin with follows from these.
  virtual std::string name() const { return "poll"; }
  virtual std::string prefix() const { return "tenure:"; }
  /// FleetOptions::data, else the first node of its client: what reads sessions and stores results goes there, too, unless
  /// it is told otherwise.
  virtual FleetData data() const { return {}; }
};

}  // namespace tenure
