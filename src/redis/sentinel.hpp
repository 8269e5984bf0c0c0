// What is said to Sentinels, and to the server that they call the master, before anybody relies on it.
#pragma once

#include <optional>
#include <tl/expected.hpp>
#include <vector>

#include "core/message.hpp"
#include "redis/script_call.hpp"
#include "redis/url.hpp"
#include "redis/value.hpp"

namespace tenure::redis {

// Who is the master? Who we are to a Sentinel is said first.
std::vector<Command> master_question(const SentinelGroup& group);
// One answer for each command of the question. A Sentinel may be wrong, or out of date.
tl::expected<HostPort, core::Failure> read_master(const SentinelGroup& group,
                                                  const std::vector<Value>& answers);

// Is it a master? Who we are there is said first.
std::vector<Command> role_question(const Address& address);
// An error: it is none, or does not say.
tl::expected<void, core::Failure> read_role(const Address& address, const std::vector<Value>& answers);

// A server that a failover has left behind answers so to every write: it is a replica now, or nobody follows it any more
// (min-replicas-to-write). Why the Sentinels are to be asked again; nothing: it does not say so.
std::optional<core::Failure> left_behind(const Value& answer);

}  // namespace tenure::redis
