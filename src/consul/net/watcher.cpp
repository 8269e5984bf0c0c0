#include "consul/net/watcher.hpp"

#include <algorithm>
#include <utility>

#include "consul/transaction.hpp"
#include "core/base/number.hpp"

namespace tenure::consul {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Consul answers after that time at the latest, and a sixteenth of it.
constexpr int wait_s = 60;
constexpr core::Duration answer_within = seconds(70);
// Before a key is asked about again that has not changed: something answers that does not wait.
constexpr core::Duration pause = milliseconds(100);

std::string target_of(const std::string& key, Index from) {
  std::string target = "/v1/kv/" + http_client::url_escaped(key);
  if (from > 0) target += "?index=" + std::to_string(from) + "&wait=" + std::to_string(wait_s) + "s";
  return target;
}

Index index_of(const http_client::HttpAnswer& answer) {
  const auto found = answer.headers.find("x-consul-index");
  if (found == answer.headers.end()) return 0;
  return core::read_number<Index>(found->second).value_or(0);
}

}  // namespace

Watcher::Watcher(std::shared_ptr<Shared> shared)
    : shared_(std::move(shared)), calls_(shared_->place().server) {}

void Watcher::open(core::Time /*now*/, core::Random& /*random*/) {
  if (open_) return;
  open_ = true;
  shared_->on_watched = [this](const std::string& key) {
    if (!due_) watch(key, shared_->watched().at(key).index);
  };
  watch_all(false);
}

void Watcher::watch(const std::string& key, Index from) {
  if (std::ranges::any_of(keys_, [&](const auto& it) { return it.second == key; })) return;
  const CallId id{++last_};
  keys_.emplace(id, key);
  http_client::HttpRequest request{"GET", target_of(key, from), {}, {}, answer_within};
  if (!shared_->place().header.empty()) request.headers.push_back(shared_->place().header);
  calls_.start(id, std::move(request));
}

void Watcher::watch_all(bool from_now) {
  // What became of a server is not known: its numbers may have begun again.
  for (const auto& [key, watched] : shared_->watched()) watch(key, from_now ? 0 : watched.index);
  unheard_ = keys_.size();
}

void Watcher::on_ready(core::Time now, core::Random& random, std::vector<runtime::Message>& messages) {
  std::vector<http_client::HttpNews> news;
  calls_.on_ready(news);
  bool failed = false;
  for (const http_client::HttpNews& it : news) {
    const auto found = keys_.find(it.id);
    if (found == keys_.end()) continue;
    const std::string key = found->second;
    keys_.erase(found);
    if (!it.answer || !hear(key, *it.answer, now, messages)) {
      failed = true;
    } else {
      if (unheard_ > 0) unheard_ -= 1;
      if (unheard_ == 0) failures_ = 0;
    }
  }
  if (failed) fail(now, random);
}

bool Watcher::hear(const std::string& key, const http_client::HttpAnswer& answer, core::Time now,
                   std::vector<runtime::Message>& messages) {
  const auto waiting = shared_->watched().find(key);
  if (waiting == shared_->watched().end()) return true;  // nobody waits for it any more
  std::optional<Entry> entry;
  if (answer.status == 200) {
    auto read = read_entry(answer.body);
    if (!read) return false;
    entry = std::move(*read);
  } else if (answer.status != 404) {
    return false;
  }
  if (entry && !entry->session.empty()) {
    WatchedKey& watched = waiting->second;
    const Index index = index_of(answer);
    if (index == 0 || index == watched.index) {
      paused_.push_back(key);
      if (!resumed_) resumed_ = now + pause;
      return true;
    }
    watched.index = index < watched.index ? 0 : index;
    watch(key, watched.index);
    return true;
  }
  // Whoever does not get it says so again.
  for (core::Grant& ticket : waiting->second.tickets)
    messages.emplace_back(runtime::WakeUp{std::move(ticket), {}});
  shared_->watched().erase(waiting);
  return true;
}

void Watcher::fail(core::Time now, core::Random& random) {
  calls_.close();
  keys_.clear();
  unpause();
  const core::Duration longest =
      std::min<core::Duration>(milliseconds(100) * (1U << std::min(failures_, 7U)), seconds(10));
  failures_ += 1;
  due_ = now + random.between(longest / 2, longest);
}

void Watcher::on_timer(core::Time now, core::Random& /*random*/) {
  if (due_ && now >= *due_) {
    due_.reset();
    watch_all(true);
  } else if (!due_ && resumed_ && now >= *resumed_) {
    for (const std::string& key : std::exchange(paused_, {})) {
      const auto waiting = shared_->watched().find(key);
      if (waiting != shared_->watched().end()) watch(key, waiting->second.index);
    }
    unpause();
  }
}

void Watcher::unpause() {
  paused_.clear();
  resumed_.reset();
}

void Watcher::close() {
  if (open_) shared_->on_watched = nullptr;
  open_ = false;
  due_.reset();
  unpause();
  calls_.close();
  keys_.clear();
}

}  // namespace tenure::consul
