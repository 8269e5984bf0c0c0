#include "kubernetes/observations.hpp"

#include <utility>

namespace tenure::kubernetes {

namespace {

// To have forgotten one costs whoever contends for it its whole length once more, and a holder one call.
constexpr std::size_t count_max = 4096;
constexpr core::Duration kept_for = std::chrono::minutes(10);

// A backup that was restored gives versions again that were given before.
bool same(const Lease& one, const Lease& other) {
  return one.version == other.version && one.uid == other.uid && one.holder == other.holder &&
         one.renewed == other.renewed;
}

}  // namespace

const Observations::Seen& Observations::see(const std::string& object, Lease lease, core::Time now) {
  if (seen_.size() >= count_max) forget_some(now);
  const auto [it, added] = seen_.try_emplace(object);
  Seen& seen = it->second;
  if (added || !same(seen.lease, lease)) seen = {std::move(lease), now};
  return seen;
}

const Observations::Seen* Observations::find(const std::string& object) const {
  const auto found = seen_.find(object);
  return found != seen_.end() ? &found->second : nullptr;
}

void Observations::forget_some(core::Time now) {
  std::erase_if(seen_, [now](const auto& it) { return now - it.second.since > kept_for; });
}

}  // namespace tenure::kubernetes
