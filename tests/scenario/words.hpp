// What the core wants done, in words that stay the same from run to run.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/effect.hpp"
#include "core/notice.hpp"

namespace tenure::scenario {

// Who is who. Ids and nonces mean nothing to a reader, so each has the name that the story gave it.
struct Cast {
  std::map<core::AcquireId, std::string> acquires;
  std::map<core::LeaseId, std::string> leases;
  std::map<core::ElectionId, std::string> elections;
  std::map<core::RequestId, std::uint64_t> requests;  // counted as the reader sees them
  std::map<std::string, std::string> grants;          // by their stamps; "a/2" is the second of a
};

// "+3.2s" after the story began, to the millisecond.
std::string time_in_words(core::Time time);
std::string in_words(const core::Notice& notice, const Cast& cast);
std::string in_words(const core::Drop& drop, const Cast& cast);

// One line for the same request to several nodes: "send #1,2,3 acquire a -> 0,1,2".
std::string in_words(const std::vector<core::Send>& sends, const Cast& cast);
// Are these told in one line?
bool told_together(const core::Send& one, const core::Send& other, const Cast& cast);

}  // namespace tenure::scenario
