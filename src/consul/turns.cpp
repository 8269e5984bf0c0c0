#include "consul/turns.hpp"

#include <algorithm>

#include "core/base/overload.hpp"

namespace tenure::consul {

std::vector<std::string> keys_of(const core::Request& request) {
  const auto of_items = [](const auto& it) {
    std::vector<std::string> keys;
    for (const core::Holding& item : it.items) keys.push_back(item.key);
    std::ranges::sort(keys);
    const auto repeated = std::ranges::unique(keys);
    keys.erase(repeated.begin(), repeated.end());
    return keys;
  };
  using Keys = std::vector<std::string>;
  return std::visit(core::Overload{[](const core::AcquireRequest& it) { return Keys{it.key}; },
                                   [](const core::ConfirmRequest& it) { return Keys{it.key}; },
                                   [](const core::ReleaseRequest& it) { return Keys{it.key}; },
                                   [&](const core::RenewRequest& it) { return of_items(it); },
                                   [&](const core::ReassertRequest& it) { return of_items(it); },
                                   [](const auto&) { return Keys{}; }},
                    request);
}

void Turns::join(core::RequestId id, const std::vector<std::string>& keys) {
  for (const std::string& key : keys) waiting_[key].push_back(id);
}

bool Turns::may_go(core::RequestId id, const std::vector<std::string>& keys) const {
  return std::ranges::all_of(keys, [&](const std::string& key) { return waiting_.at(key).front() == id; });
}

void Turns::leave(core::RequestId id, const std::vector<std::string>& keys) {
  for (const std::string& key : keys) {
    const auto found = waiting_.find(key);
    if (found == waiting_.end()) continue;
    std::erase(found->second, id);
    if (found->second.empty()) waiting_.erase(found);
  }
}

}  // namespace tenure::consul
