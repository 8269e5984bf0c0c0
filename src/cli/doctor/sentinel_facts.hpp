// What the Sentinels of one group say when each is asked once: a look that changes nothing, and judges nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/doctor/server_info.hpp"
#include "core/base/time.hpp"
#include "core/message.hpp"
#include "redis/url.hpp"
#include "redis/value.hpp"
#include "runtime/net/tls.hpp"

namespace tenure::cli {

struct SentinelFacts {
  std::string place{};  // host and port
  std::optional<core::Failure>
      down{};            // it does not answer, or knows no such master; then nothing below is known
  std::string master{};  // host and port of the one that it names
  std::optional<std::string> no_quorum{};      // why no failover can be agreed on, as it says
  std::optional<core::Duration> down_after{};  // how long it waits before it takes the master for dead
  int replicas = 0;                            // that it knows of, also dead ones
  int other_sentinels = 0;                     // likewise
};

// Blocks, for no longer than the timeout if none answers.
std::vector<SentinelFacts> look_at_sentinels(const redis::Address& address, const runtime::Tls& tls,
                                             core::Duration timeout);

// What it answers to SENTINEL MASTER, which may be anything. What makes no sense is left unknown.
void note_master(SentinelFacts& facts, const redis::Value& fields);
// Of its answer to SENTINEL CKQUORUM: why no failover can be agreed on. Nothing: it can, or the answer does not say.
std::optional<std::string> no_quorum_in(const redis::Value& answer);

// How many replicas there are, as the Sentinels know them: also those that do not follow the master now, and may be promoted later.
int replicas_known(const std::vector<SentinelFacts>& sentinels);

// A replica, as its master speaks of it in INFO.
struct ReplicaFacts {
  std::string place{};
  bool online = false;
  std::int64_t bytes_behind = 0;
};
std::vector<ReplicaFacts> replicas_in(const ServerInfo& info);

}  // namespace tenure::cli
