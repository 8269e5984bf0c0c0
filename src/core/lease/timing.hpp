// How long a lease lasts and when its holder must act. Made only by make_timing, which refuses
// lengths that cannot work together.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <tl/expected.hpp>

#include "core/base/time.hpp"
#include "core/message.hpp"

namespace tenure::core {

inline constexpr Duration ttl_min = std::chrono::milliseconds(100);
inline constexpr Duration ttl_max_default = std::chrono::seconds(60);
inline constexpr Duration ttl_cap_max = std::chrono::hours(24);

// Between the moment when work is told to end and the deadline: the timer has to fire, and a thread to run that tells it.
// On a machine with ten threads to run for every processor that took 9 ms at the median, and 25 ms in one case of twenty:
// what is shorter than 10 ms is no time for anybody's work. The shortest TTL has 16 ms by default, the shortest lease of an
// election 13 ms.
inline constexpr Duration grace_min = std::chrono::milliseconds(10);

struct TimingOptions {
  Duration ttl = std::chrono::seconds(30);
  Duration ttl_max = ttl_max_default;      // the cap: the same for everybody on a store
  std::optional<Duration> grace{};         // a sixth of the TTL
  std::optional<Duration> renew{};         // a third of the TTL
  std::optional<Duration> node_timeout{};  // a tenth of the TTL, at most a second
};

// That TTL, or the usual one where the cap is not shorter.
inline TimingOptions timing_options(std::optional<Duration> ttl, Duration cap) {
  TimingOptions options;
  options.ttl = ttl.value_or(std::min(options.ttl, cap));
  options.ttl_max = cap;
  return options;
}

struct Timing {
  Ttl ttl{};
  Duration margin{};        // what the holder gives away for clocks that run at different rates
  Duration renew{};         // from one renewal to the next
  Duration grace{};         // the work is told to end this long before the deadline
  Duration node_timeout{};  // a node silent for longer has not answered

  // A lease is counted from before the send of the request that armed it: whatever the network
  // did, the node armed it later (T41).
  Time deadline(Time sent) const { return sent + ttl - margin; }

  // When no key that was armed by a request sent then can exist any more, by the client's clock.
  Time gone_at(Time sent) const { return sent + ttl + margin; }

  bool operator==(const Timing&) const = default;
};

tl::expected<Timing, std::string> make_timing(const TimingOptions& options);

}  // namespace tenure::core
