// What the lengths that users give amount to, or what is wrong with them. Known before there is a client, for a program that
// must not have a thread yet.
#pragma once

#include <string>
#include <tl/expected.hpp>

#include "core/election/election_plan.hpp"
#include "core/lease/timing.hpp"
#include "tenure/election.hpp"
#include "tenure/options.hpp"

namespace tenure::detail {

// The cap is ClientOptions::ttl_max. The error is a sentence.
tl::expected<core::Timing, std::string> timing_of(const LockOptions& options, core::Ttl cap);
tl::expected<core::ElectionPlan, std::string> plan_of(const ElectionOptions& options, std::string key,
                                                      core::Ttl cap);

}  // namespace tenure::detail
