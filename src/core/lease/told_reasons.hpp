// Which reasons for a wait somebody has been told: every one once, until there is a reason of another kind.
#pragma once

#include <optional>
#include <set>
#include <utility>

#include "core/notice.hpp"

namespace tenure::core {

class ToldReasons {
 public:
  // Is it news? From now on it is not.
  bool note(const Refusal& refusal) {
    bool news = code_ != refusal.code;
    if (news) failures_.clear();
    code_ = refusal.code;
    // A node may be unreachable first and refuse the password later.
    if (refusal.code != RefusalCode::no_quorum) return news;
    for (const auto& [node, failure] : refusal.failures) {
      if (failures_.emplace(node, failure.code).second) news = true;
    }
    return news;
  }
  void forget() { code_.reset(); }

 private:
  std::optional<RefusalCode> code_{};
  std::set<std::pair<NodeIndex, FailureCode>> failures_{};
};

}  // namespace tenure::core
