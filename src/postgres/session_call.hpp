// Sessions, heartbeats and results as calls of the functions of the schema, for those who read and write them, and what these give.
// Moves no bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "core/base/time.hpp"
#include "core/fleet/beat.hpp"
#include "core/message.hpp"
#include "postgres/call.hpp"

namespace tenure::postgres {

struct SessionText {
  std::string id;
  std::string text;
};

// Those that were written since that version; 0: all. Of a text only so many letters.
Call sessions_call(const std::string& fleet, std::int64_t since, std::size_t length_max);
struct SessionsRead {
  std::int64_t version = 0;  // up to which the reader knows them now
  bool complete = false;     // these are all
  std::string life{};        // of the server: to who knows another one the version means nothing
  std::vector<SessionText> texts{};
};
tl::expected<SessionsRead, core::Failure> sessions_read(const Rows& rows);

Call session_text_call(const std::string& fleet, const std::string& id, std::size_t length_max);
// Returns nullopt where there is none.
tl::expected<std::optional<std::string>, core::Failure> session_text(const Rows& rows);

// Only over that text; without it only where there is none.
Call session_put_call(const std::string& fleet, const SessionText& session, const Value& before);
enum class Put : std::uint8_t {
  written,
  same,     // it said so already
  changed,  // another text was there
};
tl::expected<Put, core::Failure> session_put(const Rows& rows);

Call session_remove_call(const std::string& fleet, const std::string& id);
// False: there was none.
tl::expected<bool, core::Failure> session_removed(const Rows& rows);

// All that is kept of a fleet but its sessions.
Call fleet_forget_call(const std::string& fleet);

// Who lives.
Call beats_call(const std::string& fleet);
struct FoundBeat {
  std::string instance;
  core::Beat beat;
  core::Ttl left{};
};
tl::expected<std::vector<FoundBeat>, core::Failure> beats(const Rows& rows);

// Results of polls, to be stored together.
struct NewResult {
  std::string session;
  std::string lease;  // its name; empty: leases are elsewhere
  core::Token token = 0;
  std::string text;
  std::int64_t slot_ms = 0;  // unix time
  std::int64_t at_ms = 0;
};
// At most so many in one statement.
inline constexpr std::size_t results_per_call = 500;
// The results are in the order of their sessions.
Call publish_call(const std::string& fleet, std::span<const NewResult> results);
enum class Stored : std::uint8_t {
  done,
  lease_gone,  // the lease does not show this grant any more
  outdated,    // a later owner has stored one
  locked,      // somebody's transaction has locked the lease
};
tl::expected<std::vector<Stored>, core::Failure> stored(const Rows& rows, std::size_t results);

// What came of these sessions last. Of a text only so many letters.
Call results_call(const std::string& fleet, std::span<const std::string> ids, std::size_t length_max);
struct FoundResult {
  core::Token token = 0;  // 0: never polled
  std::string beginning{};
  std::optional<std::int64_t> slot_ms{};
};
tl::expected<std::vector<FoundResult>, core::Failure> results(const Rows& rows, std::size_t ids);

}  // namespace tenure::postgres
