// What a person is shown of a namespace: all its Leases, and what the API server says of itself and of our rights. Asked once, from
// outside; leases do not go through here.
#pragma once

#include <map>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "core/message.hpp"
#include "kubernetes/lease.hpp"
#include "kubernetes/net/place.hpp"

namespace tenure::kubernetes {

// What somebody sees of a Lease who looks once, and cannot know for how long it has been like this. It is taken for held while it says
// so: by the clocks of others it may have run out, and then nothing is left.
core::KeyState seen_once(const Lease& lease, const std::optional<std::chrono::seconds>& date);

// Of those that somebody holds, by the names that have these objects; page by page.
tl::expected<std::map<std::string, core::KeyState>, core::Failure> held_leases(const Place& place,
                                                                               core::Duration timeout);

struct ServerFacts {
  std::string version{};                     // "v1.20.2"
  std::vector<std::string> missing_verbs{};  // that we may not do with Leases in the namespace
};
tl::expected<ServerFacts, core::Failure> look_at(const Place& place, core::Duration timeout);

}  // namespace tenure::kubernetes
