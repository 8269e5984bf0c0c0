// Puts looks at the nodes on record, and tells everybody who watches what changed. Any thread may call it.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "cli/endpoint/page_of.hpp"
#include "cli/fleet/fleet_view.hpp"
#include "cli/lock/lock_look.hpp"
#include "cli/web/event_log.hpp"
#include "cli/web/history.hpp"

namespace tenure::cli {

struct TimelineQuery {
  LaneGroup group{};
  std::string search{};  // in names, whatever the case; empty: all
  UnixMs from = 0;       // what ended before is left out
  Page page{};
};

class Recorder {
 public:
  Recorder();

  // When it was looked, and when the next look comes at the latest.
  struct When {
    UnixMs at;
    UnixMs next;
  };
  void saw_leases(const AllLeases& leases, When when);
  void saw_fleet(const std::string& fleet, const FleetView& view, When when);
  void saw_no_leases(const std::string& why, When when);
  void saw_no_fleet(const std::string& fleet, const std::string& why, When when);

  // Nobody asks about it any more.
  void forget_fleet(const std::string& fleet);

  // docs/http-api.md says what is in it.
  std::string timeline_json(const TimelineQuery& query) const;
  EventLog& events() { return events_; }

 private:
  void record(const LaneGroup& group, const std::vector<SeenOwner>& owned, UnixMs at);
  void tell(const LaneGroup& group, const OwnerChange& change);

  mutable std::mutex mutex_{};
  History history_{};
  EventLog events_;
};

}  // namespace tenure::cli
