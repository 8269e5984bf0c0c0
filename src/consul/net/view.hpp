// What a person is shown of a Consul: the keys of Tenure there, its record, and what the agent says of itself. Asked once, from
// outside; leases do not go through here.
#pragma once

#include <map>
#include <string>
#include <tl/expected.hpp>

#include "consul/net/shared.hpp"
#include "core/message.hpp"

namespace tenure::consul {

// Of those that somebody holds, by what Keys::name_in() makes of their keys.
tl::expected<std::map<std::string, core::KeyState>, core::Failure> held_leases(const Place& place,
                                                                               core::Duration timeout);
tl::expected<core::FoundRecord, core::Failure> record_of(const Place& place, core::Duration timeout);

struct AgentFacts {
  std::string version{};       // empty: we may not ask
  std::size_t servers = 0;     // that vote
  bool keeps_nothing = false;  // it is one for development
};
tl::expected<AgentFacts, core::Failure> look_at(const Place& place, core::Duration timeout);

}  // namespace tenure::consul
