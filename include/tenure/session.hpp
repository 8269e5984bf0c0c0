// What is polled, and where it is known from.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "tenure/options.hpp"
#include "tenure/refusal.hpp"

namespace tenure {

class Fleet;

/// One thing to poll.
struct Session {
  std::string id{};
  std::string address{};
  std::chrono::milliseconds interval{10'000};  // 4 s to 120 s, from one poll to the next
  bool paused = false;                         // it is known, but not polled, and holds no lease

  bool operator==(const Session&) const = default;
};

/// A session that cannot be polled as it is written, and why.
struct BadSession {
  std::string id{};
  std::string why{};

  bool operator==(const BadSession&) const = default;
};

struct Sessions {
  std::vector<Session> good{};  // by id, each once
  std::vector<BadSession> bad{};
};

/// Where sessions are known from. Read on a thread of its own, now and then and when somebody says that they changed.
class SessionSource {
 public:
  SessionSource() = default;
  virtual ~SessionSource() = default;
  SessionSource(const SessionSource&) = delete;
  SessionSource& operator=(const SessionSource&) = delete;

  /// All of them as they are now; or why they cannot be read, a sentence. May block for some seconds. What it throws
  /// counts as not read.
  virtual tl::expected<Sessions, std::string> read() = 0;
};

struct StoredSessionsOptions {
  enum class Find : std::uint8_t {
    scan,   // goes through all keys: whoever writes session:<id> is heard, with redis-cli as well
    index,  // reads only what has changed in the index that `tenure sessions` keeps: for large keyspaces
  };
  /// Of the Redis or PostgreSQL where they are. Empty: with the data of the fleet (Fleet::data()), and with its TLS; without a fleet,
  /// or where it does not say where that is, redis://127.0.0.1:6379.
  std::string url{};
  /// For that URL. Refused where it is not given, or does not begin with rediss://.
  Tls tls{};
  /// How they are found on Redis. PostgreSQL has an index of its own, for whoever writes them.
  Find find = Find::scan;
  /// Whose sessions and index they are.
  std::string fleet = "poll";
  /// What the keys of sessions begin with on Redis. Empty: <fleet>:session:, and session: in the fleet poll.
  std::string prefix{};
  /// That of the fleet's client (ClientOptions::prefix), which stands before all keys unless it is the usual one.
  std::string tenure_prefix = "tenure:";
  /// Is an address that is no http:// or https:// URL a mistake? Not where a command or a callback polls.
  bool http = true;
  /// Of each call.
  std::chrono::milliseconds timeout{2'000};
};

std::string_view to_string(StoredSessionsOptions::Find find);

/// Sessions that are kept in a store: in Redis keys such as session:<id>, in PostgreSQL rows of tenure.session, each JSON {"address",
/// "interval_ms", "paused", …}. Refused (usage) when an option is wrong, or is not for that store. Connects when it is read, and again
/// when the connection broke.
tl::expected<std::unique_ptr<SessionSource>, Refusal> stored_sessions(
    const StoredSessionsOptions& options = {});
/// Those of this fleet: its name, the prefix of its client and where its data is need not be said again.
tl::expected<std::unique_ptr<SessionSource>, Refusal> stored_sessions(const Fleet& fleet,
                                                                      StoredSessionsOptions options = {});

}  // namespace tenure
