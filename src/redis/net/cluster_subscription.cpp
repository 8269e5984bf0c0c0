#include "redis/net/cluster_subscription.hpp"

#include <poll.h>

#include <algorithm>
#include <ranges>
#include <utility>

#include "redis/url_parts.hpp"

namespace tenure::redis {

namespace {

constexpr runtime::ReadySet::Key of_search = 0;
// A message is on its way to all servers for less than that; after it the same words are another message.
constexpr core::Duration same_within = std::chrono::seconds(1);
constexpr core::Duration patience = std::chrono::seconds(5);
constexpr core::Duration search_again_after = std::chrono::seconds(1);

}  // namespace

ClusterSubscription::ClusterSubscription(const Address& address, std::string channel, const runtime::Tls& tls,
                                         SharedView view, Subscriber::Read read)
    : address_(address),
      channel_(std::move(channel)),
      tls_(tls),
      view_(std::move(view)),
      read_(std::move(read)) {}

void ClusterSubscription::open(core::Time now, core::Random& random) {
  opened_ = true;
  if (!view_->known()) {
    search(now);
  } else if (followed_ == view_->asked) {
    for (const auto& [where, ear] : ears_) ear->subscriber->open(now, random);
  }
  follow_map(now, random);
  watch();
}

void ClusterSubscription::follow_map(core::Time now, core::Random& random) {
  if (!opened_ || !view_->known() || followed_ == view_->asked) return;
  followed_ = view_->asked;
  std::map<std::string, std::unique_ptr<Ear>> before = std::exchange(ears_, {});
  for (const HostPort& where : view_->map.masters()) {
    const std::string text = to_text(where);
    auto& ear = ears_[text];
    if (const auto known = before.find(text); known != before.end()) {
      ear = std::move(known->second);
      before.erase(known);
    } else {
      ear = std::make_unique<Ear>(++last_key_, server_of(address_, where));
      const auto read = [this,
                         key = ear->key](const std::string& message) -> std::optional<runtime::Message> {
        return is_new(message, key) ? read_(message) : std::nullopt;
      };
      ear->subscriber.emplace(ear->address, channel_, tls_, read);
    }
    if (!ear->subscriber->listening()) ear->subscriber->open(now, random);
  }
  for (const auto& [where, ear] : before) {
    ear->subscriber->close();
    ready_.watch(ear->key, {});
  }
}

void ClusterSubscription::search(core::Time now) {
  if (search_ && now - search_began_ < patience) return;
  search_began_ = now;
  search_due_.reset();
  search_.emplace(address_, tls_, lookups_, view_->map.masters(),
                  ClusterMapSearch::Limits{.patience = patience, .gives_up_unanswered = view_->known()});
  step_search(now);
}

void ClusterSubscription::step_search(core::Time now) {
  auto map = search_->step();
  if (map && !*map) return;
  search_.reset();
  if (map && search_began_ > view_->asked) *view_ = {std::move(**map), search_began_};
  if (!map) search_due_ = now + search_again_after;
}

void ClusterSubscription::on_ready(core::Time now, core::Random& random,
                                   std::vector<runtime::Message>& messages) {
  now_ = now;
  const bool heard_all = listening();
  const auto keys = ready_.ready();
  const auto is_ready = [&](runtime::ReadySet::Key key) {
    return std::ranges::find(keys, key) != keys.end();
  };
  if (search_ && is_ready(of_search)) step_search(now);
  for (const auto& [where, ear] : ears_) {
    if (is_ready(ear->key)) ear->subscriber->on_ready(now, random, messages);
  }
  // A master that has gone may have been replaced.
  if (heard_all && !listening()) search(now);
  follow_map(now, random);
  watch();
}

void ClusterSubscription::on_timer(core::Time now, core::Random& random) {
  if (search_due_ && now >= *search_due_) search(now);
  for (const auto& [where, ear] : ears_) {
    const auto due = ear->subscriber->wake();
    if (!due || now < *due) continue;
    search(now);
    ear->subscriber->on_timer(now, random);
  }
  follow_map(now, random);
  watch();
}

void ClusterSubscription::close() {
  opened_ = false;
  search_.reset();
  search_due_.reset();
  for (const auto& [where, ear] : ears_) ear->subscriber->close();
  watch();
}

std::optional<core::Time> ClusterSubscription::wake() const {
  auto first = search_due_;
  for (const auto& [where, ear] : ears_) first = core::sooner(first, ear->subscriber->wake());
  return first;
}

bool ClusterSubscription::listening() const {
  return !ears_.empty() &&
         std::ranges::all_of(ears_, [](const auto& it) { return it.second->subscriber->listening(); });
}

bool ClusterSubscription::is_new(const std::string& text, runtime::ReadySet::Key by) {
  while (!given_.empty() && now_ - given_.front().at > same_within) given_.pop_front();
  const auto is_repeat = [&](const Given& it) { return it.text == text && !it.by.contains(by); };
  if (const auto given = std::ranges::find_if(given_, is_repeat); given != given_.end()) {
    given->by.insert(by);
    return false;
  }
  given_.push_back({text, now_, {by}});
  return true;
}

void ClusterSubscription::watch() {
  for (const auto& [where, ear] : ears_) ready_.watch(ear->key, ear->subscriber->awaited(), true);
  ready_.watch(of_search, {search_ ? search_->fd() : -1, POLLIN}, true);
}

runtime::Awaited ClusterSubscription::awaited() const {
  if (!opened_) return {};
  return {ready_.fd(), POLLIN, connection_};
}

}  // namespace tenure::redis
