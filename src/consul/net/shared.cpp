#include "consul/net/shared.hpp"

#include <algorithm>

#include "runtime/instance_id.hpp"

namespace tenure::consul {

namespace {

// A request that was given up may be carried out when Consul has a leader again. Longer than this nothing waits there.
constexpr core::Duration late_within = std::chrono::minutes(10);

}  // namespace

Shared::Shared(Place place) : place_(std::move(place)), random_(runtime::random_from_kernel()) {}

std::optional<std::string> Shared::session(core::Ttl ttl) const {
  const auto found = sessions_.find(ttl);
  return found == sessions_.end() ? std::nullopt : std::optional(found->second);
}

void Shared::add_session(core::Ttl ttl, const std::string& id) {
  sessions_[ttl] = id;
  all_sessions_.push_back(id);
}

void Shared::retire_session(core::Ttl ttl) { sessions_.erase(ttl); }

void Shared::forget_session(const std::string& id) {
  std::erase_if(sessions_, [&](const auto& it) { return it.second == id; });
  std::erase(all_sessions_, id);
}

void Shared::hold(const Entry& entry, const core::Grant& grant, core::Ttl ttl, core::Time renewed) {
  // It is held, whatever was asked for before.
  for (Doubt& it : doubts_) {
    if (it.key == entry.key && it.grant == grant) it.released.reset();
  }
  const Entry as_seen{entry.key, {}, entry.flags, entry.session, entry.modified};
  held_.insert_or_assign(entry.key, Hold{grant, as_seen, ttl, renewed});
}

void Shared::let_go(const std::string& key, const core::Grant& grant) {
  const auto found = held_.find(key);
  if (found != held_.end() && found->second.grant == grant) held_.erase(found);
}

const Hold* Shared::held(const std::string& key, const core::Grant& grant) const {
  const auto found = held_.find(key);
  return found == held_.end() || found->second.grant != grant ? nullptr : &found->second;
}

void Shared::doubt(const std::string& key, const core::Grant& grant, core::Ttl ttl) {
  retire_session(ttl);
  const auto is_known = [&](const Doubt& it) { return it.key == key && it.grant == grant; };
  if (std::ranges::none_of(doubts_, is_known)) doubts_.push_back({key, grant});
}

void Shared::doubt_release(const std::string& key, const core::Grant& grant, core::Time asked) {
  const Hold* hold = held(key, grant);
  const auto known =
      std::ranges::find_if(doubts_, [&](const Doubt& it) { return it.key == key && it.grant == grant; });
  if (hold != nullptr) {
    std::erase_if(sessions_, [&](const auto& it) { return it.second == hold->entry.session; });
  } else if (known == doubts_.end()) {
    // Which one may have it is not known.
    sessions_.clear();
  }
  let_go(key, grant);
  if (known == doubts_.end()) {
    doubts_.push_back({key, grant, asked});
  } else {
    known->released = asked;
  }
}

void Shared::bury_lapsed(core::Time now) {
  std::vector<std::pair<std::string, core::Grant>> lapsed;
  for (const auto& [key, hold] : held_) {
    if (now - hold.renewed > hold.ttl) lapsed.emplace_back(key, hold.grant);
  }
  for (const auto& [key, grant] : lapsed) doubt_release(key, grant, now);
}

bool Shared::is_orphan(const std::string& key, const core::Grant& grant) const {
  return std::ranges::any_of(
      doubts_, [&](const Doubt& it) { return it.released && it.key == key && it.grant == grant; });
}

void Shared::on_released(const core::Grant& grant, core::Time now) {
  for (Doubt& it : doubts_) {
    if (it.grant == grant) it.released = now;
  }
}

std::vector<Doubt> Shared::orphans(core::Time now, std::size_t most) {
  std::erase_if(doubts_, [&](const Doubt& it) { return it.released && now - *it.released > late_within; });
  std::vector<Doubt> orphans;
  for (const Doubt& it : doubts_) {
    if (it.released && orphans.size() < most) orphans.push_back(it);
  }
  // The next time others are looked at.
  if (orphans.size() == most) std::rotate(doubts_.begin(), doubts_.begin() + 1, doubts_.end());
  return orphans;
}

void Shared::wait_for(const std::string& key, Index index, const core::Grant& ticket) {
  WatchedKey& watched = watched_[key];
  watched.index = index;
  if (std::ranges::find(watched.tickets, ticket) == watched.tickets.end()) watched.tickets.push_back(ticket);
  if (on_watched) on_watched(key);
}

void Shared::wait_no_more(const core::Grant& ticket) {
  for (auto& [key, watched] : watched_) std::erase(watched.tickets, ticket);
  std::erase_if(watched_, [](const auto& it) { return it.second.tickets.empty(); });
}

}  // namespace tenure::consul
