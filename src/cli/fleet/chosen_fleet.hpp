// Which fleet is meant: the nodes of its leases, and where all else is that is known about it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <tl/expected.hpp>

#include "cli/args/args.hpp"
#include "cli/fleet/fleet_data.hpp"
#include "cli/nodes/chosen_store.hpp"
#include "poll/session_json.hpp"
#include "redis/url.hpp"
#include "tenure/session.hpp"

namespace tenure::cli {

struct ChosenFleet {
  ChosenStore store;
  std::string name;
  std::string session_prefix{};  // where somebody chose it, for Redis
  // Where its data is: of one kind of store with the leases.
  std::optional<redis::Address> redis{};
  std::string postgresql{};  // the URL, with its secrets
  bool apart = false;        // on another server or database than the first node of the leases
  poll::Addresses addresses = poll::Addresses::http;
  StoredSessionsOptions::Find find = StoredSessionsOptions::Find::scan;

  // What the keys of its leases begin with.
  std::string leases() const { return store.inspector->root() + name + ":lease:"; }
  // Where its data is, for people; without secrets.
  std::string data_place() const;
};

// The error is a sentence about the words on the command line.
tl::expected<ChosenFleet, std::string> choose_fleet(const FleetTarget& target);

// Connects to nobody yet.
std::unique_ptr<FleetData> open_data(const ChosenFleet& fleet);

}  // namespace tenure::cli
