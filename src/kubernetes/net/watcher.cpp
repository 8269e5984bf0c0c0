#include "kubernetes/net/watcher.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "runtime/boot_clock.hpp"

namespace tenure::kubernetes {

using http_client::HttpCallId;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

// So many names are watched each by itself. To watch a namespace is to hear of every Lease in it.
constexpr std::size_t watches_max = 8;
// The server ends a watch after this time, and we do a little later, where it has gone without a word.
constexpr seconds watch_length{300};
constexpr core::Duration watch_ends_by = seconds(330);
// A watch that has not failed by then works.
constexpr core::Duration fails_within = seconds(1);

// Versions are numbers of any length.
bool older(const std::string& one, const std::string& other) {
  return one.size() != other.size() ? one.size() < other.size() : one < other;
}

}  // namespace

Watcher::Watcher(Shared& shared) : shared_(shared), calls_(shared.place.server) {
  shared_.waiters.on_change([this] { follow_waiters(); });
}

Watcher::~Watcher() {
  shared_.waiters.on_change({});
  close();
}

void Watcher::open(core::Time /*now*/, core::Random& /*random*/) {
  if (state_ != State::closed) return;
  state_ = State::listening;
  failures_ = 0;
  follow_waiters();
}

void Watcher::follow_waiters() {
  if (state_ == State::closed || state_ == State::failed) return;
  std::map<std::string, std::string> wanted;
  for (const auto& [object, waiting] : shared_.waiters.all()) wanted[object] = waiting.version;
  if (wanted.size() > watches_max) {
    const auto first = std::ranges::min_element(wanted, older, [](const auto& it) { return it.second; });
    wanted = {{"", first->second}};
  }
  for (auto it = watches_.begin(); it != watches_.end();) {
    const auto next = std::next(it);
    if (!wanted.contains(it->first)) stop(it);
    it = next;
  }
  for (const auto& [object, version] : wanted) {
    if (!watches_.contains(object)) start(object, version);
  }
}

void Watcher::start(const std::string& object, const std::string& version) {
  const ApiCall call{"GET", watch_target(shared_.place.name_space, object, version, watch_length)};
  auto request = request_of(call, shared_.credentials);
  // Whoever looks is told why.
  if (!request) return;
  request->stream = true;
  request->timeout = watch_ends_by;
  Watch& watch = watches_[object];
  watch = {HttpCallId{++last_call_}, version};
  calls_.start(watch.call, std::move(*request));
}

void Watcher::stop(std::map<std::string, Watch>::iterator watch) {
  believe(watch->first, false);
  calls_.cancel(watch->second.call);
  watches_.erase(watch);
}

void Watcher::on_ready(core::Time now, core::Random& random, std::vector<runtime::Message>& messages) {
  std::vector<http_client::HttpNews> heard;
  calls_.on_ready(heard);
  for (const auto& it : heard) hear(it, now, random, messages);
}

void Watcher::hear(const http_client::HttpNews& news, core::Time now, core::Random& random,
                   std::vector<runtime::Message>& messages) {
  const auto found = std::ranges::find(watches_, news.id, [](const auto& it) { return it.second.call; });
  if (found == watches_.end()) return;
  const std::string object = found->first;
  if (news.piece) return hear_piece(object, found->second, news.answer->body, messages);
  believe(object, false);
  const Watch over = std::move(found->second);
  watches_.erase(found);
  // It has lasted as long as a watch may.
  if (news.answer && news.answer->status == 200) {
    const auto* waiting = shared_.waiters.find(object);
    if (object.empty() || waiting != nullptr) start(object, over.version);
    return;
  }
  // What it was to begin with is forgotten by the server: who waits looks, and says from where to go on.
  if (news.answer && news.answer->status == 410) wake_waiters(object, messages);
  if (news.answer && news.answer->status == 401) shared_.credentials.renew();
  fail(now, random);
}

void Watcher::hear_piece(const std::string& object, Watch& watch, const std::string& piece,
                         std::vector<runtime::Message>& messages) {
  std::vector<WatchEvent> events;
  const bool sound = watch.lines.take(piece, events);
  const HttpCallId call = watch.call;
  for (WatchEvent& event : events) {
    if (event.kind == WatchEvent::Kind::error) {
      wake_waiters(object, messages);
      break;
    }
    hear_event(watch, std::move(event), messages);
  }
  if (sound && events.empty()) return;
  const bool over = !sound || events.back().kind == WatchEvent::Kind::error;
  const auto found = watches_.find(object);
  if (found == watches_.end() || found->second.call != call) return;
  if (over) {
    // Not from the same version: whoever waits looks now, and so begins another watch.
    stop(found);
  } else {
    failures_ = 0;
    state_ = State::listening;
    due_.reset();
    believe(object, true);
  }
}

void Watcher::hear_event(Watch& watch, WatchEvent event, std::vector<runtime::Message>& messages) {
  if (!event.version.empty()) watch.version = event.version;
  auto* waiting = shared_.waiters.find(event.object);
  if (event.kind == WatchEvent::Kind::bookmark || waiting == nullptr) return;
  waiting->version = event.version;
  const bool free = !event.lease || event.lease->free();
  if (event.lease) {
    // It has come, and so it was like this before.
    shared_.sight.seen.see(event.object, std::move(*event.lease), runtime::boot_now());
  } else {
    shared_.sight.seen.see_none(event.object);
  }
  if (free) wake_waiters(event.object, messages);
}

// All who wait for it; under an empty name all.
void Watcher::wake_waiters(const std::string& object, std::vector<runtime::Message>& messages) const {
  for (const auto& [name, waiting] : shared_.waiters.all()) {
    if (!object.empty() && name != object) continue;
    for (const core::Grant& ticket : waiting.tickets) messages.emplace_back(runtime::WakeUp{ticket, {}});
  }
}

void Watcher::fail(core::Time now, core::Random& random) {
  const core::Duration longest =
      std::min<core::Duration>(milliseconds(200) * (1U << std::min(failures_, 7U)), seconds(20));
  failures_ += 1;
  state_ = State::failed;
  due_ = now + random.between(longest / 2, longest);
  for (auto it = watches_.begin(); it != watches_.end();) {
    const auto next = std::next(it);
    stop(it);
    it = next;
  }
}

void Watcher::on_timer(core::Time now, core::Random& /*random*/) {
  if (!due_ || now < *due_) return;
  due_.reset();
  if (state_ == State::trying) state_ = State::listening;
  if (state_ != State::failed) return;
  state_ = State::trying;
  due_ = now + fails_within;
  follow_waiters();
}

void Watcher::close() {
  for (const auto& [object, watch] : watches_) believe(object, false);
  watches_.clear();
  calls_.close();
  state_ = State::closed;
  due_.reset();
}

void Watcher::believe(const std::string& object, bool watched) {
  if (!object.empty()) return shared_.waiters.set_watched(object, watched);
  for (const auto& [name, waiting] : shared_.waiters.all()) shared_.waiters.set_watched(name, watched);
}

}  // namespace tenure::kubernetes
