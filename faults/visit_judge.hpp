// Judges by the log of the server that was polled: never two instances at one session, and tokens that grow.
//
// Rule. A visit lasts from the arrival of its request to the end of its answer, or until the visitor has left. A visit that
// begins while one with another token lasts is an overlap; one with a smaller token than an earlier visit to that session, or
// with a token that was another instance's, is out of order.
//
// A request carries no clock. An instance asks its lease before every poll; if it is stopped (SIGSTOP) between that and the
// send, the request comes when it is continued, however late. So of each stop at most `decided_before_max` visits are excused
// that are out of order, of the instance that was stopped, and come within `going_on_max` after it was continued. One that did
// not ask its leases when it went on would come with dozens.
#pragma once

#include <cstddef>
#include <vector>

#include "faults/evidence.hpp"
#include "faults/judge.hpp"
#include "http_target/http_target.hpp"

namespace tenure::faults {

inline constexpr std::size_t decided_before_max = 2;

// Grants are tokens seen, acts are visits. Visits are in the order in which they began; `now` ends those under way.
Verdict judge(const std::vector<http_target::HttpTarget::Visit>& visits, const std::vector<Stop>& stops,
              core::Time now);

}  // namespace tenure::faults
