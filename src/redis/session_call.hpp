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
  std::string fleet = "poll";
  std::string prefix = "session:";

  std::string session(const std::string& id) const { return prefix + id; }
  // All ids, each with the version of its last change.
  std::string index() const { return fleet + ":sessions"; }
  std::string version() const { return fleet + ":sessions:version"; }
  std::string changes() const { return fleet + ":changes"; }
  std::string lease(const std::string& id) const { return leases() + id; }
  std::string leases() const { return fleet + ":lease:"; }
  // Of all instances that have ever beaten and are not forgotten yet.
  std::string nodes() const { return fleet + ":nodes"; }
  std::string node(const std::string& instance) const { return fleet + ":node:" + instance; }
  static std::string state(const std::string& id) { return "state:" + id; }
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
Command results_call(std::span<const std::string> ids);
tl::expected<std::vector<FoundResult>, core::Failure> results(const Value& value, std::size_t ids);

}  // namespace tenure::redis
