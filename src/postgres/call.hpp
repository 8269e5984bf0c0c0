// Requests of the core as calls of the functions of the schema, and what these give as replies. Moves no bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/time.hpp"
#include "core/lease/reconfiguration.hpp"
#include "core/message.hpp"

namespace tenure::postgres {

// What the functions need to know beside the request.
struct Keyspace {
  static constexpr std::string_view usual_prefix = "tenure:";
  std::string prefix{usual_prefix};
  core::Ttl cap{60'000};
  std::string set{"1"};

  core::Terms terms() const { return {cap, set}; }
  // What every name begins with: nothing under the usual prefix, as in every store; else the prefix, so that two prefixes share
  // nothing.
  std::string root() const { return prefix == usual_prefix ? "" : prefix; }
};

// What the client knows of the node: the epoch that it was admitted to, and the largest token that it has seen there.
struct Standing {
  std::string epoch{};
  core::Token seen = 0;
};

// What a client says of itself when it is admitted.
struct Introduction {
  std::string epoch;         // one that nobody used before, should a quarantine begin
  std::int64_t wall_ms = 0;  // its wall clock, unix time
};

using Value = std::optional<std::string>;  // nullopt: null

// A statement with its arguments. The text is one of few, ends with a NUL, and lives as long as the program or the connection that
// it is said on.
struct Call {
  const char* statement;
  std::vector<Value> arguments{};
};

// What a statement gave.
using Row = std::vector<Value>;
using Rows = std::vector<Row>;

Call call_of(const core::Request& request, const Keyspace& keyspace, const Standing& standing);
// The same for a grant that is to be written to the disk together with others: its commit does not wait for that. It counts when a
// settle_call() that was said behind it on the same session is answered.
Call gathered_call(const core::AcquireRequest& request, const Keyspace& keyspace, const Standing& standing);
// Waits until all that was committed before is as safe as the session's settings ask for.
Call settle_call();
Call admit_call(const Introduction& introduction, const Keyspace& keyspace, core::Token seen);
// For a session that is ours alone: no request waits longer for what somebody has locked.
Call limit_call();
Call init_call(const Introduction& introduction, const Keyspace& keyspace);
Call reconfigure_call(const Introduction& introduction, const core::Reconfiguration::Step& step,
                      const Keyspace& keyspace);
// Puts a mark in the place of a grant (core/notice.hpp says how one shows itself), or where there is nothing for so long.
struct Break {
  std::string key;
  core::Grant victim;
  core::Grant mark;
  core::Token token = 0;
  core::Ttl hold{};
};
Call break_call(const Break& it);
// What stands there as the record; empty where there is none.
Call record_call(const Keyspace& keyspace);

// The reply to that request. What no function of ours gives is a Failure.
core::Reply reply_of(const core::Request& request, const Rows& rows);

// In place of a record: the data is older than what the caller knows of it. The server has to be asked what that makes of it.
inline constexpr std::string_view went_back = "restored";
// And: the server was started since it was last seen which life this is.
inline constexpr std::string_view unverified = "unverified";

core::FoundRecord found_record(std::string text);
// Does it say that a crash forgets nothing that was committed?
bool is_durable(const core::FoundRecord& found);

// What waiters and fleets listen for: channels and locks of the server follow from it.
std::string wake_ups_of(const Keyspace& keyspace, const std::string& owner);
std::string changes_of(const std::string& fleet);
// The name of its channel, and the lock that says that somebody listens.
Call listen_call(const std::string& what);

// A message for one of the client's waiters; nothing when it is none of Tenure's.
struct WakeUp {
  core::Grant ticket;
  core::Duration after{};
};
std::optional<WakeUp> read_wake_up(std::string_view message);
// "sessions", or whatever else, which can only be about instances.
core::FleetChange read_change(std::string_view message);

}  // namespace tenure::postgres
