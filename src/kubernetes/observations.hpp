// What a client has seen of Leases, and since when. A Lease has run out for somebody who has seen it unchanged for its whole length: no
// clock but the observer's own decides, so that it does not matter what time the API server and the holder believe it is.
// Pure: moments are given.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "core/base/time.hpp"
#include "kubernetes/lease.hpp"

namespace tenure::kubernetes {

class Observations {
 public:
  struct Seen {
    Lease lease{};
    core::Time since{};  // when the answer that first showed it like this had been received

    bool over(core::Time now) const { return now - since >= lease.length; }
    core::Ttl left(core::Time now) const {
      return over(now) ? core::Ttl::zero() : std::chrono::ceil<core::Ttl>(since + lease.length - now);
    }
  };

  // The moment is one after the answer was received. What is returned stays until something else is seen of that object.
  const Seen& see(const std::string& object, Lease lease, core::Time now);
  void see_none(const std::string& object) { seen_.erase(object); }
  // Null: nothing is known.
  const Seen* find(const std::string& object) const;

 private:
  void forget_some(core::Time now);

  std::map<std::string, Seen> seen_;
};

}  // namespace tenure::kubernetes
