// Looks at a fleet: its sessions, heartbeats and results in one place, its leases on all nodes. Changes nothing.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "cli/fleet/chosen_fleet.hpp"
#include "cli/fleet/fleet_view.hpp"

namespace tenure::cli {

class FleetLook {
 public:
  // Tells somebody, a person at a terminal as a rule, what a look could not see.
  using Tell = std::function<void(const std::string& sentence)>;
  explicit FleetLook(ChosenFleet fleet);
  FleetLook(ChosenFleet fleet, Tell tell);

  // Tells which nodes of several do not answer. The error is a sentence, where too few do or the place of the
  // data does not.
  tl::expected<FleetView, std::string> look();
  const ChosenFleet& fleet() const { return fleet_; }

 private:
  using Done = tl::expected<void, std::string>;
  // Of these sessions: all good ones.
  using Ids = std::vector<std::string>;
  Done read_leases(const Ids& ids, FleetFacts& facts) const;
  void find_unlisted(FleetFacts& facts) const;
  void read_records(FleetFacts& facts) const;

  ChosenFleet fleet_;
  Tell tell_;
  std::unique_ptr<FleetData> data_;
};

}  // namespace tenure::cli
