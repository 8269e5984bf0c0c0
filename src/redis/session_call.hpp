// Sessions, heartbeats and results in Redis: the names of their keys, and the calls that read and change them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "core/message.hpp"
#include "redis/script_call.hpp"
#include "redis/value.hpp"

namespace tenure::redis {

struct SessionKeys {
  static constexpr std::string_view usual_fleet = "poll";
  std::string fleet{usual_fleet};
  std::string prefix{};  // of sessions, where somebody chose it
  std::string root{};    // Keyspace::root()

  // What sessions and results begin with: the name of the fleet, so that two fleets share neither. Those of the usual fleet
  // have the plain names that everybody knows who writes or reads them.
  std::string own() const { return root + (fleet == usual_fleet ? "" : fleet + ":"); }
  // What the keys of sessions begin with, before the id.
  std::string sessions() const { return prefix.empty() ? own() + "session:" : root + prefix; }
  std::string session(const std::string& id) const { return sessions() + id; }
  // What its leases, heartbeats, index and channels begin with.
  std::string base() const { return root + fleet + ":"; }
  // All ids, each with the version of its last change.
  std::string index() const { return base() + "sessions"; }
  std::string version() const { return base() + "sessions:version"; }
  std::string changes() const { return base() + "changes"; }
  std::string leases() const { return base() + "lease:"; }
  // Of all instances that have ever beaten and are not forgotten yet.
  std::string nodes() const { return base() + "nodes"; }
  std::string node(const std::string& instance) const { return base() + "node:" + instance; }
  // What the keys of results begin with, and the channels that they are told on, before the id.
  std::string states() const { return own() + "state:"; }
  std::string events() const { return base() + "events:"; }
};

struct SessionText {
  std::string id;
  std::string text;
};

// Only over that text; without it only where there is none.
Command session_put_call(const SessionKeys& keys, const SessionText& session,
                         const std::optional<std::string>& before);
enum class Put : std::uint8_t {
  written,
  same,     // it said so already
  changed,  // another text was there
};
tl::expected<Put, core::Failure> session_put(const Value& value);

Command session_remove_call(const SessionKeys& keys, const std::string& id);
// False: there was none.
tl::expected<bool, core::Failure> session_removed(const Value& value);

// What the key of a session holds; of a long text only its beginning.
struct FoundText {
  enum class Kind : std::uint8_t { absent, text, no_string };
  Kind kind = Kind::absent;
  std::string text{};
};
// At most so many at a time: a reply of the longest texts must fit into what is read of one reply.
inline constexpr std::size_t texts_per_call = 200;
Command session_texts_call(const SessionKeys& keys, std::span<const std::string> ids, std::size_t length_max);
tl::expected<std::vector<FoundText>, core::Failure> session_texts(const Value& value, std::size_t ids);

// Of a poll; all empty where there is none.
struct FoundResult {
  std::string token{};
  std::string by{};
  std::string beginning{};
};
// Of each only its beginning: what was polled stands behind that, and can be long.
inline constexpr std::size_t results_per_call = 500;
Command results_call(const SessionKeys& keys, std::span<const std::string> ids);
tl::expected<std::vector<FoundResult>, core::Failure> results(const Value& value, std::size_t ids);

}  // namespace tenure::redis
