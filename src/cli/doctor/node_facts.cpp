#include "cli/doctor/node_facts.hpp"

#include <algorithm>

#include "cli/nodes/tls_options.hpp"
#include "core/base/number.hpp"
#include "redis/net/caller.hpp"
#include "runtime/boot_clock.hpp"
#include "runtime/wall_clock.hpp"

namespace tenure::cli {

namespace {

using core::Failure;
using std::chrono::milliseconds;

constexpr int pings = 5;

// A connection that broke is of no use any more; an error that Redis answered with is one answer among others.
bool broke(const Failure& failure) {
  using enum core::FailureCode;
  return failure.code == unreachable || failure.code == timed_out || failure.code == closed ||
         failure.code == protocol;
}

Asked<Settings> ask_settings(redis::Caller& redis) {
  const auto answer = redis.call({"CONFIG", "GET", "save", "min-replicas-to-write", "min-replicas-max-lag"});
  if (!answer) return tl::unexpected(answer.error());
  Settings settings;
  const auto& items = answer->items;
  for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
    if (items[i].text == "save") settings.save = items[i + 1].text;
    if (items[i].text == "min-replicas-to-write") {
      settings.min_replicas = core::read_number<int>(items[i + 1].text).value_or(0);
    }
    if (items[i].text == "min-replicas-max-lag") {
      const auto lag = core::read_number<std::int32_t>(items[i + 1].text);
      if (lag) settings.max_lag = std::chrono::seconds(*lag);
    }
  }
  return settings;
}

Asked<core::Duration> ask_clock(redis::Caller& redis) {
  const auto before = runtime::wall_now_ms();
  const auto answer = redis.call({"TIME"});
  if (!answer) return tl::unexpected(answer.error());
  const auto after = runtime::wall_now_ms();
  const auto reply = redis::script_reply(core::ClockRequest{}, *answer);
  const auto* clock = std::get_if<core::NodeClock>(&reply);
  if (clock == nullptr) return tl::unexpected(core::misfit);
  return clock->unix_time - milliseconds((before + after) / 2);
}

Asked<std::string> ask_text(redis::Caller& redis, const std::string& key) {
  return redis.call({"GET", key}).map([](const redis::Value& value) { return value.text; });
}

NodeFacts ask(const redis::Address& address, const runtime::Tls& tls, const UsedKeys& keys,
              core::Duration timeout) {
  NodeFacts facts;
  facts.address = address;
  auto redis = redis::Caller::connect(address, timeout, tls);
  if (!redis) {
    facts.down = redis.error();
    return facts;
  }
  const auto round_trip = measure_round_trip(*redis);
  if (round_trip) {
    facts.round_trip = *round_trip;
  } else if (!is_about_command(round_trip.error())) {
    facts.down = round_trip.error();
    return facts;
  }
  facts.info = ask_info(*redis, {"server", "replication", "cluster", "memory", "persistence"});
  facts.settings = ask_settings(*redis);
  facts.clock_ahead = ask_clock(*redis);
  facts.record = ask_text(*redis, keys.keyspace.record());
  facts.fence = ask_text(*redis, keys.keyspace.fence());
  facts.missing = ask_missing(*redis, keys);
  if (!facts.missing && broke(facts.missing.error())) facts.down = facts.missing.error();
  return facts;
}

}  // namespace

Asked<core::Duration> measure_round_trip(redis::Caller& redis) {
  std::vector<core::Duration> times;
  for (int i = 0; i <= pings; ++i) {
    const core::Time sent = runtime::boot_now();
    const auto pong = redis.call({"PING"});
    if (!pong) return tl::unexpected(pong.error());
    // The first one is not measured: it pays for the connection.
    if (i > 0) times.push_back(runtime::boot_now() - sent);
  }
  std::ranges::sort(times);
  return times[times.size() / 2];
}

bool is_about_command(const Failure& failure) {
  return failure.code == core::FailureCode::no_permission || failure.code == core::FailureCode::unsupported;
}

NodeFacts look_at(const redis::Address& address, const runtime::Tls& tls, const UsedKeys& keys,
                  core::Duration timeout) {
  NodeFacts facts = ask(address, tls, keys, timeout);
  if (facts.down) facts.down->detail = naming_tls_options(std::move(facts.down->detail));
  if (address.kind == redis::Address::Kind::sentinel)
    facts.sentinels = look_at_sentinels(address, tls, timeout);
  for (SentinelFacts& it : facts.sentinels) {
    if (it.down) it.down->detail = naming_tls_options(std::move(it.down->detail));
  }
  return facts;
}

}  // namespace tenure::cli
