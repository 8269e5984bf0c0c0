// Requests that name the same key are sent one after the other, in the order in which they came: so no release overtakes the
// acquire that it takes back (T12). Others do not wait for each other.
#pragma once

#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/message.hpp"

namespace tenure::consul {

std::vector<std::string> keys_of(const core::Request& request);

class Turns {
 public:
  void join(core::RequestId id, const std::vector<std::string>& keys);
  // Is it the first at all of its keys?
  bool may_go(core::RequestId id, const std::vector<std::string>& keys) const;
  void leave(core::RequestId id, const std::vector<std::string>& keys);
  bool empty() const { return waiting_.empty(); }

 private:
  std::unordered_map<std::string, std::deque<core::RequestId>> waiting_{};
};

}  // namespace tenure::consul
