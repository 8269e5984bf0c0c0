// Options of a client, a lock and a wait. Every field has a default that suits most; options that contradict each other
// are refused with a sentence, when the client is opened or the lock is acquired.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tenure/event.hpp"
#include "tenure/log.hpp"

namespace tenure {

struct Refusal;

/// For nodes whose URL begins with rediss:// or rediss-sentinel://. The server's certificate is always verified. Files are PEM; each field may be
/// left empty.
struct Tls {
  std::string ca_file{};           // whom to trust; empty: whom the system trusts
  std::string certificate_file{};  // of this client, where the server asks for one; only with its key
  std::string key_file{};          // and its key
  std::string server_name{};       // that the certificate must show; empty: the host of the URL

  bool operator==(const Tls&) const = default;
};

struct ClientOptions {
  /// One Redis, or several independent ones of which a majority decides: redis://[user:password@]host[:port][/database], rediss:// for TLS,
  /// unix:///path/of/socket. A Redis Cluster, alone, by a few of its servers: redis-cluster://…; a master that Sentinels know:
  /// redis-sentinel://[user:password@]host[:port],…[/database][?sentinel_user=U&sentinel_password=P]#NAME; both with rediss- for TLS.
  /// Link tenure::postgresql for postgresql://…, one or several; tenure::kubernetes, kubernetes://[namespace]; tenure::consul, consul://host.
  std::vector<std::string> nodes{"redis://127.0.0.1:6379"};
  Tls tls{};
  /// Who we are to others. Empty: host, start time and a random number. Two processes with one id do not share leases.
  std::string id{};
  /// The longest TTL that anybody uses on these nodes: the same for everybody.
  std::chrono::milliseconds ttl_max{60'000};
  /// A name for this set of nodes, the same for all clients. Empty: it is made from their addresses, which all clients
  /// must then write alike. Clients of another set are refused.
  std::string node_set{};
  /// What every key of Tenure begins with: clients with different prefixes share nothing, even on one server. Only the default
  /// is put before Tenure's own bookkeeping alone, and not before locks, elections and fleets. Refused (usage) if keys
  /// could be the same as under the default (redlock:x, poll:x); no prefix should begin with another one.
  std::string prefix = "tenure:";
  /// What the keys of locks begin with, behind the prefix and before the name.
  std::string lock_prefix = "redlock:";
  /// Where a node fails as one does that speaks TLS and was not asked to, or the reverse, its port is asked before the
  /// refusal is given, which then says so (Refusal::denied). Takes up to 300 ms for each such node, and tells it no secret.
  bool diagnose = false;
  /// A caller that waits for an answer looks at the socket for so long before it sleeps, at most 1 ms. It costs processor time, and
  /// saves waking a core that sleeps where the store runs on another core or machine and answers within that time. While
  /// answers take longer it is left, and a thread that may run on one core only never does it: the store may need that very
  /// core. Zero: never.
  std::chrono::microseconds spin{0};
  /// Both are called in order, on a thread of their own. A listener that takes its time delays no lease; what it
  /// cannot keep up with is dropped. What on_event throws is logged; what on_log throws is dropped.
  std::function<void(const LogLine&)> on_log{};
  /// Lines of lower levels are not even made.
  LogLevel log_level = LogLevel::info;
  std::function<void(const Event&)> on_event{};
};

struct LockOptions {
  /// How long the name stays taken after its holder has died. The lease renews itself, every third of it.
  /// Unset: 30 s, or ttl_max where that is shorter.
  std::optional<std::chrono::milliseconds> ttl{};
  /// Lease::lost() stops this long before the deadline: at least 10 ms. Unset: a sixth of the TTL.
  std::optional<std::chrono::milliseconds> grace{};
  /// A node that is silent for longer has not answered. Unset: a tenth of the TTL, at most a second.
  std::optional<std::chrono::milliseconds> node_timeout{};
  /// A holder that is stuck does not renew for ever: the lease is lost after this time. At least the TTL.
  std::optional<std::chrono::milliseconds> hold_max{};
};

/// How to wait for a name that another holds. By default: in a queue, for ever, until it is our turn.
/// While the store is away: with a wait_max it is waited for as long as that says, also if it has never answered. Without
/// one, a store that has never answered is told at once, and one that goes away later is waited for. Nobody waits for
/// nodes that refuse our user, password, rights or certificate, or that cannot keep leases (Refusal::denied).
struct Wait {
  /// How long the whole wait may take, whatever is in the way. Zero, or less, is one try.
  std::optional<std::chrono::milliseconds> wait_max{};
  /// Tries this many times more, each after a delay, instead of standing in the queue.
  std::optional<unsigned> retries{};
  /// Each delay is random, between half of this and one and a half times this.
  std::chrono::milliseconds retry_delay{200};
  /// Called on the waiting thread: when the wait begins, and when its reason changes. The message says what is waited for:
  /// "waiting for job: held by web-3 for another 12s (token 5)". What it throws ends the wait and comes out of acquire().
  std::function<void(const Refusal&)> on_waiting{};
};

}  // namespace tenure
