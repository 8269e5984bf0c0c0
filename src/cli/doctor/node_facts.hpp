// What one node says of itself when it is asked once: a look that changes nothing, and judges nothing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/doctor/rights.hpp"
#include "cli/doctor/sentinel_facts.hpp"
#include "cli/doctor/server_info.hpp"
#include "core/base/time.hpp"
#include "core/message.hpp"
#include "redis/url.hpp"

namespace tenure::cli {

// Something that a node was asked for, or why it did not say.
template <class Answer>
using Asked = tl::expected<Answer, core::Failure>;

struct Settings {
  std::string save;                         // when it writes a snapshot; empty: never
  int min_replicas = 0;                     // min-replicas-to-write
  std::optional<core::Duration> max_lag{};  // min-replicas-max-lag; zero turns the other off
  bool needs_replicas() const { return min_replicas > 0 && max_lag != core::Duration::zero(); }
};

// How many of its replicas a master needs, to be with them a majority of all servers: two masters cannot both have that many.
constexpr int replicas_for_majority(int replicas) { return replicas / 2 + replicas % 2; }

struct NodeFacts {
  redis::Address address{};
  std::optional<core::Failure> down{};         // then nothing below is known
  std::optional<core::Duration> round_trip{};  // the median of some
  Asked<ServerInfo> info{};
  Asked<Settings> settings{};
  Asked<core::Duration> clock_ahead{};     // of this machine's wall clock, by half a round trip at most
  Asked<std::string> record{};             // empty: none
  Asked<std::string> fence{};              // the counter of tokens; empty: none
  Asked<Missing> missing{};                // rights and commands
  std::vector<SentinelFacts> sentinels{};  // where the address names some; also of one that is down
};

// The user may not run that command, or the server does not know it. One that leases need is named in NodeFacts::missing.
bool is_about_command(const core::Failure& failure);

// The median of some.
Asked<core::Duration> measure_round_trip(redis::Caller& redis);

// Longer than any node timeout, so that a node that is too slow is told apart from one that is dead.
inline constexpr core::Duration doctor_patience = std::chrono::seconds(2);

// Blocks, for no longer than the timeout if the node does not answer at all.
NodeFacts look_at(const redis::Address& address, const runtime::Tls& tls, const UsedKeys& keys,
                  core::Duration timeout);

}  // namespace tenure::cli
