// A fleet as it is shown: who lives, who owns what, how evenly, and what goes wrong. Pure: asks nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/doctor/closed_node.hpp"
#include "cli/lock/lock_view.hpp"
#include "core/message.hpp"
#include "poll/fleet_json.hpp"
#include "tenure/session.hpp"

namespace tenure::cli {

// What a store shows of a fleet, at about one moment.
struct FleetFacts {
  struct Beat {
    std::string instance;
    std::optional<poll::InstanceText> said{};  // nothing: it cannot be read
    core::Ttl left{};
  };
  struct Result {
    std::optional<poll::ResultText> text{};  // nothing: there is none that could be read
    std::uint64_t token = 0;                 // 0: never polled
  };
  std::int64_t now_ms = 0;    // unix time
  std::vector<Beat> beats{};  // of those that live
  Sessions sessions{};
  std::vector<LeaseView> leases{};  // of the good sessions, in their order
  std::vector<Result> results{};    // likewise
  std::vector<LeaseView>
      unlisted{};  // leases of sessions that are not in the store: the fleet has another source of them
  std::vector<ClosedNode> closed{};
  bool open = true;  // so few are closed that new leases are given
};

struct InstanceView {
  std::string id;
  std::string status;                        // ready, leaving; silent: it has leases, and no heartbeat
  std::optional<std::int64_t> started_ms{};  // unix time
  std::int64_t age_ms = 0;
  std::uint32_t weight = 1;
  std::uint64_t says_owned = 0;  // by its last heartbeat
  std::uint64_t owned = 0;       // by the leases
  double share = 0;              // what its weight is worth
  core::Ttl left{-2};            // of its heartbeat

  bool ready() const { return status == "ready"; }
  double per_weight() const { return static_cast<double>(owned) / weight; }
};

struct SessionView {
  Session session;
  LeaseView lease;
  FleetFacts::Result result;

  // It should have an owner, and has none.
  bool nobody() const { return !session.paused && !lease.holds(); }
  bool failing() const { return result.text && !result.text->ok; }
};

// Of the instances that are ready, by their weight.
struct Balance {
  double most = 0;  // sessions for each weight of one
  double fewest = 0;
  bool within_one = true;  // each has less than one more or less than its share
};

struct FleetView {
  std::int64_t now_ms = 0;
  // Each by id, in natural_order.
  std::vector<InstanceView> instances{};
  std::vector<SessionView> sessions{};
  std::vector<BadSession> bad{};
  std::optional<Balance> balance{};  // nothing: nobody is ready
  std::size_t paused = 0;
  std::size_t owned = 0;
  std::size_t unlisted = 0;  // of these, not among the sessions
  std::size_t nobody = 0;
  std::size_t failing = 0;
  std::vector<ClosedNode> closed{};
  bool open = true;
};

FleetView view_of(FleetFacts facts);

}  // namespace tenure::cli
