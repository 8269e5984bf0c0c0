#include "kubernetes/observations.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace tenure::kubernetes {

namespace {

// To have forgotten one costs whoever contends for it its whole length once more, and a holder one call.
constexpr std::size_t tokens_max = 16'384;
constexpr core::Duration kept_for = std::chrono::minutes(10);

// A backup that was restored gives versions again that were given before.
bool same(const Lease& one, const Lease& other) {
  return one.version == other.version && one.uid == other.uid && one.holder == other.holder &&
         one.renewed == other.renewed;
}

}  // namespace

const Observations::Seen& Observations::see(const std::string& object, Lease lease, core::Time now) {
  note_token(object, lease.token);
  if (seen_.size() >= look_through_at_) forget_some(now);
  const auto [it, added] = seen_.try_emplace(object);
  Seen& seen = it->second;
  if (added || !same(seen.lease, lease)) seen = {std::move(lease), now};
  seen.read = now;
  return seen;
}

const Observations::Seen* Observations::find(const std::string& object) const {
  const auto found = seen_.find(object);
  return found != seen_.end() ? &found->second : nullptr;
}

core::Token Observations::largest_token(const std::string& object) const {
  const auto found = tokens_.find(object);
  return found != tokens_.end() ? found->second : 0;
}

// Of too many the smallest are forgotten: they are the oldest, and a new one is larger as it is unless clocks differ by as much.
void Observations::note_token(const std::string& object, core::Token token) {
  if (token == 0) return;
  core::Token& largest = tokens_[object];
  largest = std::max(largest, token);
  if (tokens_.size() <= tokens_max) return;
  std::vector<core::Token> all;
  for (const auto& it : tokens_) all.push_back(it.second);
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  std::ranges::nth_element(all, middle);
  std::erase_if(tokens_, [least = *middle](const auto& it) { return it.second < least; });
}

void Observations::forget_some(core::Time now) {
  std::erase_if(seen_, [now](const auto& it) {
    return now - it.second.since > std::max<core::Duration>(kept_for, 2 * it.second.lease.length);
  });
  // What is left may all be needed: not again before as much has come.
  look_through_at_ = std::max(count_min, 2 * seen_.size());
}

}  // namespace tenure::kubernetes
